import type { AggregatorOrder } from '../../../machines/resources/aggregator.machine.ts';
import { addressFor } from '../../../machines/kernel/effects.ts';
import type { ResourceCollection } from '../../../machines/ports/link.ts';
import { type OrdersOf, type Sample, answers, refusals } from './sample.ts';
import type { QuestionOrder, ServerList, ServerLists } from '../../../machines/resources/question.rules.ts';
import type { CacheGiven, CacheOrder, Entry } from '../../../machines/resources/server-cache.rules.ts';
import type { WatchOrder } from '../../../machines/resources/watch.machine.ts';
import type { Collection } from '../../../machines/agent/collections.ts';
import type { ViewOrder } from '../../../machines/agent/view.machine.ts';

const uris: Readonly<Record<ResourceCollection, string>> = { desktop: 'window://h/a', finder: 'dpe://h/d' };

export const aggregator = (collection: ResourceCollection): Sample => {
  const uri = uris[collection];
  const question = { collection, ticket: 't', reqId: 'r', history: [], replyTo: addressFor('host') };
  const ofServer = { server: 's', session: 'client' };
  const listed = { ...ofServer, changed: [], resources: [{ uri }], isAwaited: false, failure: null };
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
        { ...listed, failure: 'x' },
        { ...listed, resources: [{ uri: `${uri}2` }] },
        { ...listed, resources: [{ uri }], changed: [uri], isRenewed: true },
        { ...listed, upTo: 1_000 },
        { ...listed, resources: null, unheard: [{ uri }] },
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
        says: [
          { type: 'cache.changed', server: 's' },
          { type: 'cache.noticed', notices: [{ about: 'a', mark: 'm', text: 'x' }] },
        ],
      },
      question: { says: [{ type: 'question.late', servers: ['s'] }] },
      read: {},
    },
    tellApart: ({ lists, isNews, pending }) => [
      Object.values(lists as ServerLists).map((l) => [l.uris.length > 0, l.isAwaited, l.isOpen]),
      ...[isNews, (pending as unknown[]).length > 0],
    ],
    told: [{ type: 'owner.ended', why: 'done' }],
  };
};

const list: ServerList = {
  server: 's',
  session: 'client',
  uris: ['window://h/a'],
  standings: {},
  isMember: true,
  isAwaited: false,
  isWatching: false,
  isOpen: true,
  isExposed: false,
  reason: null,
  refused: [],
  upTo: 0,
};
const asked = { ticket: 't', reqId: 'r', replyTo: 'host' };
const given = { type: 'cache.given', server: 's', items: [], refused: [] } as const;
export const question: Sample = {
  input: {
    wanted: { type: 'aggregate.wanted', collection: 'desktop', ...asked, query: {}, history: [] },
    n: 1,
    lists: { s: list },
    owed: ['s'],
  },
  orders: {
    'question.listed': [
      { server: 's', list },
      { server: 's', list: { ...list, upTo: 1 } },
      { server: 's', list: { ...list, isAwaited: true, upTo: 1 } },
      { server: 's', list: null },
    ],
    'cache.given': [given],
  } satisfies OrdersOf<QuestionOrder>,
  told: [
    { type: 'owner.ended', why: 'done' },
    { type: 'owner.ended', why: 'failed' },
  ],
  tellApart: (c) => [
    c.owed,
    c.asked,
    Object.keys(c.given as object),
    (c.lists as ServerLists)['s']?.isAwaited,
  ],
};

export const read: Sample = {
  input: {
    ...asked,
    collection: 'finder',
    server: 's',
    uri: 'dpe://h/d',
    session: 'owner',
    limitMs: 20_000,
  },
  orders: {},
  answers: [...answers, { type: 'ask.answered', result: { contents: [] } }],
  told: [{ type: 'owner.ended', why: 'done' }],
};

const about = { type: 'resource.read', ticket: 'window://h/a', reqId: 'window://h/a' };
const replyTo = addressFor<CacheGiven>('question');
export const cache: Sample = {
  input: { server: 's', collection: 'desktop', session: 'owner' },
  orders: {
    'cache.list': [{ uris: ['window://h/a'] }, { uris: [] }],
    'cache.invalidate': [{ uris: ['window://h/a'] }],
    'cache.follow': [
      { uris: ['window://h/a'], isUnderWay: true },
      { uris: [], isUnderWay: false },
    ],
    'cache.wanted': [
      { isFresh: false, replyTo },
      { isFresh: true, replyTo },
      { isFresh: false, only: 'window://h/a', replyTo },
    ],
    'cache.tell': [{ replyTo }, { replyTo, only: 'window://h/a' }],
    close: [{}],
  } satisfies OrdersOf<CacheOrder>,
  owned: {
    read: {
      says: [
        { ...about, contents: [{ uri: 'window://h/a', blob: 'x' }], failure: null },
        { ...about, contents: [], failure: { code: 408, message: 'late' } },
      ],
    },
  },
  told: [
    { type: 'owner.ended', why: 'done' },
    { type: 'item.due', uri: 'window://h/a' },
  ],
  tellApart: (c) => [
    ...[c.uris, c.due, Math.min((c.queue as unknown[]).length, 2)],
    (c.reading as readonly { readonly n: number }[]).map(({ n }) => n > 0),
    (c.entries as readonly (readonly Entry[])[]).flat().map((e) => [e.isStale, e.hung > 0]),
    ...[(c.askers as unknown[]).length > 0, Number(c.named) > 0],
  ],
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
    c.value === null || c.failure !== null,
    Math.min(c.failures as number, 3),
  ],
  // Tools are asked for during the whole life of their computer, so a view of tools never rests in `standby`.
  passedThrough: collection === 'tools' ? ['standby', 'between.judging'] : ['between.judging'],
});
