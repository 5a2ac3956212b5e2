import { describe, expect, it } from 'vitest';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import { errorAck, failureResult } from '../../machines/protocol/index.ts';
import { KeptLately, reasonOf } from './flight-recorder.ts';

const told = (ev: object): DirectoryRecord =>
  ({ k: 'post', from: 'computer#1', a: 'host:computer.1', ev }) as DirectoryRecord;
const settled = (fields: object): DirectoryRecord =>
  told({ type: 'call.settled', ticket: 't', reqId: 'r', server: 'files', tool: 'read', ...fields });
/** End of a call of an agent, on its computer and on the host of the agent, which reads the answer. */
const served = (fields: object): DirectoryRecord =>
  ({ ...settled(fields), from: 'computer/call:t#9', a: 'computer/link#2' }) as DirectoryRecord;
const asAgent = (result: object, tool = 'read'): DirectoryRecord => ({
  ...settled({ tool, server: '', end: 'failed', outcome: 'failed', failure: null, result }),
  ...{ from: 'agent/call:t#9', a: 'host:agent.1' },
});
const changed = (stage: string, failure: object | null = null): DirectoryRecord =>
  told({ type: 'client.changed', server: 'files', stage, attempt: 1, failure, nextTryMs: null });
const lost = { code: 'ServerLost', message: 'it ended\n with code 3' } as const;

describe('a reason to keep a trace', () => {
  it.each([
    [
      settled({ end: 'unknown', outcome: 'unknown', failure: lost }),
      'callUnknown read',
      'call read of files ended unknown: it ended with code 3',
    ],
    [
      settled({ end: 'timedOut', outcome: 'unknown', failure: null }),
      'callUnknown read',
      'call read of files ended unknown',
    ],
    [
      settled({ end: 'failed', outcome: 'failed', server: '', failure: lost }),
      'callFailed read',
      'call read failed: it ended with code 3',
    ],
    [
      served({ end: 'unknown', outcome: 'unknown', failure: lost }),
      'callUnknown read',
      'call read of files ended unknown: it ended with code 3',
    ],
    [
      served({ end: 'failed', outcome: 'failed', failure: lost }),
      'callFailed read',
      'call read of files failed: it ended with code 3',
    ],
    [
      asAgent(failureResult(lost, { ending: { outcome: 'unknown', phase: 'running' } })),
      'callUnknown read',
      'call read ended unknown: it ended with code 3',
    ],
    [
      asAgent(errorAck({ code: 404, message: 'c1 left', details: { reason: 'left' } })),
      'callUnknown read',
      'call read ended unknown: c1 left',
    ],
    [asAgent({ content: [], isError: true }), 'callFailed read', 'call read failed'],
    [changed('open', lost), 'serverGaveUp files', 'server files gave up: it ended with code 3'],
    [changed('recovering', lost), 'serverLost files', 'server files was lost: it ended with code 3'],
    [
      { k: 'end', a: 'call:1#2', why: 'failed', error: 'Error: bug' },
      'fault call:1',
      'call:1#2 failed: Error: bug',
    ],
    [{ k: 'defect', a: 'x', what: 'twice' }, 'fault x', 'x: twice'],
    [{ k: 'post', from: 'a', a: 'b', ev: { type: 'go' }, dead: 'lost' }, 'fault b', 'go to nobody at b'],
  ] as [DirectoryRecord, string, string][])('is %#', (record, word, what) => {
    const { on, subject, ...rest } = reasonOf(record) ?? { on: '', subject: '', what: '' };
    expect([`${on} ${subject}`, rest.what]).toEqual([word, what]);
  });
  it.each([
    settled({ end: 'cancelled', outcome: 'unknown', failure: lost }),
    settled({ end: 'succeeded', outcome: 'succeeded', failure: null }),
    served({ end: 'cancelled', outcome: 'unknown', failure: lost }),
    served({ end: 'succeeded', outcome: 'succeeded', failure: null }),
    asAgent({ content: [] }),
    asAgent(errorAck({ code: 404, message: 'gone' }), 'client:get_tools'),
    {
      ...settled({
        tool: 'client:get_tools',
        server: '',
        end: 'timedOut',
        outcome: 'unknown',
        failure: lost,
      }),
      ...{ from: 'agent/call:t#9', a: 'host:agent.1' },
    } as DirectoryRecord,
    changed('ready'),
    changed('waiting', lost),
    // A missing input is a mistake of the config, so it is no failure that the recorder saves.
    changed('open', { code: 'InputNotFound', message: 'TOKEN' }),
    { k: 'post', from: 'a', a: 'b', ev: { type: 'call.settled', outcome: 'unknown' } } as DirectoryRecord,
    { k: 'end', a: 'x', why: 'done' } as DirectoryRecord,
  ])('is none: %#', (record) => {
    expect(reasonOf(record)).toBeUndefined();
  });
  it('is one line of at most 300 characters, whatever a server says', () => {
    const message = `\u001B[2J${'x\r\n'.repeat(1_000)}`;
    const { what } = reasonOf(changed('open', { code: 'X', message })) ?? { what: '' };
    expect(what).toMatch(/^server files gave up: {2}\[2Jx x /);
    expect(what).toHaveLength(300);
    expect(what).not.toMatch(/\p{Cc}/u);
  });
});

describe('files a minute', () => {
  const reason = (n: number) => ({ on: 'fault', subject: `s${n}`, what: '' }) as const;
  it('are one for a reason and its subject', () => {
    const lately = new KeptLately();
    const taken = [0, 1, 59_999, 60_000, 60_001].map((now) => lately.take(reason(1), now));
    expect(taken).toEqual([true, false, false, true, false]);
  });
  it('are ten in all', () => {
    const lately = new KeptLately();
    const taken = Array.from({ length: 30 }, (_, n) => lately.take(reason(n), n));
    expect(taken.filter(Boolean)).toHaveLength(10);
    expect(lately.take(reason(99), 60_000)).toBe(true);
    expect(lately.take(reason(98), 60_000)).toBe(false);
  });
});
