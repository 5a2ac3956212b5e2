/** What the chart of link.machine.ts is made of: its words, its memory, its actions and guards. */
import { assign, sendTo, setup } from 'xstate';
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import type { AggregateWanted, ResourceWanted } from '../resources/aggregator.events.ts';
import type { AggregateShown, ResourceRead } from '../resources/collections/index.ts';
import type { CancelReason } from '../protocol/messages/messages.ts';
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
import { extended } from '../kernel/extended.ts';
import { isSpoken } from '../protocol/protocol.ts';
import type { SmcpTool } from '../protocol/messages/tool.ts';
import { effects, post, type DirectoryEvent, type OwnedEnded } from '../kernel/effects.ts';
import {
  linkPort,
  type AgentCalled,
  type LinkCommand,
  type LinkFact,
  type LinkInput,
} from '../kernel/ports.ts';
import type { CallProgressed, CallSettled, ComputerCall } from '../call/messages.ts';
import { progressOf } from '../protocol/messages/progress.ts';
import type { Failure } from '../protocol/failure.ts';
import type { TimingOf } from '../kernel/timing.ts';

export interface LinkStart extends Omit<LinkInput, 'key' | 'version'> {
  readonly timing: TimingOf<'link'>;
}
export type LinkOrder =
  | NotificationOrder
  | ToolsListed
  | ConfigShown
  | AggregateShown
  | ResourceRead
  | CallSettled
  | CallProgressed
  | { readonly type: 'deadline.passed' }
  | { readonly type: 'close' };
export const linkKind = kindOf<LinkStart, LinkOrder>('link');
/** What `client:get_config` is answered with: secrets hidden. */
export interface ConfigShown {
  readonly type: 'config.shown';
  readonly ticket: string;
  readonly config: object;
}
export interface ToolsListed {
  readonly type: 'tools.listed';
  readonly ticket: string;
  readonly reqId: string;
  readonly tools: readonly SmcpTool[];
  /** Of this list: what was answered counts as announced. */
  readonly signature: string;
}
export interface ToolsWanted {
  readonly type: 'tools.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: AddressFor<ToolsListed>;
}
export interface ConfigWanted {
  readonly type: 'config.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: AddressFor<ConfigShown>;
}
/** What of us an office has refused: the seat (it is taken), our version of the protocol, our credential. */
export type LinkRefusal = 'seat' | 'version' | 'credential';
/** Where a seat in an office stands. */
export type LinkStage = 'connecting' | 'joined' | 'waiting' | 'closed';
/** What the owner hears. `reason` is the office's or the network's own text. */
export type LinkNews =
  | {
      readonly type: 'link.changed';
      readonly stage: LinkStage;
      readonly reason: string | null;
      /** The office answered and said no. */
      readonly refusal: LinkRefusal | null;
    }
  | ComputerCall
  | ToolsWanted
  | ConfigWanted
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  | Extract<LinkFact, { type: `computer.${string}` }>;
/** Null: it was not known. */
type Marks = Readonly<Partial<Record<What, Mark | null>>>;
type Of = { readonly what: What };
type Input = LinkStart & { readonly self: AddressFor<LinkOrder>; readonly owner: AddressFor<LinkNews> };
export interface Context extends Input {
  /** What may change as it is, and as the office knows it. */
  readonly marks: Marks;
  readonly announced: Marks;
  readonly reason: string | null;
  readonly refusal: LinkRefusal | null;
  /** What it says it speaks: ours, or what the office has asked for. */
  readonly version: string;
  /** Since it was connected last it has changed its version once. */
  readonly isAdapted: boolean;
}

export const tell = <E>(news: (c: Context, event: E) => LinkNews) =>
  ({
    type: 'post',
    params: ({ context, event }: { context: Context; event: E }) => post(context.owner, news(context, event)),
  }) as const;
export const tellStage = (stage: LinkStage) =>
  tell((c) => ({ type: 'link.changed', stage, reason: c.reason, refusal: c.refusal }));
/** Said for a link whose machine failed too often. */
export const linkGivenUp = ({ error, why }: OwnedEnded): Extract<LinkNews, { type: 'link.changed' }> => ({
  type: 'link.changed',
  stage: 'closed',
  reason: `its machine failed too often: ${error ?? why}`,
  refusal: null,
});
export const pass = tell((_, event: Extract<LinkNews, LinkFact>) => event);
export const answer = <E>(body: (event: E, context: Context) => { ticket: string; body: unknown }) =>
  ({
    type: 'answer',
    params: ({ event, context }: { event: E; context: Context }) => body(event, context),
  }) as const;
type Passed = Omit<AgentCalled, 'type'> & { readonly type: string };
const passed = (c: Context, { type: _, ...call }: Passed) =>
  extended(call, { type: 'call.request' as const, isConfirmed: false, replyTo: c.self });
export const passCall = tell(passed);
/** Refusal that the computer answers, as it answers every call. */
export const passRefused = (why: (reqId: string) => Failure) =>
  tell((c, call: Passed) => extended(passed(c, call), { refused: why(call.reqId) }));

export const noMarks: Marks = Object.fromEntries(
  whats.flatMap((what) => (notifications[what].mark === 'revision' ? [[what, 0]] : [])),
);
const markIn = (marks: Marks, what: What): Mark | null => marks[what] ?? null;
const isNewsOf = ({ marks, announced }: Context, what: What): boolean =>
  markIn(marks, what) !== markIn(announced, what);
const untold: Marks = Object.fromEntries(
  whats.filter((what) => notifications[what].view !== 'tools').map((what) => [what, null]),
);
/**
 * The enter notice itself tells the agent to fetch: only what changes after it is announced. The tools are asked for at
 * each entry; of the rest the office counts as told at the first one, even where nothing was known.
 */
export const firstKnown = ({ marks, announced }: Pick<Context, 'marks' | 'announced'>): Marks => ({
  ...untold,
  ...marks,
  ...announced,
});

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as LinkFact | LinkOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing' | 'closing' | 'killed',
    children: {} as { socket: 'link' },
  },
  actors: { link: linkPort },
  actions: {
    ...effects,
    join: sendTo('socket', { type: 'link.join' }),
    leave: sendTo('socket', { type: 'link.leave' }),
    announce: sendTo('socket', (_, { what }: Of): LinkCommand => ({
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
      ...progressOf(told),
    })),
    rememberChange: assign(({ context: { marks } }, order: NotificationOrder) => ({
      marks: { ...marks, [whatOf(order)]: markOf(order) },
    })),
    rememberAnnounced: assign(({ context: { marks, announced } }, { what }: Of) => ({
      announced: { ...announced, [what]: markIn(marks, what) },
    })),
    /** It is the newest there is: a link that was never told of tools would take it for a change, again and again. */
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
    /** Once: an office that wants another version each time is left alone. */
    canSpeakAs: ({ context: c }, { version }: { version: string }) =>
      !c.isAdapted && version !== c.version && isSpoken(version) === true,
    isNews: ({ context }) => whats.some((what) => isNewsOf(context, what)),
    isNewsOf: ({ context }, { what }: Of) => isNewsOf(context, what),
  },
  delays: {
    linkTimeout: ({ context }) => context.timing.linkMs,
    quiet: ({ context }) => context.timing.quietMs,
    longestQuiet: ({ context }) => context.timing.longestQuietMs,
  },
});

type Ordered = { readonly event: NotificationOrder };
/** Whoever hears of it asks: so it counts as known. */
const announce = <Params extends Of | ((at: Ordered) => Of)>(params: Params) =>
  [
    { type: 'announce', params },
    { type: 'rememberAnnounced', params },
  ] as const;
/** The same way for each change that is gathered, or for each that is said at once. */
const each = <Gathered extends boolean, Way>(isGathered: Gathered, way: Way) =>
  Object.fromEntries(
    rows.filter((row) => row.isGathered === isGathered).map((row) => [row.order.type, way]),
  ) as {
    readonly [Row in Extract<Notification, { isGathered: Gathered }> as Row['order']['type']]: Way;
  };
const rememberChange = { type: 'rememberChange', params: ({ event }: Ordered) => event } as const;
const remembering = { actions: rememberChange } as const;
export const rememberChanges = { ...each(true, remembering), ...each(false, remembering) };
export const gatherChanges = each(true, {
  target: 'listening',
  reenter: true,
  actions: rememberChange,
} as const);
export const announceChanges = each(false, {
  actions: [rememberChange, ...announce(({ event }: Ordered) => ({ what: whatOf(event) }))],
} as const);
/** Ways of a state: one for each that changed, in the order of the rows. */
export const announceNews = whats.map((what) => ({
  guard: { type: 'isNewsOf', params: { what } } as const,
  actions: announce({ what }),
}));
/** What an agent's link hears of computers is its owner's business. */
export const passNews = Object.fromEntries(
  ['computer.entered', 'computer.left', ...rows.map((row) => row.fact.type)].map((type) => [
    type,
    { actions: pass },
  ]),
) as Readonly<Record<Extract<LinkFact, { type: `computer.${string}` }>['type'], { actions: typeof pass }>>;
/** For the person who is asked about it, and the host: its agent hears it from the office. */
export const whyCancelled: Readonly<Record<CancelReason, string>> = {
  timeout: 'the office gave up waiting for it',
  left: 'its agent left the office',
  closing: 'the office is closing',
};
export const because = <E>(reason: (event: E) => string, refusal?: (event: E) => LinkRefusal | undefined) =>
  ({
    type: 'rememberReason',
    params: ({ event }: { event: E }) => ({ reason: reason(event), refusal: refusal?.(event) ?? null }),
  }) as const;
type Refused = Extract<LinkFact, { type: 'link.refused' }>;
const versionOf = ({ event }: { event: Refused }) => ({ version: event.version ?? '' });
export const socketOf = ({ context: c }: { context: Context }): LinkInput => ({
  url: c.url,
  role: c.role,
  name: c.name,
  office: c.office,
  version: c.version,
  key: c.self,
});
/** An office of another version that we speak is asked again at once, as one of that. */
export const refused = [
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
/** What was refused is refused again: then it rests, but not for ever, as its office may have become another. */
export const pauseMs = ({ timing, refusal }: Context): number =>
  refusal === 'version' || refusal === 'credential' ? timing.linkRestMs : timing.linkBackoffMs;
export const forgetAskers = tell((c) => ({ type: 'asker.lost', asker: c.self }));
/** While they can still hear it. */
export const cancelAskers = tell((c) => ({
  type: 'asker.lost',
  asker: c.self,
  reason: 'its computer leaves the office',
}));
