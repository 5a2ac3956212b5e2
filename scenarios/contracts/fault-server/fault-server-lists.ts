import { expect } from 'vitest';
import type { Rules, Message, Peer, Start } from './fault-server-harness.ts';

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

const notify: Rules = {
  'notify.burst': {
    rule: 'has another tool n times, says so n times, and has the last one then, which can be called',
    holds: async (start) => {
      const peer = await called(start, { fault: 'notify.burst', n: 5, withinMs: 3, times: 1 });
      await peer.until(() => told(peer).length === 5);
      expect(namesIn(await list(peer, 2))).toEqual(['read', 'write', 'fs.new5']);
      peer.call(3, 'fs.new5');
      peer.call(4, 'fs.new4');
      expect(await peer.answer(3)).toHaveProperty('result.content');
      expect(await peer.answer(4)).toHaveProperty('error.code', -32_602);
      expect(told(peer)).toHaveLength(5);
    },
  },
  'notify.storm': {
    rule: 'tells of changes on and on, begun once only, and has the tools that it had',
    holds: async (start) => {
      const peer = await called(start, { fault: 'notify.storm', when: 'call', everyMs: 2 });
      await peer.until(() => told(peer).length >= 5);
      expect(namesIn(await list(peer, 2))).toEqual(['read', 'write']);
      const slow = await called(start, { fault: 'notify.storm', when: 'call', everyMs: 60_000 });
      slow.call(2, 'read');
      await slow.answer(2);
      expect(told(slow)).toHaveLength(1);
    },
  },
  'notify.lie': {
    rule: 'tells of a change of the list that it is told to, and has what it had',
    holds: async (start) => {
      const peer = await called(start, { fault: 'notify.lie', list: 'prompts' });
      expect(peer.messages.map(({ method }) => method)).toEqual([changed('prompts'), undefined]);
      expect(namesIn(await list(peer, 2))).toEqual(['read', 'write']);
    },
  },
  'notify.silentChange': {
    rule: 'has another tool each time, or another description, and says nothing',
    holds: async (start) => {
      const peer = await called(start, { fault: 'notify.silentChange' });
      expect(namesIn(await list(peer, 2))).toEqual(['read', 'write', 'fs.new1']);
      peer.call(3, 'read');
      expect(namesIn(await list(peer, 4))).toEqual(['read', 'write', 'fs.new2']);
      const other = await called(start, { fault: 'notify.silentChange', onlyContent: true });
      const [first, second] = toolsIn(await list(other, 2));
      expect([first?.name, second?.description]).toEqual(['read', 'write']);
      expect(first?.description).not.toBe('read');
      expect([...told(peer), ...told(other)]).toEqual([]);
    },
  },
  'notify.early': {
    rule: 'tells of a change before it answers initialize',
    holds: async (start) => {
      for (const when of ['start', 'initialize']) {
        const peer = start({ faults: [{ fault: 'notify.early', when }] });
        await peer.initialize();
        expect(peer.messages).toMatchObject([{ method: changed() }, { id: 0 }]);
      }
    },
  },
};

const lists: Rules = {
  'list.flap': {
    rule: 'has its first tool no more, then again, tells both, and refuses calls of it meanwhile',
    holds: async (start) => {
      const peer = await called(start, { fault: 'list.flap', everyMs: 20, times: 1 });
      expect(await peer.answer(1)).toHaveProperty('error.code', -32_602);
      await peer.until(() => told(peer).length === 2);
      expect(namesIn(await list(peer, 2))).toEqual(['read', 'write']);
      const away = await called(start, { fault: 'list.flap', everyMs: 60_000 });
      expect(namesIn(await list(away, 2))).toEqual(['write']);
    },
  },
  'list.pages': {
    rule: 'lists n tools a page, and ends with the last',
    holds: async (start) => {
      const peer = start({ tools: { a: {}, b: {}, c: {} }, faults: [{ fault: 'list.pages', n: 2 }] });
      const first = await list(peer, 1);
      const second = await list(peer, 2, cursorIn(first));
      expect([namesIn(first), namesIn(second), cursorIn(second)]).toEqual([['a', 'b'], ['c'], undefined]);
      expect(await list(peer, 3, 'nowhere')).toHaveProperty('error.code', -32_602);
    },
  },
  'list.pageError': {
    rule: 'lists a tool a page, and answers the page with the error',
    holds: async (start) => {
      const peer = start({ tools, faults: [{ fault: 'list.pageError', page: 3, code: -32_042 }] });
      const first = await list(peer, 1);
      const second = await list(peer, 2, cursorIn(first));
      expect([namesIn(first), namesIn(second)]).toEqual([['read'], ['write']]);
      expect((await list(peer, 3, cursorIn(second))).error).toEqual({
        code: -32_042,
        message: 'no such page',
      });
    },
  },
  'list.cursorLoop': {
    rule: 'names one cursor again and again, or another one each time',
    holds: async (start) => {
      for (const repeats of [true, false]) {
        const peer = start({ tools, faults: [{ fault: 'list.cursorLoop', repeats }] });
        const cursors: unknown[] = [];
        for (let id = 1; id <= 4; id += 1) cursors.push(cursorIn(await list(peer, id, cursors.at(-1))));
        expect(new Set(cursors).size).toBe(repeats ? 1 : 4);
        expect(cursors).not.toContain(undefined);
      }
    },
  },
  'list.nameClash': {
    rule: 'has a tool by that name, too, which can be called',
    holds: async (start) => {
      const peer = start({ tools, faults: [{ fault: 'list.nameClash', name: 'query' }] });
      expect(namesIn(await list(peer, 1))).toEqual(['read', 'write', 'query']);
      peer.call(2, 'query');
      expect(await peer.answer(2)).toHaveProperty('result.content');
    },
  },
};

export const notifyRules: Rules = notify;
export const listRules: Rules = lists;
