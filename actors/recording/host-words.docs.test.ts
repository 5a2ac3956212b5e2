import { readFileSync } from 'node:fs';
import type { EventObject } from 'xstate';
import { describe, expect, it } from 'vitest';
import { hostWords, newsRows, orderOf, orders } from './host-words.ts';
import { planned } from '../plans/given-config.ts';

const page = readFileSync(new URL('../../docs/trace-format.md', import.meta.url), 'utf8');
const section = page.split('\n## Words of hosts\n')[1]?.split('\n## ')[0] ?? '';
/** Reads the cells of the table in docs/trace-format.md whose first heading is `first`. */
const rowsOf = (first: string): string[][] =>
  (section.split('\n\n').find((block) => block.startsWith(`| ${first} |`)) ?? '')
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
const wordsIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

type Message = EventObject & Readonly<Record<string, unknown>>;
const config = { config: {}, policy: {}, known: {} };
const call = { ticket: 'host.r', reqId: 'r', tool: 't', params: {}, timeoutMs: 1, replyTo: 'host:x.1' };
/** One example message of every type, with all fields that a machine accepts. */
const ordered: Readonly<Record<string, readonly [message: Message, given?: object]>> = {
  'computer start': [{ type: 'start', servers: [], shown: {}, link: null, timing: {} }, config],
  'computer servers.set': [{ type: 'servers.set', servers: [], shown: {} }, config],
  'computer call.request': [{ type: 'call.request', ...call, agent: 'a', isConfirmed: true }],
  'computer call.cancel': [{ type: 'call.cancel', ticket: 't', reason: 'x', timedOut: true }],
  'computer server.start': [{ type: 'server.start', server: 's' }],
  'computer server.stop': [{ type: 'server.stop', server: 's' }],
  'computer resources.watch': [{ type: 'resources.watch', server: 's', uris: [], by: 'host' }],
  'computer aggregate.wanted': [
    { type: 'aggregate.wanted', collection: 'desktop', ticket: 'host.r', reqId: 'r' },
  ],
  'computer resource.wanted': [
    { type: 'resource.wanted', collection: 'finder', ticket: 'host.r', reqId: 'r', uri: 'dpe://x' },
  ],
  'computer office.join': [{ type: 'office.join', link: {} }],
  'computer office.leave': [{ type: 'office.leave' }],
  'agent start': [{ type: 'start', link: {}, timing: {} }],
  'agent agent.call': [{ type: 'agent.call', ...call, computer: 'c', wantsProgress: undefined }],
  'agent agent.query': [{ type: 'agent.query', method: 'm', request: {}, ticket: 'host.r', reqId: 'r' }],
  'agent agent.follow': [{ type: 'agent.follow', collection: 'desktop' }],
  'agent call.cancel': [{ type: 'call.cancel', ticket: 't', reason: 'x', timedOut: true }],
  'client start': [
    {
      ...{ type: 'start', server: 's', hasProcess: true, restart: 'never', budget: 5 },
      ...{ isRelayed: true, timing: {} },
    },
  ],
  'client permit.granted': [{ type: 'permit.granted' }],
  'office start': [{ type: 'start', host: 'h', port: 0 }],
  'computer close': [{ type: 'close' }],
};
const told: Readonly<Record<string, Message>> = {
  'client.changed': {
    ...{ type: 'client.changed', server: 's', stage: 'ready', isOffered: true },
    ...{ failure: null, attempt: 0, nextTryMs: null },
  },
  'server.rolledBack': { type: 'server.rolledBack', server: 's', generation: 1, failure: null },
  'server.removed': { type: 'server.removed', server: 's' },
  'tools.withdrawn': { type: 'tools.withdrawn', server: 's', failure: null },
  'tools.refused': { type: 'tools.refused', server: 's', failure: null },
  'list.restless': { type: 'list.restless', server: 's', failure: null },
  'catalog.changed': {
    ...{ type: 'catalog.changed', server: 's', list: 'tools', added: [], removed: [], changed: [], why: 'x' },
  },
  'computer.changed': { type: 'computer.changed', stage: 'whole' },
  'link.changed': { type: 'link.changed', stage: 'seated', reason: null, refusal: null },
  'aggregate.changed': { type: 'aggregate.changed', collection: 'desktop', signature: '1' },
  'aggregate.noticed': { type: 'aggregate.noticed', collection: 'desktop', text: 'x' },
  'aggregate.shown': { type: 'aggregate.shown', ticket: 'host.r', reqId: 'r' },
  'machine.failed': { type: 'machine.failed', name: 'computer/client:s', error: 'x' },
  'owned.ended': { type: 'owned.ended', name: 'computer', why: 'failed', error: 'x' },
  'call.settled': {
    ...{ type: 'call.settled', ticket: 'host.r', reqId: 'r', server: 's', tool: 't', end: 'succeeded' },
    ...{ outcome: 'succeeded', phase: null, result: {}, failure: null },
  },
  'call.progressed': { type: 'call.progressed', ticket: 't' },
  'computer.entered': { type: 'computer.entered', computer: 'c' },
  'computer.configChanged': { type: 'computer.configChanged', computer: 'c' },
  'view.toolsChanged': { type: 'view.toolsChanged', computer: 'c', tools: [], failure: null },
  'view.collectionChanged': {
    ...{ type: 'view.collectionChanged', computer: 'c', collection: 'documents', value: null, failure: null },
  },
  'room.known': { type: 'room.known', computers: [] },
};
const fieldsOf = (event: EventObject): string[] =>
  Object.entries(event).flatMap(([key, value]) =>
    key === 'type' || key === 'replyTo' || value === undefined ? [] : [key],
  );

describe('the words of hosts in docs/trace-format.md', () => {
  it('are those of every order, with their fields', () => {
    for (const [kind, types] of Object.entries(orders))
      for (const type of Object.keys(types)) expect(Object.keys(ordered)).toContain(`${kind} ${type}`);
    const rows = rowsOf('order').map(
      ([word, of, fields]) => `${of} ${wordsIn(word).join()} ${wordsIn(fields).toSorted().join()}`,
    );
    const said = Object.entries(ordered).map(([name, [message, given]]) => {
      const [kind = '', type] = name.split(' ');
      const word = hostWords.order(kind, message, given);
      return `${type === 'close' ? 'all' : kind} ${word.type} ${fieldsOf(word).toSorted().join()}`;
    });
    expect(rows.toSorted()).toEqual(said.toSorted());
  });
  it('are those of all news, with their fields', () => {
    expect(Object.keys(told).toSorted()).toEqual(Object.keys(newsRows).toSorted());
    const rows = new Map(
      rowsOf('news').map(([word, fields]) => [wordsIn(word).join(), wordsIn(fields).toSorted().join()]),
    );
    for (const message of Object.values(told)) {
      const word = hostWords.news('computer', message);
      expect([word.type, rows.get(word.type)]).toEqual([word.type, fieldsOf(word).toSorted().join()]);
    }
    expect([...rows.keys()].toSorted()).toEqual(
      [...new Set(Object.values(told).map((message) => hostWords.news('computer', message).type))].toSorted(),
    );
  });
});

it('every order comes back to the message that it was', () => {
  const all = Object.entries(orders).flatMap(([kind, types]) =>
    Object.keys(types).map((type) => [kind, type]),
  );
  for (const [kind = '', type] of all) {
    const message = ordered[`${kind} ${type}`]?.[0];
    // A `servers.set` order is recorded as its config instead of its plan, so the two cannot be compared.
    if (!message || type === 'servers.set') continue;
    const { event } = orderOf(kind, hostWords.order(kind, message, undefined), 'host:x.1', planned);
    const { replyTo: _, ...taken } = event as Message;
    const { replyTo: __, ...sent } = message;
    expect(taken).toEqual(
      Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
    );
  }
});
