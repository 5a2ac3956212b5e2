import { expect } from 'vitest';
import {
  callOf,
  initializeOf,
  textOf,
  type Rules,
  type Message,
  type Start,
} from './fault-server-harness.ts';

const handshake = async (start: Start, fault: object): Promise<Message> =>
  start({ faults: [fault] }).initialize();
const called = async (start: Start, fault: object): Promise<Message> => {
  const peer = start({ faults: [{ times: 1, ...fault }] });
  peer.call(1);
  const answer = await peer.answer(1);
  peer.call(2);
  expect(textOf(await peer.answer(2))).toBe('text 2');
  return answer;
};

const life: Rules = {
  'life.initNever': {
    rule: 'leaves initialize without an answer, and everything else not',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'life.initNever' }] });
      peer.send(initializeOf('2025-06-18'));
      await peer.ping();
      expect(await peer.leave()).toEqual({ code: 0, signal: null });
      expect(peer.answersTo(0)).toEqual([]);
    },
  },
  'life.initSlow': {
    rule: 'answers initialize so late',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'life.initSlow', ms: 60 }] });
      await peer.ping('before');
      const asked = performance.now();
      peer.send(initializeOf('2025-06-18'), { id: 'after', method: 'ping' });
      expect(await peer.answer(0)).toHaveProperty('result.serverInfo');
      expect(performance.now() - asked).toBeGreaterThanOrEqual(59);
      expect(peer.messages.map(({ id }) => id)).toEqual(['before', 'after', 0]);
    },
  },
  'life.initError': {
    rule: 'refuses initialize with its code and text',
    holds: async (start) => {
      const answer = await handshake(start, { fault: 'life.initError', code: -32001, message: 'closed' });
      expect(answer).toEqual({ jsonrpc: '2.0', id: 0, error: { code: -32001, message: 'closed' } });
    },
  },
  'life.versionMismatch': {
    rule: 'answers with a version that nobody asked for',
    holds: async (start) => {
      const answer = await handshake(start, { fault: 'life.versionMismatch', version: '1999-01-01' });
      expect(answer).toHaveProperty('result.protocolVersion', '1999-01-01');
    },
  },
  'life.capabilityMissing': {
    rule: 'does not declare what it can do',
    holds: async (start) => {
      const answer = await handshake(start, { fault: 'life.capabilityMissing' });
      expect(answer.result?.['capabilities']).toEqual({ logging: {} });
    },
  },
  'life.requestBeforeReady': {
    rule: 'asks the client before it answers initialize',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'life.requestBeforeReady' }] });
      await peer.initialize();
      expect(peer.messages).toMatchObject([{ method: 'roots/list' }, { id: 0, result: {} }]);
      expect(peer.messages[0]?.id).toBeDefined();
    },
  },
};

const wrong: Rules = {
  'rpc.error': {
    rule: 'answers with its error',
    holds: async (start) => {
      const answer = await called(start, { fault: 'rpc.error', code: -32011, message: 'no' });
      expect(answer).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32011, message: 'no' } });
    },
  },
  'rpc.isError': {
    rule: 'answers with a result that says it failed',
    holds: async (start) => {
      const answer = await called(start, { fault: 'rpc.isError', text: 'gone' });
      expect(answer.result).toEqual({ content: [{ type: 'text', text: 'gone' }], isError: true });
    },
  },
  'rpc.wrongType': {
    rule: 'has a string for a result, another type of id, or a number for jsonrpc',
    holds: async (start) => {
      expect(await called(start, { fault: 'rpc.wrongType' })).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: 'no object',
      });
      const peer = start({ faults: [{ fault: 'rpc.wrongType', of: 'id' }] });
      peer.call(1);
      expect(await peer.answer('1')).toHaveProperty('result.content');
      expect(await called(start, { fault: 'rpc.wrongType', of: 'jsonrpc' })).toHaveProperty('jsonrpc', 2);
    },
  },
  'rpc.schemaMismatch': {
    rule: 'has an object for a result that is none of MCP',
    holds: async (start) => {
      const answer = await called(start, { fault: 'rpc.schemaMismatch' });
      expect(answer.result).toEqual({ content: 'no list' });
      const listing = start({ faults: [{ fault: 'rpc.schemaMismatch', when: 'list' }] });
      listing.send({ id: 1, method: 'tools/list' });
      expect((await listing.answer(1)).result).toEqual({ tools: {} });
    },
  },
  'rpc.unknownId': {
    rule: 'answers under another id, and never under the right one',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'rpc.unknownId' }] });
      peer.call(1);
      await peer.until(({ messages }) => messages.some((message) => textOf(message) === 'text 1'));
      await peer.leave();
      expect(peer.messages).toHaveLength(1);
      expect(peer.messages[0]?.id).not.toBe(1);
    },
  },
  'rpc.duplicate': {
    rule: 'answers n times, each time the same',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'rpc.duplicate', n: 3, times: 1 }] });
      peer.call(1);
      peer.call(2);
      await peer.answer(2);
      expect(peer.lines.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => peer.lines[0]));
      expect(peer.messages.map(({ id }) => id)).toEqual([1, 1, 1, 2]);
    },
  },
  'rpc.hugeResult': {
    rule: 'answers with so many bytes of text',
    holds: async (start) => {
      expect(textOf(await called(start, { fault: 'rpc.hugeResult', bytes: 3_000_000 }))).toHaveLength(
        3_000_000,
      );
    },
  },
};

const timing: Rules = {
  'rpc.never': {
    rule: 'leaves initialize, a list or a call without an answer',
    holds: async (start) => {
      const faults = ['initialize', 'list', 'call'].map((when) => ({ fault: 'rpc.never', when }));
      const peer = start({ faults });
      peer.send(initializeOf('2025-06-18'), { id: 1, method: 'tools/list' }, callOf(2));
      await peer.ping();
      await peer.leave();
      expect(peer.messages.map(({ id }) => id)).toEqual(['ping']);
    },
  },
  'rpc.late': {
    rule: 'answers so late, after what was asked later',
    holds: async (start) => {
      const peer = start({
        tools: { read: {}, echo: {} },
        faults: [{ fault: 'rpc.late', tool: 'read', ms: 60 }],
      });
      await peer.ping();
      const asked = performance.now();
      peer.send(callOf(1, 'read'), callOf(2));
      await peer.answer(1);
      expect(performance.now() - asked).toBeGreaterThanOrEqual(59);
      expect(peer.messages.map(({ id }) => id)).toEqual(['ping', 2, 1]);
    },
  },
  'rpc.reorder': {
    rule: 'answers n calls from the last to the first, and one alone all the same',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'rpc.reorder', n: 3, ms: 30 }] });
      peer.send(callOf(1), callOf(2), callOf(3));
      await peer.answer(1);
      peer.call(4);
      await peer.answer(4);
      expect(peer.messages.map(({ id }) => id)).toEqual([3, 2, 1, 4]);
    },
  },
  'rpc.answerAfterCancel': {
    rule: 'answers when the call is cancelled, and not before',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'rpc.answerAfterCancel' }] });
      peer.call(1);
      await peer.ping();
      expect(peer.answersTo(1)).toEqual([]);
      peer.cancel(1);
      expect(textOf(await peer.answer(1))).toBe('text 1');
    },
  },
  'rpc.cancelIgnored': {
    rule: 'answers a cancelled call in its time',
    holds: async (start) => {
      const peer = start({ tools: { slow: { takes: 40 } }, faults: [{ fault: 'rpc.cancelIgnored' }] });
      peer.send(callOf(1, 'slow'), { method: 'notifications/cancelled', params: { requestId: 1 } });
      expect(textOf(await peer.answer(1))).toBe('text 1');
    },
  },
  'rpc.progressForever': {
    rule: 'tells progress on and on, until the call is cancelled, and never answers',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'rpc.progressForever', everyMs: 2 }] });
      peer.call(1);
      const told = (): Message[] => peer.messages.filter(({ method }) => method === 'notifications/progress');
      await peer.until(() => told().length >= 5);
      expect(told()[4]?.params).toEqual({ progressToken: 'token 1', progress: 5 });
      peer.cancel(1);
      await peer.ping();
      const last = told().length;
      await peer.leave();
      expect(told()).toHaveLength(last);
      expect(peer.answersTo(1)).toEqual([]);
    },
  },
  'rpc.progressStall': {
    rule: 'tells some progress, and then nothing',
    holds: async (start) => {
      const fault = { fault: 'rpc.progressStall', tool: 'echo', n: 2, everyMs: 2 };
      const peer = start({ tools: { echo: {}, slow: { takes: 20 } }, faults: [fault] });
      peer.call(1);
      await peer.until(({ messages }) => messages.length === 2);
      peer.call(2, 'slow');
      await peer.answer(2);
      expect(peer.messages).toMatchObject([
        { params: { progressToken: 'token 1', progress: 1 } },
        { params: { progressToken: 'token 1', progress: 2 } },
        { id: 2 },
      ]);
    },
  },
};

export const lifeRules: Rules = life;
export const rpcRules: Rules = { ...wrong, ...timing };
