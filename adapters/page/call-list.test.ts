import { describe, expect, it } from 'vitest';
import { doesAfter, listCalls, noFilter, phasesOf } from './call-list.ts';
import type { Call, CallEnd, CallMoment } from '../../machines/incidents/calls.ts';

const callOf = (ticket: string, more: Partial<Call> = {}): Call => ({
  ...{ ticket, reqId: ticket, tool: 'read', agent: '', isByPage: false, computer: '', params: {} },
  ...{ timeoutMs: 0, from: 0, server: 'db', address: '', moments: [] },
  ...more,
});
const ended = (at: number, outcome: string, more: Partial<CallEnd> = {}): CallEnd => ({
  ...{ at, outcome, end: outcome, phase: '', failure: {}, result: null },
  ...more,
});
const all = [
  callOf('r1', { ended: ended(10, 'succeeded', { result: { content: [{ type: 'text', text: 'Oslo' }] } }) }),
  callOf('r2', { from: 5, tool: 'write', agent: 'ann', ended: ended(25, 'failed') }),
  callOf('r3', { from: 6, server: 'mail', params: { to: 'bob' }, ended: ended(906, 'unknown') }),
  callOf('r4', { from: 7, ended: ended(9, 'failed', { end: 'cancelled' }) }),
  callOf('r5', { from: 8, server: '', computer: 'desk' }),
];
const ticketsOf = (filter: object, at = 1_000): readonly string[] =>
  listCalls(all, { ...noFilter, ...filter }, at).calls.map(({ ticket }) => ticket);

describe('the list of calls', () => {
  it('has the newest first, as they were at a moment', () => {
    expect(ticketsOf({})).toEqual(['r5', 'r4', 'r3', 'r2', 'r1']);
    expect(ticketsOf({}, 6)).toEqual(['r3', 'r2', 'r1']);
  });
  it('selects by outcome; a call that was cancelled did not fail', () => {
    expect(ticketsOf({ kind: 'failed' })).toEqual(['r2']);
    expect(ticketsOf({ kind: 'unknown' })).toEqual(['r3']);
    expect(ticketsOf({ kind: 'waiting' })).toEqual(['r5']);
    expect(ticketsOf({ kind: 'waiting' }, 20)).toEqual(['r5', 'r3', 'r2']);
  });
  it('selects by tool, server, and who asked; a call without a server belongs to its computer', () => {
    expect(ticketsOf({ tool: 'write' })).toEqual(['r2']);
    expect(ticketsOf({ server: 'desk' })).toEqual(['r5']);
    expect(ticketsOf({ agent: 'ann' })).toEqual(['r2']);
    expect(ticketsOf({ agent: 'the host itself' })).toEqual(['r5', 'r4', 'r3', 'r1']);
  });
  it('finds all words, in any case, in arguments and results, also in those of a call that ended since', () => {
    expect(ticketsOf({ text: 'oslo' })).toEqual(['r1']);
    expect(ticketsOf({ text: 'BOB mail' })).toEqual(['r3']);
    expect(ticketsOf({ text: 'bob oslo' })).toEqual([]);
    const call = callOf('r6', { params: { to: 'eve' } });
    const find = (): number => listCalls([call], { ...noFilter, text: 'sent' }, 50).calls.length;
    expect(find()).toBe(0);
    call.ended = ended(20, 'succeeded', { result: 'sent' });
    expect(find()).toBe(1);
  });
  it('counts the kinds among what the other filters select, and the durations of what is listed', () => {
    expect(listCalls(all, { ...noFilter, kind: 'failed' }, 1_000)).toMatchObject({
      counts: { all: 5, failed: 1, unknown: 1, waiting: 1 },
      p50: 20,
      p99: 20,
      servers: ['db', 'desk', 'mail'],
    });
    expect(listCalls(all, { ...noFilter, server: 'db' }, 1_000).counts).toMatchObject({ all: 3, unknown: 0 });
    expect(listCalls(all, noFilter, 1_000)).toMatchObject({ p50: 10, p99: 900 });
    expect(listCalls([all[4] as Call], noFilter, 1_000)).toMatchObject({ p50: undefined, p99: undefined });
  });
});

describe('phases of a call', () => {
  const moment = (step: CallMoment['step'], at: number, text = ''): CallMoment => ({ step, at, s: at, text });
  const call = callOf('r1', {
    ended: ended(100, 'succeeded'),
    moments: [
      moment('asked', 0),
      moment('found', 10, 'ask: no rule'),
      moment('person asked', 11),
      moment('person answered', 40, 'allow'),
      moment('sent', 41),
      moment('progress', 60, 'half'),
      moment('answered', 98),
      moment('ended', 100, 'succeeded'),
    ],
  });
  it('lie one after another, and have what the call did in them', () => {
    const phases = phasesOf(call, 1_000);
    expect(phases.map((phase) => [phase.from, phase.to, doesAfter(phase, call)])).toEqual([
      [0, 10, 'looks for the server of the tool'],
      [10, 11, 'ask: no rule'],
      [11, 40, 'waits for a person'],
      [40, 41, 'allow'],
      [41, 98, 'db works'],
      [98, 100, 'carried back to the asker'],
      [100, 100, 'succeeded'],
    ]);
    expect(phases[4]?.progress).toMatchObject([{ at: 60, text: 'half' }]);
  });
  it('end at the moment shown, while the call is under way', () => {
    expect(phasesOf(call, 30).at(-1)).toMatchObject({ step: 'person asked', from: 11, to: 30 });
  });
});
