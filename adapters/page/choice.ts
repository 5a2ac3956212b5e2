import { callKinds, noFilter, type CallFilter, type CallKind } from './call-list.ts';
import type { Range } from './values.ts';

/** In the fragment of the address, after the token, so that a link, the Back button and a reload keep the view. */

export const panels = ['servers', 'chart', 'lanes', 'calls', 'records', 'collections', 'messages'] as const;
export type Panel = (typeof panels)[number];
export interface Choice {
  readonly panel: Panel;
  readonly actor: string | undefined;
  /** Index of the record whose moment is shown; undefined for the present, or for the end of a file. */
  readonly moment: number | undefined;
  readonly range: Range | undefined;
  readonly find: string;
  readonly findKind: string;
  readonly findActor: string;
  readonly calls: CallFilter;
  /** Tells whether the tree of actors is shown; when undefined, the panel decides. */
  readonly tree: boolean | undefined;
  readonly call: string | undefined;
  readonly incident: string | undefined;
}
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

const ofActors: ReadonlySet<Panel> = new Set(['chart', 'lanes', 'records', 'messages']);
export const isTreeShown = ({ tree, panel }: Choice): boolean => tree ?? ofActors.has(panel);
/** For other views the host leaves out the records inside of calls. */
export const needsRecords = (choice: Choice): boolean =>
  choice.tree === true ||
  ofActors.has(choice.panel) ||
  choice.panel === 'collections' ||
  (choice.panel === 'calls' && choice.call !== undefined);

/** `s` is the number of the record whose moment is shown. */
export interface LinkedView extends Partial<Omit<Choice, 'moment' | 'tree' | 'panel'>> {
  readonly panel: Panel | undefined;
  readonly s?: number;
}
const isPanel = (text: string): text is Panel => (panels as readonly string[]).includes(text);
const isKind = (text: string): text is CallKind => (callKinds as readonly string[]).includes(text);

export function withToken(present: string): string {
  const token = new URLSearchParams(present.replace(/^#/, '')).get('token');
  return token === null ? '' : `#${new URLSearchParams({ token }).toString()}`;
}
/** After the token that the present fragment has; `home` is the panel that needs no name. */
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
/** What is missing or unknown there gets its default. */
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
export interface FleetView {
  readonly host: number | undefined;
  readonly call: string | undefined;
}
/** `inner` is the fragment of the host that is shown alone. */
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
/** A mere move within the view does not count. */
export const isHistoryStep = (before: Choice, after: Choice): boolean =>
  before.panel !== after.panel ||
  before.call !== after.call ||
  before.actor !== after.actor ||
  before.incident !== after.incident;
