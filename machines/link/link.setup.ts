/** What the chart of link.machine.ts is made of: its words, its memory, its actions and guards. */
import { sendTo, setup } from 'xstate';
import type { Address } from '../kernel/address.ts';
import { assign } from '../kernel/assign.ts';
import type { AggregateWanted, AggregatorNews, ResourceWanted } from '../resources/aggregator.events.ts';
import type { AggregateShown, ResourceRead } from '../resources/systems/index.ts';
import type { System } from '../resources/systems/index.ts';
import { failureResult } from '../protocol/messages/answers.ts';
import { wireCodes } from '../protocol/failure.ts';
import type { CancelReason } from '../protocol/messages/messages.ts';
import { neverSent } from '../protocol/messages/outcome.ts';
import type { SmcpTool } from '../protocol/messages/tool.ts';
import { effects, type DirectoryEvent, type OwnedEnded } from '../kernel/effects.ts';
import {
  linkPort,
  type AgentCalled,
  type Announcement,
  type LinkCommand,
  type LinkFact,
  type LinkInput,
} from '../kernel/ports.ts';
import type { CallSettled } from '../call/settlement.ts';
import type { TimingOf } from '../kernel/timing.ts';

export interface LinkStart extends Omit<LinkInput, 'key'> {
  readonly timing: TimingOf<'link'>;
}
export type LinkOrder =
  | { readonly type: 'tools.changed'; readonly signature: string }
  /** Counts what the config of the computer has been. */
  | { readonly type: 'config.changed'; readonly revision: number }
  | ToolsListed
  | ConfigShown
  | AggregateShown
  | ResourceRead
  | Extract<AggregatorNews, { type: 'aggregate.changed' }>
  | CallSettled
  | { readonly type: 'deadline.passed' }
  | { readonly type: 'close' };
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
/** What the owner hears. `reason` is the office's or the network's own text. */
export type LinkNews =
  | {
      readonly type: 'link.changed';
      readonly stage: 'connecting' | 'joined' | 'waiting' | 'closed';
      readonly reason: string | null;
      /** The office answered and said no. */
      readonly refused: boolean;
    }
  | {
      readonly type: 'tool.call';
      readonly call: AgentCalled;
      readonly replyTo: Address;
    }
  | {
      readonly type: 'tools.wanted';
      readonly ticket: string;
      readonly reqId: string;
      readonly replyTo: Address;
    }
  | {
      readonly type: 'config.wanted';
      readonly ticket: string;
      readonly reqId: string;
      readonly replyTo: Address;
    }
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  | Extract<LinkFact, { type: `computer.${string}` }>;
type Shown = { readonly type: 'aggregate.changed' };
type Signatures = Readonly<Partial<Record<System, string>>>;
type Input = LinkStart & { readonly self: Address; readonly owner: Address };
export interface Context extends Input {
  readonly signature: string | null;
  readonly announced: string | null;
  readonly config: number;
  readonly announcedConfig: number;
  /** Signatures of Desktop and Finder as they are, and as the office knows them; null: it was never sat in. */
  readonly shown: Signatures;
  readonly announcedSystems: Signatures | null;
  readonly reason: string | null;
  readonly refused: boolean;
}

export const tell = <E>(news: (c: Context, event: E) => LinkNews) =>
  ({
    type: 'post',
    params: ({ context, event }: { context: Context; event: E }) => ({
      to: context.owner,
      event: news(context, event),
    }),
  }) as const;
export const tellStage = (stage: 'connecting' | 'joined' | 'waiting' | 'closed') =>
  tell((c) => ({ type: 'link.changed', stage, reason: c.reason, refused: c.refused }));
/** Said for a link whose machine failed too often. */
export const linkGivenUp = ({ error, why }: OwnedEnded) =>
  ({
    type: 'link.changed',
    stage: 'closed',
    reason: `its machine failed too often: ${error ?? why}`,
    refused: false,
  }) satisfies LinkNews;
export const pass = tell((_, event: Extract<LinkNews, LinkFact>) => event);
export const answer = <E>(body: (event: E) => { ticket: string; body: unknown }) =>
  ({ type: 'answer', params: ({ event }: { event: E }) => body(event) }) as const;

const announcements: Readonly<Record<System, Announcement>> = {
  desktop: 'server:update_desktop',
  finder: 'server:update_finder',
};
const isToolNews = (c: Context): boolean => c.signature !== c.announced;
const isSystemNews = ({ shown, announcedSystems: told }: Context, system: System): boolean =>
  told !== null && shown[system] !== told[system];
const isConfigNews = (c: Context): boolean => c.config !== c.announcedConfig;

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
    announce: sendTo('socket', { type: 'link.announce', event: 'server:update_tool_list' }),
    announceConfig: sendTo('socket', { type: 'link.announce', event: 'server:update_config' }),
    announceSystem: sendTo('socket', (_, { system }: { system: System }): LinkCommand => ({
      type: 'link.announce',
      event: announcements[system],
    })),
    rememberConfig: assign((_, { revision }: { revision: number }) => ({ config: revision })),
    rememberConfigAnnounced: assign({ announcedConfig: ({ context }) => context.config }),
    answer: sendTo('socket', (_, p: { ticket: string; body: unknown }): LinkCommand => ({
      type: 'link.answer',
      ...p,
    })),
    rememberTools: assign((_, params: { signature: string }) => ({ signature: params.signature })),
    /** The enter notice itself tells the agent to fetch: only what changes after it is announced. */
    rememberAnnounced: assign({ announced: ({ context }) => context.signature }),
    /** It is the newest there is: a link that was never told of tools would take it for a change, again and again. */
    rememberAnswered: assign((_, { signature }: { signature: string }) => ({
      signature,
      announced: signature,
    })),
    rememberFirst: assign({
      announced: ({ context }) => context.announced ?? context.signature,
      announcedSystems: ({ context }) => context.announcedSystems ?? context.shown,
    }),
    rememberShown: assign(({ context }, { system, signature }: Extract<LinkOrder, Shown>) => ({
      shown: { ...context.shown, [system]: signature },
    })),
    rememberSystemAnnounced: assign(({ context: c }, { system }: { system: System }) => ({
      announcedSystems: { ...c.announcedSystems, [system]: c.shown[system] },
    })),
    rememberReason: assign((_, p: { reason: string; refused: boolean }) => p),
    forgetReason: assign({ reason: null, refused: false }),
  },
  guards: {
    isNews: ({ context: c }) =>
      isToolNews(c) || isConfigNews(c) || isSystemNews(c, 'desktop') || isSystemNews(c, 'finder'),
    isSystemNews: ({ context }, { system }: { system: System }) => isSystemNews(context, system),
    isToolNews: ({ context }) => isToolNews(context),
    isConfigNews: ({ context }) => isConfigNews(context),
  },
  delays: {
    linkTimeout: ({ context }) => context.timing.linkMs,
    quiet: ({ context }) => context.timing.quietMs,
    longestQuiet: ({ context }) => context.timing.longestQuietMs,
  },
});

/** Whoever hears of it asks: so it counts as known. */
const announceSystem = <E>(systemIn: (event: E) => System) => {
  const params = ({ event }: { event: E }) => ({ system: systemIn(event) });
  return [
    { type: 'announceSystem', params },
    { type: 'rememberSystemAnnounced', params },
  ] as const;
};
type Changed = Extract<LinkOrder, Shown>;
export const announceChange = {
  actions: [
    { type: 'rememberShown', params: ({ event }: { event: Changed }) => event },
    ...announceSystem<Changed>(({ system }) => system),
  ],
} as const;
/** Ways of a state: one for each that changed while nobody could be told. */
export const announceMissed = (['desktop', 'finder'] as const).map((system) => ({
  guard: { type: 'isSystemNews', params: { system } } as const,
  actions: announceSystem(() => system),
}));
/** For the person who is asked about it, and the host: its agent hears it from the office. */
export const whyCancelled: Readonly<Record<CancelReason, string>> = {
  timeout: 'the office gave up waiting for it',
  left: 'its agent left the office',
  closing: 'the office is closing',
};
export const because = <E>(reason: (event: E) => string, refused = false) =>
  ({
    type: 'rememberReason',
    params: ({ event }: { event: E }) => ({ reason: reason(event), refused }),
  }) as const;
export const forgetAskers = tell((c) => ({ type: 'asker.lost', asker: c.self }));
/** While they can still hear it. */
export const cancelAskers = tell((c) => ({
  type: 'asker.lost',
  asker: c.self,
  reason: 'its computer leaves the office',
}));
/** The answer to a call that comes too late. */
export const leavingAck = (call: AgentCalled) => ({
  ticket: call.ticket,
  body: failureResult(
    {
      code: wireCodes.notFound,
      message: `Call '${call.reqId}' was not sent: the computer is leaving the office`,
      details: { reason: 'leaving' },
    },
    { ending: neverSent },
  ),
});
