import type { AggregatorOrder } from '../../machines/aggregator.machine.ts';
import type { System } from '../../machines/systems/index.ts';
import type { OrdersOf, Sample } from './sample.ts';

const uris: Readonly<Record<System, string>> = { desktop: 'window://h/a', finder: 'dpe://h/d' };

export const aggregator = (system: System): Sample => {
  const uri = uris[system];
  const question = { system, ticket: 't', reqId: 'r', history: [], replyTo: 'host' };
  const listed = {
    ...{ server: 's', session: 'client', changed: [], resources: [{ uri }] },
    ...{ isAwaited: false, failure: null },
  };
  return {
    input: { system },
    orders: {
      'aggregate.wanted': [{ ...question, query: {} }],
      'resource.wanted': [
        { ...question, uri },
        { ...question, uri: `${uri}/other` },
      ],
      'resources.listed': [
        listed,
        { ...listed, isAwaited: true, resources: [] },
        { ...listed, failure: 'x' },
        { ...listed, resources: [{ uri: `${uri}2` }] },
        { ...listed, resources: [{ uri }], changed: [uri], isRenewed: true },
        { ...listed, resources: null },
      ],
      'resource.updated': [{ server: 's', uri }],
      'resources.watched': [{ server: 's', by: system, uris: [uri], isAnew: false }],
      close: [{}],
    } satisfies OrdersOf<AggregatorOrder>,
    owned: {
      shelf: {
        says: [{ type: 'shelf.filled', server: 's', items: [], reason: null, changes: 1, isFresh: true }],
      },
      read: {},
    },
    tellApart: (c) => {
      const shelves = Object.values(c.shelves as Record<string, { isFresh: boolean; isOpen: boolean }>);
      const [waiting, next] = [c.waiting, c.next].map((all) => Math.min((all as unknown[]).length, 1));
      const known = [c.awaited, Object.keys(c.unlisted as object), Math.min((c.held as unknown[]).length, 1)];
      return [
        shelves.map(({ isFresh, isOpen }) => [isFresh, isOpen]),
        ...[waiting, next, c.pending, c.isNews, known],
      ];
    },
    passedThrough: ['open.answering.answered'],
  };
};
