/** What the chart of aggregator.machine.ts is made of: its memory, its actions and guards, its messages. */
import { assign, cancel, setup } from 'xstate';
import { remembered } from '../kernel/objects.ts';
import * as questions from './aggregator.questions.ts';
import * as read from './aggregator.reading.ts';
import * as rules from './aggregator.rules.ts';
import type {
  AggregateWanted,
  AggregatorOrder,
  Context,
  Input,
  QuestionLate,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.events.ts';
import { effects, post, type DirectoryEvent, type OpenRefused, type OwnedEnded } from '../kernel/effects.ts';
import type { ReadStart } from './read.machine.ts';
import type { CacheRefreshed } from './cache/server-cache.machine.ts';
import { signatureOf, type Notice } from './collections/index.ts';
import type { ResourcesWatched } from './watch.machine.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

/** A rule runs once for an event, though what it opens, posts and remembers are three actions. */
const once = <E extends object>(rule: (c: Context, event: E) => rules.Taken): typeof rule => {
  const inContext = remembered((c: Context) => remembered((event: E) => rule(c, event)));
  return (c, event) => inContext(c)(event);
};
const updated = once(rules.updated);
const watched = once(rules.watched);
const listed = once(rules.listed);
const signature = remembered((c: Context): string =>
  signatureOf(
    c.self,
    c.updates,
    Object.values(c.caches).map(({ listed: each }) => each),
  ),
);
const limitOf = (n: number): string => `question ${n}`;

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as AggregatorOrder | QuestionLate | CacheRefreshed | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing' | 'closing' | 'killed',
  },
  actions: {
    ...effects,
    noteListed: assign(({ context }, event: ResourcesListed) => listed(context, event).next),
    noteUpdated: assign(({ context }, event: { readonly server: string; readonly uri: string }) => ({
      ...updated(context, event).next,
      questions: questions.changed(context, event),
    })),
    noteWatched: assign(({ context }, event: ResourcesWatched) => watched(context, event).next),
    noteRefreshed: assign(({ context }, event: CacheRefreshed) => rules.refreshed(context, event)),
    noteUnopened: assign(({ context }, refused: OpenRefused) => rules.unopened(context, refused)),
    noteBroken: assign(({ context }, ended: OwnedEnded) => rules.broken(context, ended)),
    noteQuestion: assign(({ context: c }, wanted: AggregateWanted) => ({
      questions: [...c.questions, questions.newQuestion(c, wanted)],
      numbered: c.numbered + 1,
    })),
    clearLimit: cancel(({ context }) => limitOf(questions.answerable(context)?.n ?? 0)),
    noteAsked: assign(({ context }) => questions.asking(context)?.next ?? {}),
    noteLate: assign(({ context }, event: QuestionLate) => questions.late(context, event).next),
    noteAnswered: assign(({ context: c }) => {
      const answered = questions.answerable(c);
      return { questions: c.questions.filter((question) => question !== answered) };
    }),
    noteCompared: assign({ isNews: false }),
    noteTold: assign(({ context }) => ({ told: signature(context), hasLost: false })),
    noteOpened: assign(({ context }, { count }: { readonly count: number }) =>
      count === 0 ? {} : { living: context.living + count },
    ),
    countEnd: assign(({ context }) => ({ living: context.living - 1 })),
    notePending: assign(({ context }, wanted: ResourceWanted) => ({ pending: [...context.pending, wanted] })),
    forgetPending: assign({ pending: [] }),
    noteNotices: assign(({ context }, { notices }: { readonly notices: readonly Notice[] }) =>
      rules.noticed(context, notices),
    ),
  },
  guards: {
    isKnown: ({ context }, wanted: AggregateWanted) => questions.isKnown(context, wanted),
    mustAsk: ({ context }) => questions.asking(context) !== null,
    canAnswer: ({ context }) => questions.answerable(context) !== undefined,
    isAnswered: ({ context }) => context.questions.length === 0,
    isCollected: ({ context: { isHeard, awaited } }) => isHeard && awaited.length === 0,
    isNews: ({ context }) => context.isNews,
    isOther: ({ context: c }) => c.isNews && (c.hasLost || c.told !== signature(c)),
    hasNone: ({ context }) => context.living <= 0,
    isListed: ({ context }) => context.awaited.length === 0,
    mustWait: ({ context }, wanted: ResourceWanted) => read.mustWait(context, wanted),
    isCache: (_, { kind }: { readonly kind: string }) => kind === 'cache',
  },
  delays: {
    coalesce: ({ context }) => context.timing.coalesceMs,
    listLimit: ({ context }) => context.timing.aggregateMs,
    closeGrace: ({ context }) => context.timing.closeGraceMs,
  },
});
/** Each question has its own: not by `raise` alone, because the id of a delayed event cannot come from the context. */
export const setLimit = parts.enqueueActions(({ enqueue, context: { numbered: n, timing } }) => {
  const event: QuestionLate = { type: 'question.late', n };
  enqueue.raise(event, { id: limitOf(n), delay: timing.aggregateMs });
});
type At<E = unknown> = { readonly context: Context; readonly event: E };
const eventAsParams = <E>({ event }: { readonly event: E }): E => event;
const opensAnd = <E>(given: (c: Context, event: E) => Pick<rules.Taken, 'opens' | 'messages'>) =>
  [
    { type: 'openAll', params: ({ context, event }: At<E>) => ({ opens: given(context, event).opens }) },
    {
      type: 'postAll',
      params: ({ context, event }: At<E>) => ({ messages: given(context, event).messages }),
    },
    {
      type: 'noteOpened',
      params: ({ context, event }: At<E>) => ({ count: given(context, event).opens.length }),
    },
  ] as const;

type Updated = { readonly server: string; readonly uri: string };
export const takeUpdate = [
  ...opensAnd<Updated>(updated),
  { type: 'noteUpdated', params: eventAsParams<Updated> },
] as const;
export const takeWatched = [
  ...opensAnd<ResourcesWatched>(watched),
  { type: 'noteWatched', params: eventAsParams<ResourcesWatched> },
] as const;
export const noteUnopened = { type: 'noteUnopened', params: eventAsParams<OpenRefused> } as const;
/** Two questions under one ticket: the second is not asked. */
export const refuseTwice = {
  type: 'post',
  params: ({ event }: At<OpenRefused>) => read.refused(event.input as ReadStart, repeated),
} as const;
const repeated: Failure = {
  code: wireCodes.conflict,
  message: 'A question under this ticket is still on its way',
};
export const noteBroken = { type: 'noteBroken', params: eventAsParams<OwnedEnded> } as const;
/** What a host should know is told before it is remembered as told. */
const notice = <E>(noticesOf: (c: Context, event: E) => readonly Notice[]) =>
  [
    {
      type: 'postAll',
      params: ({ context: c, event }: At<E>) => ({ messages: rules.noticeMessages(c, noticesOf(c, event)) }),
    },
    {
      type: 'noteNotices',
      params: ({ context, event }: At<E>) => ({ notices: noticesOf(context, event) }),
    },
  ] as const;
export const takeList = [
  ...opensAnd<ResourcesListed>(listed),
  { type: 'noteListed', params: eventAsParams<ResourcesListed> },
  ...notice<ResourcesListed>(rules.notShownNotices),
] as const;
export const takeRefreshed = [
  ...notice<CacheRefreshed>(rules.noticesOf),
  { type: 'noteRefreshed', params: eventAsParams<CacheRefreshed> },
] as const;
export const openRead = [
  ...notice<ResourceWanted>(read.routeNotices),
  ...opensAnd<ResourceWanted>(read.reading),
] as const;
const allOf = (c: Context): Pick<rules.Taken, 'opens' | 'messages'> => {
  const all = c.pending.map((wanted) => read.reading(c, wanted));
  return { opens: all.flatMap(({ opens }) => opens), messages: all.flatMap(({ messages }) => messages) };
};
export const openPending = [
  ...notice<unknown>((c) => c.pending.flatMap((wanted) => read.routeNotices(c, wanted))),
  ...opensAnd<unknown>(allOf),
  'forgetPending',
] as const;
export const answerNow = {
  type: 'post',
  params: ({ context, event }: At<AggregateWanted>) =>
    questions.shown(context, questions.newQuestion(context, event)),
} as const;
export const answerOne = [
  'clearLimit',
  {
    type: 'postAll',
    params: ({ context: c }: At) => {
      const question = questions.answerable(c);
      return { messages: question ? [questions.shown(c, question)] : [] };
    },
  },
  'noteAnswered',
] as const;
const closing: Failure = { code: wireCodes.internal, message: 'The computer is closing' };
/** Nobody waits for one who is no more. */
export const refuseAll = {
  type: 'postAll',
  params: ({ context: c }: At) => ({
    messages: [
      ...c.questions.map(({ wanted }) => questions.refusedWith(wanted, closing)),
      ...c.pending.map((wanted) => read.refused(wanted, closing)),
    ],
  }),
} as const;
export const refuseNow = {
  type: 'post',
  params: ({ event }: At<AggregateWanted>) => questions.refusedWith(event, closing),
} as const;
export const refuseRead = {
  type: 'post',
  params: ({ event }: At<ResourceWanted>) => read.refused(event, closing),
} as const;
const nothing: rules.Taken = { next: {}, opens: [], messages: [] };
export const askAll = [...opensAnd<unknown>((c) => questions.asking(c) ?? nothing), 'noteAsked'] as const;
export const takeLate = [
  ...opensAnd<QuestionLate>(questions.late),
  { type: 'noteLate', params: eventAsParams<QuestionLate> },
] as const;
export const tell = [
  {
    type: 'post',
    params: ({ context: c }: At) =>
      post(c.owner, {
        type: 'aggregate.changed',
        collection: c.collection,
        signature: signature(c),
      }),
  },
  'noteTold',
] as const;
