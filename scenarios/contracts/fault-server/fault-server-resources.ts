import { expect } from 'vitest';
import type { Rules, Message, Peer, Start } from './fault-server-harness.ts';

const updated = 'notifications/resources/updated';
const listChanged = 'notifications/resources/list_changed';
const tools = { go: {} };
const resources = ['window://fs/1', 'dpe://fs/2'];

let ids = 100;
const ask = (peer: Peer, method: string, params?: object): Promise<Message> => {
  const id = (ids += 1);
  peer.send({ id, method, ...(params && { params }) });
  return peer.answer(id);
};
const listed = async (peer: Peer): Promise<string[]> => {
  const { result } = await ask(peer, 'resources/list');
  const { resources } = result as { readonly resources: readonly { readonly uri: string }[] };
  return resources.map(({ uri }) => uri);
};
interface Item {
  readonly uri: string;
  readonly text?: string;
  readonly blob?: string;
}
const read = async (peer: Peer, uri: string): Promise<Item[]> => {
  const { result } = await ask(peer, 'resources/read', { uri });
  return result?.['contents'] as Item[];
};
const textAt = async (peer: Peer, uri: string): Promise<string> => (await read(peer, uri))[0]?.text ?? '';
const told = ({ messages }: Peer, method: string): Message[] =>
  messages.filter((message) => message.method === method);
const called = async (start: Start, fault: object, ...subscribed: readonly string[]): Promise<Peer> => {
  const peer = start({ name: 'fs', tools, resources, faults: [fault] });
  for (const uri of subscribed) await ask(peer, 'resources/subscribe', { uri });
  peer.call(1, 'go');
  await peer.answer(1);
  return peer;
};
const [window, document] = resources as [string, string];
const given = (start: Start, fault: object): Peer => start({ name: 'fs', resources, faults: [fault] });

export const resourceRules: Rules = {
  'resource.renew': {
    rule: 'has another resource each time, of the kind of one of its own, and says so',
    holds: async (start) => {
      const peer = await called(start, { fault: 'resource.renew' });
      expect(await listed(peer)).toEqual([...resources, 'window://fs/new1']);
      expect(await textAt(peer, 'window://fs/new1')).toContain('after change 0');
      peer.call(2, 'go');
      await peer.answer(2);
      expect(await listed(peer)).toEqual([...resources, 'dpe://fs/new2']);
      expect(told(peer, listChanged)).toHaveLength(2);
    },
  },
  'resource.flap': {
    rule: 'loses its first resource and has it again, and says so both times',
    holds: async (start) => {
      const peer = await called(start, { fault: 'resource.flap', everyMs: 20, times: 1 });
      await peer.until(() => told(peer, listChanged).length === 2);
      expect(await listed(peer)).toEqual(resources);
      const away = await called(start, { fault: 'resource.flap', everyMs: 60_000 });
      expect(await listed(away)).toEqual([document]);
      expect(await ask(away, 'resources/read', { uri: window })).toHaveProperty('error.code', -32_002);
    },
  },
  'resource.change': {
    rule: 'changes one after the other, and tells who wants to hear of it; pages change with their document',
    holds: async (start) => {
      const peer = await called(start, { fault: 'resource.change', n: 3, everyMs: 1 }, document);
      await peer.until(() => told(peer, updated).length === 1);
      expect(told(peer, updated)[0]?.params).toEqual({ uri: document });
      expect(JSON.parse(await textAt(peer, document))).toMatchObject({
        doc_ref: '2',
        last_modified: '2026-01-01T00:01:00.000Z',
      });
      expect(await textAt(peer, `${document}/pages/0`)).toContain('after change 1');
      await ask(peer, 'resources/unsubscribe', { uri: document });
      peer.call(2, 'go');
      await peer.answer(2);
      await peer.ping();
      expect(told(peer, updated)).toHaveLength(1);
    },
  },
  'resource.silentChange': {
    rule: 'has another content, or another resource, and says nothing',
    holds: async (start) => {
      const peer = await called(start, { fault: 'resource.silentChange' }, window);
      expect(await textAt(peer, window)).toContain('after change 1');
      const other = await called(start, { fault: 'resource.silentChange', of: 'list' });
      expect(await listed(other)).toEqual([...resources, 'window://fs/new1']);
      expect([...told(peer, updated), ...told(other, listChanged)]).toEqual([]);
    },
  },
  'resource.lie': {
    rule: 'tells of a change of its first resource, and has what it had',
    holds: async (start) => {
      const peer = await called(start, { fault: 'resource.lie' });
      expect(told(peer, updated).map(({ params }) => params)).toEqual([{ uri: window }]);
      expect(await textAt(peer, window)).toContain('after change 0');
    },
  },
  'resource.gone': {
    rule: 'lists it, and answers that there is no such one',
    holds: async (start) => {
      const peer = given(start, { fault: 'resource.gone' });
      expect(await listed(peer)).toEqual(resources);
      expect(await ask(peer, 'resources/read', { uri: window })).toHaveProperty('error.code', -32_002);
    },
  },
  'resource.other': {
    rule: 'gives the resource beside it',
    holds: async (start) => {
      const [item] = await read(given(start, { fault: 'resource.other' }), document);
      expect(item?.uri).toBe(`${document}-other`);
      expect(JSON.parse(item?.text ?? '')).toHaveProperty('uri', `${document}-other`);
    },
  },
  'resource.garbled': {
    rule: 'gives half of something',
    holds: async (start) => {
      const text = await textAt(given(start, { fault: 'resource.garbled' }), document);
      expect(() => JSON.parse(text) as unknown).toThrow('JSON');
    },
  },
  'resource.blob': {
    rule: 'gives bytes and no text',
    holds: async (start) => {
      const [item] = await read(given(start, { fault: 'resource.blob' }), window);
      expect([item?.text, item?.blob]).toEqual([undefined, 'AAAA']);
    },
  },
  'resource.empty': {
    rule: 'gives an empty text, or nothing at all',
    holds: async (start) => {
      expect(await read(given(start, { fault: 'resource.empty' }), window)).toMatchObject([{ text: '' }]);
      expect(await read(given(start, { fault: 'resource.empty', of: 'contents' }), window)).toEqual([]);
    },
  },
};
