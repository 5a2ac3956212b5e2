import { describe, expect, it } from 'vitest';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import { errorAck, failureResult } from '../../machines/protocol/messages/answers.ts';
import { KeptLately, Reasons } from './reasons.ts';

const told = (ev: object): DirectoryRecord =>
  ({ k: 'post', from: 'computer#1', a: 'host:computer.1', ev }) as DirectoryRecord;
const settled = (end: string, failure: object | null = null, more: object = {}): DirectoryRecord => {
  const call = { type: 'call.settled', ticket: 't', reqId: 'r', server: 'files', tool: 'read' };
  return told({ ...call, end, outcome: end, failure, ...more });
};
/** End of a call of an agent, on its computer and on the host of the agent, which reads the answer. */
const served = (...ended: Parameters<typeof settled>): DirectoryRecord =>
  ({ ...settled(...ended), from: 'computer/call:t#9', a: 'computer/link#2' }) as DirectoryRecord;
const asked = (...ended: Parameters<typeof settled>): DirectoryRecord =>
  ({ ...settled(...ended), from: 'agent/call:t#9', a: 'host:agent.1' }) as DirectoryRecord;
const asAgent = (result: object, tool = 'read'): DirectoryRecord =>
  asked('failed', null, { tool, server: '', result });
const changed = (stage: string, failure: object | null = null): DirectoryRecord =>
  told({ type: 'client.changed', server: 'files', stage, attempt: 1, failure, nextTryMs: null });
const lost = { code: 'ServerLost', message: 'it ended\n with code 3' } as const;

const reasonOf = (record: DirectoryRecord) => new Reasons().of(record);

describe('a reason to keep a trace', () => {
  const unknown = { outcome: 'unknown' };
  const left = errorAck({ code: 404, message: 'c1 left', details: { reason: 'left' } });
  const flawed = { content: [], isError: true };
  const running = { ending: { outcome: 'unknown', phase: 'running' } } as const;
  it.each([
    [settled('unknown', lost), 'callUnknown read: call read of files ended unknown: it ended with code 3'],
    [settled('timedOut', null, unknown), 'callUnknown read: call read of files ended unknown'],
    [settled('failed', lost, { server: '' }), 'callFailed read: call read failed: it ended with code 3'],
    [served('unknown', lost), 'callUnknown read: call read of files ended unknown: it ended with code 3'],
    [served('failed', lost), 'callFailed read: call read of files failed: it ended with code 3'],
    [
      asAgent(failureResult(lost, running)),
      'callUnknown read: call read ended unknown: it ended with code 3',
    ],
    [asAgent(left), 'callUnknown read: call read ended unknown: c1 left'],
    [asAgent(flawed), 'callFailed read: call read failed: The tool says that it failed'],
    [changed('open', lost), 'serverGaveUp files: server files gave up: it ended with code 3'],
    [changed('recovering', lost), 'serverLost files: server files was lost: it ended with code 3'],
    [{ k: 'end', a: 'a:1#2', why: 'failed', error: 'Error: bug' }, 'fault a:1: a:1#2 failed: Error: bug'],
    [{ k: 'defect', a: 'x', what: 'twice' }, 'fault x: x: twice'],
    [{ k: 'post', from: 'a', a: 'b', ev: { type: 'go' }, dead: 'lost' }, 'fault b: go to nobody at b'],
  ] as [DirectoryRecord, string][])('is found in case %#', (record, text) => {
    const found = reasonOf(record);
    expect(`${found?.on} ${found?.subject}: ${found?.what}`).toBe(text);
  });
  it.each([
    settled('cancelled', lost, unknown),
    settled('succeeded'),
    served('cancelled', lost, unknown),
    settled('cancelled', lost, { outcome: 'failed' }),
    asAgent(failureResult({ code: 'ToolCallCancelled', message: 'x' }, running)),
    served('succeeded'),
    asAgent({ content: [] }),
    asAgent(errorAck({ code: 404, message: 'gone' }), 'client:get_tools'),
    asked('timedOut', lost, { ...unknown, tool: 'client:get_tools', server: '' }),
    changed('ready'),
    changed('waiting', lost),
    // A missing input is a mistake of the config, so it is no failure that the recorder saves.
    changed('open', { code: 'InputNotFound', message: 'TOKEN' }),
    { k: 'post', from: 'a', a: 'b', ev: { type: 'call.settled', outcome: 'unknown' } } as DirectoryRecord,
    { k: 'end', a: 'x', why: 'done' } as DirectoryRecord,
  ])('is not found in case %#', (record) => {
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

describe('a reason that hangs on what came before', () => {
  const settle = settled('cancelled', lost, { outcome: 'unknown' });
  const cancel = (fields: object): DirectoryRecord =>
    ({
      ...{ k: 'in', via: 'host', a: 'computer' },
      ev: { type: 'call.cancel', ticket: 't', reason: 'x', ...fields },
    }) as never;
  it('a notice is told once for a loss, then more of it, with the words of its end', () => {
    const reasons = new Reasons();
    const told = [
      changed('recovering', { code: 'ServerLost', message: 'its stream broke' }),
      changed('recovering', lost),
      changed('waiting', lost),
      changed('waiting', lost),
    ].map((record) => reasons.of(record));
    expect(told.map((one) => one && [one.what, one.isMore, one.isOpen])).toEqual([
      ['server files was lost: its stream broke', false, true],
      ['server files was lost: it ended with code 3', true, true],
      ['server files was lost: it ended with code 3', true, false],
      undefined,
    ]);
  });
  const gone = settled('failed', { code: 4001, message: 'none' });
  const raw = (content: unknown): DirectoryRecord =>
    ({
      ...{ k: 'in', via: 'ask', id: 'call', a: 'computer/call:t#9' },
      ev: { type: 'ask.answered', id: 'call', result: { content } },
    }) as never;
  const good = served('succeeded');
  it.each([
    ['a signal that a time limit aborted', [cancel({ timedOut: true }), settle], 'callUnknown'],
    ['a signal that a program aborted', [cancel({}), settle], undefined],
    ['the time limit of another call', [cancel({ timedOut: true, ticket: 'u' }), settle], undefined],
    ['a tool that is not known', [gone], 'callFailed, wanted'],
    ['a text without its text', [raw([{ type: 'text' }]), good], 'outputMismatch'],
    ['an item that is none', [raw([null]), good], 'outputMismatch'],
    ['a content that is a text', [raw('7'), good], undefined],
    ['a null of the Python SDK', [raw([{ type: 'text', text: 'x', annotations: null }]), good], undefined],
  ] as [string, DirectoryRecord[], string | undefined][])('is told for %s', (_, records, word) => {
    const reasons = new Reasons();
    const found = records.map((record) => reasons.of(record)).at(-1);
    expect(found && found.on + (found.isWanted ? ', wanted' : '')).toBe(word);
  });
  const meta = { a2c_output_mismatch: ['n: must be number'] };
  it.each([
    ['at its computer', settled('succeeded', null, { result: { meta } })],
    ['at the agent', asAgent({ content: [], meta })],
  ])('is told for a broken schema %s', (_, ended) => {
    expect(new Reasons().of(ended)).toMatchObject({
      on: 'outputMismatch',
      what: expect.stringMatching(/^the result of call read.* breaks its schema: n: must be number$/),
    });
  });
  it.each([
    [4005, 'the confirmation was denied', true],
    ['NotPermitted', 'the rule says deny', true],
    [4002, 'disabled', true],
    ['ArgumentsInvalid', 'sum: must be number', undefined],
    [4003, 'no route to bank', undefined],
  ])('is known for a decision: %s', (code, message, isWanted) => {
    const failed = reasonOf(settled('refused', { code, message }, { outcome: 'failed' }));
    expect(failed?.isWanted).toBe(isWanted);
  });
});

describe('minor failures of a host that named no words', () => {
  const failed = (code: number | string, text = 'no such file 7', more = {}) =>
    ({ on: 'callFailed', subject: 'read', code: String(code), what: text, ...more }) as const;
  it.each([
    ['the same once', [failed(1), failed(1), failed(1, 'no such file 8')], [true, false, false]],
    ['each code', [failed(1), failed(2)], [true, true]],
    ['none that is wanted', [failed(1, 'x', { isWanted: true })], [false]],
  ])('are written: %s', (_, reasons, taken) => {
    const lately = new KeptLately(true);
    expect(reasons.map((reason, n) => lately.take(reason, n * 120_000))).toEqual(taken);
  });
});

describe('files a minute', () => {
  const reason = (n: number) => ({ on: 'fault', subject: `s${n}`, what: '', code: '' }) as const;
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
