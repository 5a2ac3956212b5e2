import { isUtf8 } from 'node:buffer';
import { expect } from 'vitest';
import {
  callOf,
  initializeOf,
  textOf,
  type Message,
  type Peer,
  type Rule,
  type Rules,
  type Start,
} from './fault-server-harness.ts';
import { meeting, saidIn } from './fault-server-remote.ts';

const answered = async (start: Start, fault: object): Promise<Message> => {
  const peer = start({ faults: [{ times: 1, ...fault }] });
  peer.call(1);
  const answer = await peer.answer(1);
  peer.call(2);
  expect(textOf(await peer.answer(2))).toBe('text 2');
  return answer;
};
const rule = (title: string, holds: Rule['holds']): Rule => ({ rule: title, holds });
const met = async (start: Start, fault: object): Promise<Peer> => {
  const peer = start({ faults: [fault] });
  peer.call(1);
  await peer.answer(1);
  return peer;
};
const bytesOf = (text: string): number => Buffer.byteLength(text);
const changed = (list = 'tools'): string => `notifications/${list}/list_changed`;
const told = ({ messages }: Peer): Message[] => messages.filter(({ method }) => method === changed());
const list = (peer: Peer, id: number, cursor?: unknown): Promise<Message> => {
  peer.send({ id, method: 'tools/list', ...(cursor !== undefined && { params: { cursor } }) });
  return peer.answer(id);
};
const toolsIn = ({ result }: Message): readonly { name: string; description: string }[] =>
  (result?.['tools'] ?? []) as { name: string; description: string }[];
const namesIn = (answer: Message): string[] => toolsIn(answer).map(({ name }) => name);
const cursorIn = ({ result }: Message): unknown => result?.['nextCursor'];
const tools = { read: {}, write: {} };
const called = async (start: Start, fault: object): Promise<Peer> => {
  const peer = start({ name: 'fs', tools, faults: [fault] });
  peer.call(1, 'read');
  await peer.answer(1);
  return peer;
};

/**
 * Rules for the words that a host does not notice. Where any other word did nothing, a story with it would differ when
 * it is played for real.
 */
export const rules: Rules = {
  'proc.stderrFlood': rule(
    'writes so many bytes, and it answers whether anybody reads them or not',
    async (start) => {
      const bytes = 1_500_000;
      const peer = start({ faults: [{ fault: 'proc.stderrFlood', bytes }] }, { leavesStderr: true });
      peer.call(1);
      expect(textOf(await peer.answer(1))).toBe('text 1');
      expect(peer.stderr).toBe('');
      peer.readStderr();
      await peer.until(({ stderr }) => stderr.length >= bytes);
      await peer.ping();
      expect(await peer.leave()).toEqual({ code: 0, signal: null });
      expect(peer.stderr).toHaveLength(bytes);
    },
  ),
  'frame.slicer': rule('cuts what leaves every n bytes', async (start) => {
    // Sending takes a second: no host is too busy to read it in several parts.
    const peer = await met(start, { fault: 'frame.slicer', n: 10, gapMs: 100 });
    expect(textOf(peer.answersTo(1)[0])).toBe('text 1');
    const lengths = peer.chunks.map(({ length }) => length);
    expect(lengths.length).toBeGreaterThan(1);
    // A host that is slow reads two at once.
    expect(lengths.slice(0, -1).every((length) => length % 10 === 0)).toBe(true);
  }),
  'frame.coalesce': rule('sends many messages in one write', async (start) => {
    const peer = start({ faults: [{ fault: 'frame.coalesce', ms: 40 }] });
    peer.send(callOf(1), callOf(2), callOf(3));
    await peer.answer(3);
    expect(peer.chunks).toHaveLength(1);
    expect(peer.messages.map(({ id }) => id)).toEqual([1, 2, 3]);
  }),
  'frame.crlf': rule('ends lines with CR LF', async (start) => {
    const peer = start({ faults: [{ fault: 'frame.crlf' }] });
    await peer.initialize();
    peer.call(1);
    await peer.answer(1);
    expect(peer.bytes.toString().split('\r\n')).toHaveLength(3);
    expect(peer.bytes.toString().split('\n')).toHaveLength(3);
  }),
  'frame.invalidUtf8': rule(
    'puts bytes into an answer that are not UTF-8, and a line stays a line',
    async (start) => {
      const peer = await met(start, { fault: 'frame.invalidUtf8', times: 1 });
      peer.call(2);
      await peer.answer(2);
      expect(isUtf8(peer.bytes)).toBe(false);
      expect(textOf(peer.answersTo(1)[0])).toBe('text 1\u{fffd}(\u{fffd}');
      expect(textOf(peer.answersTo(2)[0])).toBe('text 2');
    },
  ),
  'frame.garbageLine': rule('puts a line before an answer that is no message', async (start) => {
    const peer = await met(start, { fault: 'frame.garbageLine', text: 'not { json' });
    expect(peer.lines[0]).toBe('not { json');
  }),
  'frame.bannerOnStdout': rule('greets before anything else', async (start) => {
    const peer = start({ faults: [{ fault: 'frame.bannerOnStdout', text: 'My server v1\nlistening' }] });
    await peer.initialize();
    expect(peer.lines.slice(0, 2)).toEqual(['My server v1', 'listening']);
    expect(peer.lines).toHaveLength(3);
  }),
  'frame.oversize': rule('sends a message of exactly so many bytes that answers nobody', async (start) => {
    const peer = await met(start, { fault: 'frame.oversize', bytes: 2_000_000 });
    expect(textOf(peer.answersTo(1)[0])).toBe('text 1');
    expect(bytesOf(peer.lines[0] ?? '')).toBe(2_000_000);
    expect(peer.messages[0]).toMatchObject({ method: 'notifications/message' });
    expect(peer.messages[0]).not.toHaveProperty('id');
  }),
  'life.initSlow': rule('answers initialize so late', async (start) => {
    const peer = start({ faults: [{ fault: 'life.initSlow', ms: 60 }] });
    await peer.ping('before');
    const asked = performance.now();
    peer.send(initializeOf('2025-06-18'), { id: 'after', method: 'ping' });
    expect(await peer.answer(0)).toHaveProperty('result.serverInfo');
    expect(performance.now() - asked).toBeGreaterThanOrEqual(59);
    expect(peer.messages.map(({ id }) => id)).toEqual(['before', 'after', 0]);
  }),
  'life.requestBeforeReady': rule('asks the client before it answers initialize', async (start) => {
    const peer = start({ faults: [{ fault: 'life.requestBeforeReady' }] });
    await peer.initialize();
    expect(peer.messages).toMatchObject([{ method: 'roots/list' }, { id: 0, result: {} }]);
    expect(peer.messages[0]?.id).toBeDefined();
  }),
  'rpc.wrongType': rule(
    'has a string for a result, another type of id, or a number for jsonrpc',
    async (start) => {
      const odd = { jsonrpc: '2.0', id: 1, result: 'no object' };
      expect(await answered(start, { fault: 'rpc.wrongType' })).toEqual(odd);
      const peer = start({ faults: [{ fault: 'rpc.wrongType', of: 'id' }] });
      peer.call(1);
      expect(await peer.answer('1')).toHaveProperty('result.content');
      expect(await answered(start, { fault: 'rpc.wrongType', of: 'jsonrpc' })).toHaveProperty('jsonrpc', 2);
    },
  ),
  'rpc.duplicate': rule('answers n times, each time the same', async (start) => {
    const peer = start({ faults: [{ fault: 'rpc.duplicate', n: 3, times: 1 }] });
    peer.call(1);
    peer.call(2);
    await peer.answer(2);
    expect(peer.lines.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => peer.lines[0]));
    expect(peer.messages.map(({ id }) => id)).toEqual([1, 1, 1, 2]);
  }),
  'rpc.reorder': rule(
    'answers n calls from the last to the first, and one alone all the same',
    async (start) => {
      const peer = start({ faults: [{ fault: 'rpc.reorder', n: 3, ms: 30 }] });
      peer.send(callOf(1), callOf(2), callOf(3));
      await peer.answer(1);
      peer.call(4);
      await peer.answer(4);
      expect(peer.messages.map(({ id }) => id)).toEqual([3, 2, 1, 4]);
    },
  ),
  'rpc.cancelIgnored': rule('answers a cancelled call in its time', async (start) => {
    const peer = start({ tools: { slow: { takes: 40 } }, faults: [{ fault: 'rpc.cancelIgnored' }] });
    peer.send(callOf(1, 'slow'), { method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(textOf(await peer.answer(1))).toBe('text 1');
  }),
  'notify.storm': rule(
    'tells of changes on and on, begun once only, and has the tools that it had',
    async (start) => {
      const peer = await called(start, { fault: 'notify.storm', when: 'call', everyMs: 2 });
      await peer.until(() => told(peer).length >= 5);
      expect(namesIn(await list(peer, 2))).toEqual(['read', 'write']);
      const slow = await called(start, { fault: 'notify.storm', when: 'call', everyMs: 60_000 });
      slow.call(2, 'read');
      await slow.answer(2);
      expect(told(slow)).toHaveLength(1);
    },
  ),
  'notify.early': rule('tells of a change before it answers initialize', async (start) => {
    for (const when of ['start', 'initialize']) {
      const peer = start({ faults: [{ fault: 'notify.early', when }] });
      await peer.initialize();
      expect(peer.messages).toMatchObject([{ method: changed() }, { id: 0 }]);
    }
  }),
  'list.pages': rule('lists n tools a page, and ends with the last', async (start) => {
    const peer = start({ tools: { a: {}, b: {}, c: {} }, faults: [{ fault: 'list.pages', n: 2 }] });
    const first = await list(peer, 1);
    const second = await list(peer, 2, cursorIn(first));
    expect([namesIn(first), namesIn(second), cursorIn(second)]).toEqual([['a', 'b'], ['c'], undefined]);
    expect(await list(peer, 3, 'nowhere')).toHaveProperty('error.code', -32_602);
  }),
  'net.slow': rule('takes so long from the first byte of its answer to the last', async (start) => {
    const remote = await meeting(start, { fault: 'net.slow', ms: 70 });
    const slow = await remote.call(1);
    expect([saidIn(slow), slow.ms >= 69]).toEqual([['text 1'], true]);
  }),
};
