import type { AggregatorOrder } from '../../../machines/resources/aggregator.machine.ts';
import { addressFor } from '../../../machines/kernel/effects.ts';
import type { ResourceCollection } from '../../../machines/kernel/ports.ts';
import { type OrdersOf, type Sample, answers, refusals } from './sample.ts';
import type { ReadOrder } from '../../../machines/resources/read.machine.ts';
import type { CacheOrder } from '../../../machines/resources/server-cache.machine.ts';
import { timing } from '../../../machines/kernel/timing.ts';
import type { WatchOrder } from '../../../machines/resources/watch.machine.ts';
import type { Collection } from '../../../machines/agent/collections.ts';
import type { ViewOrder } from '../../../machines/agent/view.machine.ts';

const uris: Readonly<Record<ResourceCollection, string>> = { desktop: 'window://h/a', finder: 'dpe://h/d' };

const refreshed = {
  type: 'cache.refreshed',
  server: 's',
  items: [],
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
      'resources.watched': [
        { server: 's', by: collection, uris: [], isUnderWay: true },
        { server: 's', by: collection, uris: [uri], isUnderWay: true },
        { server: 's', by: collection, uris: [uri], isUnderWay: false },
        { server: 's', by: collection, uris: [], isUnderWay: false },
      ],
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

export const read: Sample = {
  input: {
    ticket: 't',
    reqId: 'r',
    collection: 'finder',
    server: 's',
    uri: 'dpe://h/d',
    session: 'owner',
    replyTo: 'host',
  },
  orders: { close: [{}] } satisfies OrdersOf<ReadOrder>,
  answers: [...answers, { type: 'ask.answered', result: { contents: [] } }],
};

const contents = [{ uri: 'window://h/a', text: 'x' }];

const ages = ({ asked, ticks }: Record<string, unknown>): unknown =>
  (asked as readonly { uri: string; at: number; isAside: boolean }[]).map(({ uri, at, isAside }) => [
    ...[uri, Number(ticks) - at, isAside],
  ]);

export const cache: Sample = {
  input: {
    server: 's',
    collection: 'desktop',
    session: 'owner',
    // The limit is a few ticks, so that the walk ends.
    timing: { ...timing, aggregateMs: 3 * timing.turnMs },
  },
  orders: {
    'cache.list': [{ uris: ['window://h/a'] }, { uris: [] }],
    'cache.invalidate': [{ uris: ['window://h/a'] }],
    'cache.follow': [
      { uris: ['window://h/a'], isUnderWay: true },
      { uris: [], isUnderWay: false },
    ],
    'cache.refresh': [
      { n: 1, rereads: true, isFresh: false },
      { n: 2, rereads: true, isFresh: true },
      { n: 3, rereads: false, isFresh: false, only: 'window://h/a' },
      { n: 3, rereads: false, isFresh: true, only: 'window://h/a' },
    ],
    'cache.tell': [{ n: 1 }, { n: 3 }],
    close: [{}, { isNow: true }],
  } satisfies OrdersOf<CacheOrder>,
  answers: [...answers, { type: 'ask.answered', result: { contents } }],
  told: [{ type: 'owner.ended', why: 'done' }],
  tellApart: (c) => [
    ...[c.uris, c.stale, c.begun, ages(c), c.slow, c.probed, c.later, c.again],
    ...[Number(c.nextRefresh) > 0, Number(c.refresh) > Number(c.told), Number(c.slowBefore) > 0],
    ...[c.isPinging, (c.wishes as unknown[]).length > 0],
  ],
  passedThrough: ['open.reading.over', 'open.retrying.probed', 'gone'],
};

export const watch: Sample = {
  input: { server: 's', session: 'owner' },
  orders: {
    'watch.set': [
      { uris: ['u:a'], by: 'host' },
      { uris: [], by: 'host' },
    ],
    'watch.open': [{}],
    close: [{}],
  } satisfies OrdersOf<WatchOrder>,
  answers: [{ type: 'ask.answered', result: {} }, ...refusals],
  tellApart: (c) => [c.wanted, c.subscribed, c.refused, c.step],
  passedThrough: ['ready.judging'],
};

const document = (n: number) => ({
  doc_ref: `${n}`,
  uri: `dpe://h/${n}`,
  file_uri: `file:///${n}`,
  file_type: 'md',
  title: `${n}`,
  page_count: 1,
  server: 's',
});
/** That of a Finder is a page of two documents with one more left. */
const bodies: Readonly<Record<Collection, readonly object[]>> = {
  tools: [{ tools: [] }],
  desktop: [{ desktops: ['window://h/a'] }],
  skills: [{ skills: [{ name: 'a', source: 'user', path: '/a', description: 'x' }] }],
  finder: [
    { documents: [document(1), document(2)], total_count: 3 },
    { documents: [document(3)], total_count: 3 },
    { documents: [], total_count: 0 },
  ],
};

/** Answers belong to questions by `req_id`, so only the first few questions can be answered rightly. */
export const view = (collection: Collection): Sample => ({
  input: { computer: 'c', agent: 'a', collection, link: 'l' },
  orders: { 'view.refresh': [{}], 'view.wake': [{}], close: [{}] } satisfies OrdersOf<ViewOrder>,
  answers: [
    ...answers,
    ...[1, 2, 3].flatMap((n) =>
      bodies[collection].map((body) => ({
        type: 'ask.answered',
        result: { ...body, req_id: `${collection}.c.${n}` },
      })),
    ),
  ],
  tellApart: (c) => [
    Math.min(c.asked as number, 4),
    (c.gathered as { readonly pages: number } | null)?.pages,
    Math.min(c.failures as number, 3),
  ],
  // Tools are asked for during the whole life of their computer, so a view of tools never rests in `standby`.
  passedThrough: collection === 'tools' ? ['standby', 'between.judging'] : ['between.judging'],
});
