import type { AggregatorOrder } from '../../../../machines/resources/aggregator.machine.ts';
import { addressFor } from '../../../../machines/kernel/address.ts';
import type { ResourceCollection } from '../../../../machines/kernel/ports.ts';
import type { OrdersOf, Sample } from '../sample.ts';

const uris: Readonly<Record<ResourceCollection, string>> = { desktop: 'window://h/a', finder: 'dpe://h/d' };

const refreshed = {
  type: 'cache.refreshed',
  server: 's',
  items: [],
  reason: null,
  refused: [],
  changes: 1,
  isFresh: true,
  upTo: 1_000,
  isNews: true,
};
export const aggregator = (collection: ResourceCollection): Sample => {
  const uri = uris[collection];
  const question = { collection, ticket: 't', reqId: 'r', history: [], replyTo: addressFor('host') };
  const listed = {
    server: 's',
    session: 'client',
    changed: [],
    resources: [{ uri }],
    isAwaited: false,
    failure: null,
  };
  return {
    input: { collection },
    orders: {
      'aggregate.wanted': [
        { ...question, query: {} },
        { ...question, query: { fresh: true } },
      ],
      'resource.wanted': [
        { ...question, uri },
        { ...question, uri: `${uri}/other` },
      ],
      'resources.listed': [
        listed,
        { ...listed, isAwaited: true, resources: [] },
        { ...listed, server: 'late', isAwaited: true, resources: [] },
        { ...listed, failure: 'x' },
        { ...listed, resources: [{ uri: `${uri}2` }] },
        { ...listed, resources: [{ uri }], changed: [uri], isRenewed: true },
        { ...listed, upTo: 1_000 },
        { ...listed, resources: null },
      ],
      'resource.updated': [{ server: 's', uri }],
      'resources.watched': [{ server: 's', by: collection, uris: [uri], isAnew: false }],
      close: [{}],
    } satisfies OrdersOf<AggregatorOrder>,
    owned: {
      cache: {
        says: [refreshed],
      },
      read: {},
    },
    tellApart: (c) => {
      const caches = Object.values(
        c.caches as Record<string, { isFresh: boolean; isOpen: boolean; asked: number; given: number }>,
      );
      const questions = c.questions as { owed: unknown; isLate: boolean }[];
      const known = [
        c.awaited,
        Object.keys(c.unlisted as object),
        Math.min((c.pending as unknown[]).length, 1),
      ];
      return [
        caches.map(({ isFresh, isOpen, asked, given }) => [isFresh, isOpen, asked > given]),
        questions.slice(0, 1).map(({ owed, isLate }) => [owed, isLate]),
        ...[c.isNews, known, c.isHeard, Number(c.living) > 0, c.told === ''],
      ];
    },
    told: [
      { type: 'question.late', n: 1 },
      { type: 'owner.ended', why: 'done' },
    ],
    passedThrough: ['open.showing.refreshing.comparing'],
  };
};
