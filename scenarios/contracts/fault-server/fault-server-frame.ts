import { isUtf8 } from 'node:buffer';
import { expect } from 'vitest';
import { callOf, textOf, type Rules, type Peer } from './fault-server-harness.ts';

const bytesOf = (text: string): number => Buffer.byteLength(text);
const written = async (peer: Peer): Promise<void> => {
  while (peer.inputError === undefined)
    await new Promise((resolve) => {
      peer.child.stdin?.write('{}\n', () => setImmediate(resolve));
    });
};

const shapes: Rules = {
  'frame.slicer': {
    rule: 'cuts what leaves every n bytes',
    holds: async (start) => {
      // Sending takes a second: no host is too busy to read it in several parts.
      const peer = start({ faults: [{ fault: 'frame.slicer', n: 10, gapMs: 100 }] });
      peer.call(1);
      expect(textOf(await peer.answer(1))).toBe('text 1');
      const lengths = peer.chunks.map(({ length }) => length);
      expect(lengths.length).toBeGreaterThan(1);
      // A host that is slow reads two at once.
      expect(lengths.slice(0, -1).every((length) => length % 10 === 0)).toBe(true);
    },
  },
  'frame.coalesce': {
    rule: 'sends many messages in one write',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'frame.coalesce', ms: 40 }] });
      peer.send(callOf(1), callOf(2), callOf(3));
      await peer.answer(3);
      expect(peer.chunks).toHaveLength(1);
      expect(peer.messages.map(({ id }) => id)).toEqual([1, 2, 3]);
    },
  },
  'frame.crlf': {
    rule: 'ends lines with CR LF',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'frame.crlf' }] });
      await peer.initialize();
      peer.call(1);
      await peer.answer(1);
      expect(peer.bytes.toString().split('\r\n')).toHaveLength(3);
      expect(peer.bytes.toString().split('\n')).toHaveLength(3);
    },
  },
  'frame.invalidUtf8': {
    rule: 'puts bytes into an answer that are not UTF-8, and a line stays a line',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'frame.invalidUtf8', times: 1 }] });
      peer.call(1);
      peer.call(2);
      await peer.answer(2);
      expect(isUtf8(peer.bytes)).toBe(false);
      expect(textOf(peer.answersTo(1)[0])).toBe('text 1\u{fffd}(\u{fffd}');
      expect(textOf(peer.answersTo(2)[0])).toBe('text 2');
    },
  },
};

const lines: Rules = {
  'frame.garbageLine': {
    rule: 'puts a line before an answer that is no message',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'frame.garbageLine', text: 'not { json' }] });
      peer.call(1);
      await peer.answer(1);
      expect(peer.lines[0]).toBe('not { json');
    },
  },
  'frame.bannerOnStdout': {
    rule: 'greets before anything else',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'frame.bannerOnStdout', text: 'My server v1\nlistening' }] });
      await peer.initialize();
      expect(peer.lines.slice(0, 2)).toEqual(['My server v1', 'listening']);
      expect(peer.lines).toHaveLength(3);
    },
  },
  'frame.oversize': {
    rule: 'sends a message of exactly so many bytes that answers nobody',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'frame.oversize', bytes: 2_000_000 }] });
      peer.call(1);
      expect(textOf(await peer.answer(1))).toBe('text 1');
      expect(bytesOf(peer.lines[0] ?? '')).toBe(2_000_000);
      expect(peer.messages[0]).toMatchObject({ method: 'notifications/message' });
      expect(peer.messages[0]).not.toHaveProperty('id');
    },
  },
  'frame.partialThenDie': {
    rule: 'leaves half a line without its end, and then its code',
    holds: async (start) => {
      const answered = start({ faults: [{ fault: 'frame.partialThenDie', code: 5 }] });
      answered.call(1);
      const greeting = start({ faults: [{ fault: 'frame.partialThenDie', when: 'start', code: 6 }] });
      expect([await answered.ended(), await greeting.ended()]).toMatchObject([{ code: 5 }, { code: 6 }]);
      for (const { bytes, lines: whole } of [answered, greeting]) {
        expect(bytes.toString()).toMatch(/^\{"jsonrpc":"2\.0",.+[^}\n]$/);
        expect(whole).toEqual([]);
      }
    },
  },
};

const pipes: Rules = {
  'frame.epipe': {
    rule: 'breaks its input for a writer, and it lives',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'frame.epipe', when: 'call' }] });
      peer.call(1);
      expect(textOf(await peer.answer(1))).toBe('text 1');
      await written(peer);
      expect(['EPIPE', 'ECONNRESET']).toContain(peer.inputError);
      expect(peer.ending).toBeUndefined();
    },
  },
  'frame.backpressure': {
    rule: 'reads nothing for a while, so that writing stalls, and then all of it',
    holds: async (start) => {
      const peer = start({ faults: [{ fault: 'frame.backpressure', when: 'call', ms: 80, times: 1 }] });
      await peer.ping('before');
      const asked = performance.now();
      peer.call(1);
      await peer.answer(1);
      peer.call(2, 'echo', 'x'.repeat(1_000_000));
      expect(peer.child.stdin?.writableNeedDrain).toBe(true);
      await new Promise((resolve) => peer.child.stdin?.once('drain', resolve));
      expect(performance.now() - asked).toBeGreaterThanOrEqual(79);
      expect(textOf(await peer.answer(2))).toHaveLength(1_000_000);
    },
  },
};

export const frameRules: Rules = { ...shapes, ...lines, ...pipes };
