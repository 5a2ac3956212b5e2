/**
 * State machine of our seat in an office, for a computer or an agent; one Socket.IO connection at a time. States:
 *
 * online  — connected: connecting → joining → joined{quiet | gathering} (changes of tools are gathered before they
 *           are announced) → leaving
 * waiting — not connected: the next try follows after a pause, a long one when the office refused our version or
 *           credential. Nothing is buffered meanwhile
 * closed  — final: left the office, or the leave was not answered in time
 *
 * Agents may call while our own join is still pending, so calls are accepted in every state of `online`.
 */
import { assign, sendTo, setup } from 'xstate';
import { leaving, repeated, type CallProgressed } from '../call/call.rules.ts';
import {
  type AddressFor,
  deadline,
  effects,
  withEvent,
  post,
  posts,
  type DirectoryEvent,
} from '../kernel/effects.ts';
import { extended } from '../kernel/objects.ts';
import { linkPort, type AgentCalled, type LinkCommand, type LinkInput } from '../ports/link.ts';
import { backoffSpread } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';
import { configAs } from '../protocol/messages/collections.ts';
import { toldOf, type CancelReason } from '../protocol/messages/messages.ts';
import {
  markOf,
  notifications,
  rows,
  whatOf,
  whats,
  type Mark,
  type Notification,
  type NotificationOrder,
  type What,
} from '../protocol/notifications.ts';
import { isSpoken, PROTOCOL_VERSION } from '../protocol/protocol.ts';
import { acks, orders, type LinkFact, type QuestionFact, type QuestionShown } from './questions.ts';
import type { LinkNews, LinkOrder, LinkRefusal, LinkStage, LinkStart } from './link.events.ts';
import { callAck, toolsAck } from './acks.ts';

/** Signature or change counter; null when that state was not known. */
type Marks = Readonly<Partial<Record<What, Mark | null>>>;
type Changed = { readonly what: What };
type LinkMachineInput = LinkStart & {
  readonly self: AddressFor<LinkOrder>;
  readonly owner: AddressFor<LinkNews>;
};
export interface LinkContext extends LinkMachineInput {
  /** Of the current data, and (`announced`) of the data that the office knows. */
  readonly marks: Marks;
  readonly announced: Marks;
  readonly reason: string | null;
  readonly refusal: LinkRefusal | null;
  /** Ours, or the one that the office requested. */
  readonly version: string;
  /** The declared version changed since the last connection; it does so only once. */
  readonly isAdapted: boolean;
}

export const noMarks: Marks = Object.fromEntries(
  whats.flatMap((what) => (notifications[what].mark === 'revision' ? [[what, 0]] : [])),
);
const markIn = (marks: Marks, what: What): Mark | null => marks[what] ?? null;
const isNewsOf = ({ marks, announced }: LinkContext, what: What): boolean =>
  markIn(marks, what) !== markIn(announced, what);
const untold: Marks = Object.fromEntries(
  whats.filter((what) => notifications[what].view !== 'tools').map((what) => [what, null]),
);
/** The notice of a join makes the agent fetch the tools, so only later changes are announced. */
export const firstKnown = ({ marks, announced }: Pick<LinkContext, 'marks' | 'announced'>): Marks => ({
  ...untold,
  ...marks,
  ...announced,
});
/** Long after a refused version or credential; the office may still change, so the link keeps trying. */
const pauseMs = ({ timing, refusal }: LinkContext): number =>
  refusal === 'version' || refusal === 'credential' ? timing.linkRestMs : timing.linkBackoffMs;
/** For the person who is asked and for the host; the agent learns them from the office. */
const whyCancelled: Readonly<Record<CancelReason, string>> = {
  timeout: 'the office gave up waiting for it',
  left: 'its agent left the office',
  closing: 'the office is closing',
};
const socketOf = ({ context: c }: { context: LinkContext }): LinkInput => ({
  url: c.url,
  role: c.role,
  name: c.name,
  office: c.office,
  version: c.version,
  key: c.self,
});

const parts = setup({
  types: {
    context: {} as LinkContext,
    input: {} as LinkMachineInput,
    events: {} as LinkFact | LinkOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing' | 'closing' | 'killed',
    children: {} as { socket: 'link' },
  },
  actors: { link: linkPort },
  actions: {
    ...effects,
    join: sendTo('socket', { type: 'link.join' }),
    leave: sendTo('socket', { type: 'link.leave' }),
    announce: sendTo('socket', (_, { what }: Changed): LinkCommand => ({
      type: 'link.announce',
      event: notifications[what].event,
    })),
    answer: sendTo('socket', (_, p: { ticket: string; body: unknown }): LinkCommand => ({
      type: 'link.answer',
      ...p,
    })),
    tellProgress: sendTo('socket', (_, told: CallProgressed): LinkCommand => ({
      type: 'link.progress',
      ticket: told.ticket,
      ...toldOf(told),
    })),
    rememberChange: assign(({ context: { marks } }, order: NotificationOrder) => ({
      marks: { ...marks, [whatOf(order)]: markOf(order) },
    })),
    rememberAnnounced: assign(({ context: { marks, announced } }, { what }: Changed) => ({
      announced: { ...announced, [what]: markIn(marks, what) },
    })),
    /** Otherwise a list sent as an answer would be reported as a change again and again. */
    rememberAnswered: assign(({ context: c }, { signature }: { signature: string }) => ({
      marks: { ...c.marks, updateToolList: signature },
      announced: { ...c.announced, updateToolList: signature },
    })),
    rememberFirst: assign(({ context }) => ({ announced: firstKnown(context) })),
    rememberReason: assign((_, p: { reason: string; refusal: LinkRefusal | null }) => p),
    forgetReason: assign({ reason: null, refusal: null, isAdapted: false }),
    speakAs: assign((_, { version }: { version: string }) => ({ version, isAdapted: true })),
  },
  guards: {
    /** Once, so that an office that demands another version each time is not retried for ever. */
    canSpeakAs: ({ context: c }, { version }: { version: string }) =>
      !c.isAdapted && version !== c.version && isSpoken(version) === true,
    isNews: ({ context }) => whats.some((what) => isNewsOf(context, what)),
  },
  delays: {
    linkTimeout: ({ context }) => context.timing.linkMs,
    quiet: ({ context }) => context.timing.quietMs,
    longestQuiet: ({ context }) => context.timing.longestQuietMs,
  },
});

const tell = <E>(news: (c: LinkContext, event: E) => LinkNews) =>
  posts((c: LinkContext, event: E) => post(c.owner, news(c, event)));
const tellStage = (stage: LinkStage) =>
  tell((c) => ({ type: 'link.changed', stage, reason: c.reason, refusal: c.refusal }));
const pass = tell((_, event: Extract<LinkNews, LinkFact>) => event);
const answer = <E>(body: (event: E, context: LinkContext) => { ticket: string; body: unknown }) =>
  ({
    type: 'answer',
    params: ({ event, context }: { event: E; context: LinkContext }) => body(event, context),
  }) as const;
type Passed = Omit<AgentCalled, 'type'> & { readonly type: string };
const passed = (c: LinkContext, { type: _, ...call }: Passed) =>
  extended(call, { type: 'call.request' as const, isConfirmed: false, replyTo: c.self });
const passCall = tell(passed);
/** The computer answers every call. */
const passRefused = (why: (reqId: string) => Failure) =>
  tell((c, call: Passed) => extended(passed(c, call), { refused: why(call.reqId) }));
type Ordered = { readonly event: NotificationOrder };
/** It counts as known from then on, because the receivers fetch the new data. */
const announce = <Params extends Changed | ((at: Ordered) => Changed)>(params: Params) =>
  [
    { type: 'announce', params },
    { type: 'rememberAnnounced', params },
  ] as const;
const each = <Gathered extends boolean, Way>(isGathered: Gathered, way: Way) =>
  Object.fromEntries(
    rows.filter((row) => row.isGathered === isGathered).map((row) => [row.order.type, way]),
  ) as {
    readonly [Row in Extract<Notification, { isGathered: Gathered }> as Row['order']['type']]: Way;
  };
const rememberChange = withEvent('rememberChange');
const remembering = { actions: rememberChange } as const;
const rememberChanges = { ...each(true, remembering), ...each(false, remembering) };
const gatherChanges = each(true, {
  target: 'listening',
  reenter: true,
  actions: rememberChange,
} as const);
const announceChanges = each(false, {
  actions: [rememberChange, ...announce(({ event }: Ordered) => ({ what: whatOf(event) }))],
} as const);
const announceNews = {
  target: '#link.online.joined.quiet',
  actions: parts.enqueueActions(({ context, enqueue }) => {
    for (const what of whats.filter((each) => isNewsOf(context, each))) announce({ what }).forEach(enqueue);
  }),
} as const;
const passNews = Object.fromEntries(
  ['computer.entered', 'computer.left', ...rows.map((row) => row.fact.type)].map((type) => [
    type,
    { actions: pass },
  ]),
) as Readonly<Record<Extract<LinkFact, { type: `computer.${string}` }>['type'], { actions: typeof pass }>>;
const passQuestion = tell(
  (c, { type, ...asked }: QuestionFact) =>
    ({ ...asked, ...orders[type], replyTo: c.self }) as unknown as LinkNews,
);
const passQuestions = Object.fromEntries(
  Object.keys(orders).map((type) => [type, { actions: passQuestion }]),
) as Readonly<Record<QuestionFact['type'], { actions: typeof passQuestion }>>;
const answerShown = answer((e: QuestionShown) => ({ ticket: e.ticket, body: acks[e.type](e as never) }));
const answers = Object.fromEntries(
  Object.keys(acks).map((type) => [type, { actions: answerShown }]),
) as Readonly<Record<QuestionShown['type'], { actions: typeof answerShown }>>;
const because = <E>(reason: (event: E) => string, refusal?: (event: E) => LinkRefusal | undefined) =>
  ({
    type: 'rememberReason',
    params: ({ event }: { event: E }) => ({ reason: reason(event), refusal: refusal?.(event) ?? null }),
  }) as const;
type Refused = Extract<LinkFact, { type: 'link.refused' }>;
const versionOf = ({ event }: { event: Refused }) => ({ version: event.version ?? '' });
/** If the office speaks another version that we know, it is asked again at once with that version. */
const refused = [
  {
    guard: { type: 'canSpeakAs', params: versionOf },
    target: 'online',
    reenter: true,
    actions: { type: 'speakAs', params: versionOf },
  },
  {
    target: 'waiting',
    actions: because(
      (e: Refused) => e.reason,
      (e) => e.refusal,
    ),
  },
] as const;
const forgetAskers = tell((c) => ({ type: 'asker.lost', asker: c.self }));
/** While their agents can still receive the result. */
const cancelAskers = tell((c) => ({
  type: 'asker.lost',
  asker: c.self,
  reason: 'its computer leaves the office',
}));

export const linkMachine = parts.createMachine({
  id: 'link',
  context: ({ input }) => ({
    ...input,
    marks: noMarks,
    announced: noMarks,
    reason: null,
    refusal: null,
    version: PROTOCOL_VERSION,
    isAdapted: false,
  }),
  initial: 'online',
  on: rememberChanges,
  states: {
    online: {
      invoke: { id: 'socket', src: 'link', input: socketOf },
      exit: forgetAskers,
      initial: 'connecting',
      on: {
        'link.refused': refused,
        'link.down': { target: 'waiting', actions: because((e) => e.reason) },
        'join.refused': {
          target: 'waiting',
          actions: because(
            (e) => e.text,
            () => 'seat',
          ),
        },
        'agent.called': { actions: passCall },
        'agent.repeated': { actions: passRefused(repeated) },
        'agent.cancelled': {
          actions: tell((_, e) => ({
            type: 'call.cancel',
            ticket: e.ticket,
            reason: e.reason === undefined ? 'agent_requested' : whyCancelled[e.reason],
          })),
        },
        ...passQuestions,
        'agent.left': { actions: forgetAskers },
        'call.settled': { actions: answer((e) => ({ ticket: e.ticket, body: callAck(e) })) },
        'call.progressed': { actions: withEvent('tellProgress') },
        'tools.listed': {
          actions: [
            answer((e) => ({ ticket: e.ticket, body: toolsAck(e.tools, e.missing ?? [], e.reqId) })),
            withEvent('rememberAnswered'),
          ],
        },
        ...answers,
        'config.shown': {
          actions: answer((e, c) => ({ ticket: e.ticket, body: configAs(c.version, e.config) })),
        },
        ...passNews,
        close: '.leaving',
      },
      states: {
        connecting: {
          tags: 'connecting',
          entry: tellStage('connecting'),
          on: { 'link.up': 'joining', close: '#link.closed' },
          after: {
            linkTimeout: { target: '#link.waiting', actions: because(() => 'no connection in time') },
          },
        },
        joining: {
          tags: 'connecting',
          entry: 'join',
          on: { 'join.accepted': { target: 'joined', actions: ['rememberFirst', 'forgetReason'] } },
          after: {
            linkTimeout: { target: '#link.waiting', actions: because(() => 'no answer to the join in time') },
          },
        },
        joined: {
          tags: 'ready',
          entry: tellStage('joined'),
          /** Already gathered by their source, including those from before the join. */
          on: announceChanges,
          initial: 'quiet',
          states: {
            quiet: { always: { guard: 'isNews', target: 'gathering' } },
            gathering: {
              tags: 'refreshing',
              initial: 'listening',
              after: { longestQuiet: announceNews },
              states: { listening: { after: { quiet: announceNews }, on: gatherChanges } },
            },
          },
        },
        leaving: {
          tags: 'closing',
          entry: [cancelAskers, 'leave'],
          on: {
            'agent.called': { actions: passRefused(leaving) },
            'leave.done': '#link.closed',
            'link.down': '#link.closed',
            'join.refused': {},
            close: {},
          },
          after: { linkTimeout: '#link.closed' },
        },
      },
    },
    waiting: {
      tags: 'connecting',
      entry: [tellStage('waiting'), deadline('linkBackoff', pauseMs, backoffSpread)],
      on: { 'deadline.passed': 'online', close: 'closed' },
    },
    closed: { type: 'final', entry: tellStage('closed') },
  },
});
