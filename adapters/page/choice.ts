import { callKinds, noFilter, type CallFilter, type CallKind } from './call-list.ts';
import type { Range } from './values.ts';

/**
 * Choices of the person: the view of the page. It is in the fragment of the address, after the token, so that a link,
 * the Back button and a reload keep it. Pure.
 */

export const panels = ['servers', 'chart', 'lanes', 'calls', 'records', 'collections', 'messages'] as const;
export type Panel = (typeof panels)[number];
export interface Choice {
  readonly panel: Panel;
  /** Address of the actor chosen on the page; undefined for none. */
  readonly actor: string | undefined;
  /** Index of the record whose moment is shown; undefined for the present, or for the end of a file. */
  readonly moment: number | undefined;
  /** Time to which panels limit what they list; undefined for all. */
  readonly range: Range | undefined;
  readonly find: string;
  /** Kind of the records that are listed; empty for all. */
  readonly findKind: string;
  readonly findActor: string;
  readonly calls: CallFilter;
  /** Tells whether the tree of actors is shown; when undefined, the panel decides. */
  readonly tree: boolean | undefined;
  /** Ticket of the chosen call. */
  readonly call: string | undefined;
  /** Id of the chosen incident. */
  readonly incident: string | undefined;
}
/** View with which the page begins. */
export const firstChoice: Choice = {
  panel: 'servers',
  actor: undefined,
  moment: undefined,
  range: undefined,
  find: '',
  findKind: '',
  findActor: '',
  incident: undefined,
  call: undefined,
  calls: noFilter,
  tree: undefined,
};

/** Panels that show the actor chosen in the tree, or that let a person choose one. */
const ofActors: ReadonlySet<Panel> = new Set(['chart', 'lanes', 'records', 'messages']);
export const isTreeShown = ({ tree, panel }: Choice): boolean => tree ?? ofActors.has(panel);
/** Tells whether a view needs all records of a running host. For other views the host leaves out those inside of calls. */
export const needsRecords = (choice: Choice): boolean =>
  choice.moment !== undefined ||
  isTreeShown(choice) ||
  choice.panel === 'collections' ||
  (choice.panel === 'calls' && choice.call !== undefined);

/** View that an address names; `s` is the number of the record whose moment is shown. */
export interface LinkedView extends Partial<Omit<Choice, 'moment' | 'tree' | 'panel'>> {
  /** Panel that is shown; undefined for the first panel of the host. */
  readonly panel: Panel | undefined;
  readonly s?: number;
}
const isPanel = (text: string): text is Panel => (panels as readonly string[]).includes(text);
const isKind = (text: string): text is CallKind => (callKinds as readonly string[]).includes(text);

/** Returns a fragment for the address of the page that has only the token of `present`, its fragment now. */
export function withToken(present: string): string {
  const token = new URLSearchParams(present.replace(/^#/, '')).get('token');
  return token === null ? '' : `#${new URLSearchParams({ token }).toString()}`;
}
/** Writes a view as a fragment, after the token that the present fragment has; `home` is the panel that needs no name. */
export function fragmentOf(
  choice: Choice,
  s: number | undefined,
  present: string,
  home: Panel = 'servers',
): string {
  const { panel, actor, call, incident, range, find, findKind, findActor, calls } = choice;
  const parts = new URLSearchParams(withToken(present).replace(/^#/, ''));
  const named: Readonly<Record<string, string | undefined>> = {
    panel: panel === home ? '' : panel,
    actor,
    call,
    incident,
    time: range && `${range.from}~${range.to}`,
    find,
    kind: findKind,
    actors: findActor,
    calls: calls.kind === 'all' ? '' : calls.kind,
    tool: calls.tool,
    server: calls.server,
    agent: calls.agent,
    text: calls.text,
    s: s === undefined ? '' : String(s),
  };
  for (const [name, value] of Object.entries(named)) if (value) parts.set(name, value);
  return parts.size === 0 ? '' : `#${parts.toString()}`;
}
function rangeIn(text: string): Range | undefined {
  const [from = NaN, to = NaN] = text.split('~').map((part) => (part === '' ? NaN : Number(part)));
  return from < to && Number.isFinite(to - from) ? { from, to } : undefined;
}
/** Reads a view from the fragment of an address. What is missing or unknown there gets its default. */
export function viewOf(fragment: string): LinkedView {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (name: string): string => parts.get(name) ?? '';
  const panel = text('panel');
  const kind = text('calls');
  const calls: CallFilter = {
    kind: isKind(kind) ? kind : 'all',
    tool: text('tool'),
    server: text('server'),
    agent: text('agent'),
    text: text('text'),
  };
  const s = Number(text('s'));
  return {
    panel: isPanel(panel) ? panel : undefined,
    actor: text('actor') || undefined,
    call: text('call') || undefined,
    incident: text('incident') || undefined,
    range: rangeIn(text('time')),
    find: text('find'),
    findKind: text('kind'),
    findActor: text('actors'),
    calls,
    ...(Number.isSafeInteger(s) && s > 0 && { s }),
  };
}
/** View of a page of several hosts. */
export interface FleetView {
  /** Index of the host that is shown alone; undefined for all together. */
  readonly host: number | undefined;
  /** Key of the call that is chosen in the list of all hosts. */
  readonly call: string | undefined;
}
/** Adds the view of a page of several hosts to a fragment; `inner` is the one of the host that is shown alone. */
export function fleetFragmentOf({ host, call }: FleetView, inner: string): string {
  const parts = new URLSearchParams(inner.replace(/^#/, ''));
  if (host !== undefined) parts.set('host', String(host));
  if (call !== undefined) parts.set('way', call);
  return parts.size === 0 ? '' : `#${parts.toString()}`;
}
export function fleetViewOf(fragment: string): FleetView {
  const parts = new URLSearchParams(fragment.replace(/^#/, ''));
  const host = parts.get('host') ?? '';
  return {
    host: /^\d{1,6}$/.test(host) ? Number(host) : undefined,
    call: parts.get('way') ?? undefined,
  };
}
/** Tells whether the Back button takes a change of the view back. A mere move within the view does not count. */
export const isHistoryStep = (before: Choice, after: Choice): boolean =>
  before.panel !== after.panel ||
  before.call !== after.call ||
  before.actor !== after.actor ||
  before.incident !== after.incident;
