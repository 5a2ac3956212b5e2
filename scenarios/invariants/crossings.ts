import type { EventObject } from 'xstate';
import { timing as usual, type Timing } from '../../machines/kernel/timing.ts';
import type { Crossing } from '../../machines/trace/channels.ts';
import { fieldsOfEvent, type Crossed } from './invariant.ts';

/** Timers of Node fire up to 1 ms early, and the times of records are rounded. */
export const earlyMs = 2;

/** As `sees` names it: the type of the event, and for a question also its method. */
export function wordOf({ k, ch, ev }: Crossing): string {
  if (ch.startsWith('ask '))
    return `${k === 'in' ? 'ask' : (ev?.type ?? '')} ${ch.slice(4, ch.indexOf(' ', 4))}`;
  if (k === 'draw') return ch.slice(0, Math.max(0, ch.indexOf(' ')));
  return ev?.type ?? 'timer';
}
/** `files` of `process:files/1`, `c1` of `link:computer:c1/2`. */
export const subjectOf = (ch: string, prefix: string): string => ch.slice(prefix.length, ch.lastIndexOf('/'));
/** `files` of `ask tools/call of files {…}/2`. */
export function askedServer(ch: string): string {
  const end = ch.indexOf(' {');
  return ch.slice(ch.indexOf(' of ') + 4, end < 0 ? ch.lastIndexOf('/') : end);
}
export const isProcess = (ch: string): boolean => ch.startsWith('process:');
export const isLink = (ch: string): boolean => ch.startsWith('link:');
export const isAgent = (ch: string): boolean => ch.startsWith('host:agent');
/** Without its number, which is `/2` for the second of two computers in one process (`host:computer/2`). */
export const hostOf = (ch: string): string => ch.replace(/\/\d+$/, '');
export const timingIn = (ev: EventObject | undefined): Timing => ({
  ...usual,
  ...fieldsOfEvent<{ timing: Partial<Timing> }>(ev).timing,
});
type Named = { readonly ticket: string; readonly reqId: string };
export function ticketIn(ev: EventObject | undefined): string {
  const { ticket, reqId } = fieldsOfEvent<Named>(ev);
  return ticket ?? `host.${reqId}`;
}
/** Its host, unless the order names another. */
export const askerOf = ({ ch, ev }: Crossing): string =>
  hostOf(fieldsOfEvent<{ replyTo: string }>(ev).replyTo ?? ch);
export const isGone = ({ k, ev }: Crossing): boolean => ev?.type === (k === 'in' ? 'link.down' : 'close');
/** It never ran, its group is empty, or it was released and killed. */
export function isEnded({ k, ch, ev }: Crossing): boolean {
  if (!isProcess(ch)) return false;
  const { type, left } = fieldsOfEvent<{ left: number }>(ev);
  if (k === 'out') return type === 'close';
  return type === 'group.emptied' || type === 'child.failed' || (type === 'child.exited' && left === 0);
}

/** A number between two crossings lets that many ms pass. */
export function crossingsOf(...told: readonly (Crossing | number)[]): readonly Crossed[] {
  let at = 0;
  const seen: Crossed[] = [];
  for (const each of told)
    if (typeof each === 'number') at += each;
    else seen.push({ at, crossing: each });
  return seen;
}
const crosses =
  (k: 'in' | 'out' | 'said') =>
  (ch: string, type: string, fields: object = {}, req?: string): Crossing => ({
    k,
    ch,
    ev: { type, ...fields },
    ...(req !== undefined && { req }),
  });
/** From the world to the host, from the host to the world, and news to its user. */
export const crossingIn = crosses('in');
export const crossingOut = crosses('out');
export const hears = crosses('said');
export const drawCrossing = (ch: string, v: unknown, req: string): Crossing => ({ k: 'draw', ch, v, req });
export const hostCalls = (host: string, more: object = {}, req = 'r1'): Crossing =>
  crossingIn(host, 'callTool', { reqId: req, tool: 'read', ...more }, req);
export const settles = (host: string, req = 'r1'): Crossing =>
  hears(host, 'call.settled', { reqId: req }, req);
export const agentCalls = (req = 'r1', more: object = {}): Crossing =>
  crossingIn('link:computer:c1/1', 'agent.called', { ticket: `1.${req}`, reqId: req, ...more }, req);
export const callSent = (req = 'r1', server = 'files', n = 1): Crossing =>
  crossingOut(
    `ask tools/call of ${server} {"name":"read"}/${n}`,
    'ask',
    { method: 'tools/call', params: { name: 'read' } },
    req,
  );
export const answers = (type = 'ask.answered', fields: object = {}, req = 'r1', n = 1): Crossing =>
  crossingIn(`ask tools/call of files {"name":"read"}/${n}`, type, fields, req);
export const computerStarts = (timing: Partial<Timing> = {}, more: object = {}): Crossing =>
  crossingIn('host:computer', 'createComputer', { timing, ...more });
export const timerFires: Crossing = { k: 'in', ch: 'timer quiet 50/1' };
