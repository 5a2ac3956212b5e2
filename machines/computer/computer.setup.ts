/** What the chart of computer.machine.ts is made of: its memory, its actions and guards, its messages. */
import { setup } from 'xstate';
import { assign } from '../kernel/assign.ts';
import type { ToolApproved } from '../call/call.machine.ts';
import type { CatalogListed, CatalogNews } from '../catalog/catalog.machine.ts';
import { clientKind, type ClientChanged, type ClientOrder } from '../client/client.events.ts';
import * as rules from './computer.rules.ts';
import * as collections from './computer.collections.ts';
import * as waiting from './computer.waiting.ts';
import * as withdrawal from './computer.withdrawn.ts';
import type {
  CallOverdue,
  ComputerContext,
  ComputerNews,
  Event,
  Input,
  ToolCall,
} from './computer.events.ts';
import { effects, message, post, toOwned, type Open, type OwnedEnded, type Post } from '../kernel/effects.ts';
import { linkGivenUp } from '../link/link.setup.ts';
import { granted, isFull, over, refilled, want, type ConnectPermits } from './connect-permits.ts';
import type { ClientWaits } from '../client/waits.ts';

export const parts = setup({
  types: {
    context: {} as ComputerContext,
    input: {} as Input,
    events: {} as Event,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    hear: assign(({ context }, news: ClientChanged) => ({
      ...waiting.withoutWaits(context, news.server),
      ...rules.heard(context, news),
      ...collections.hide(context, news),
    })),
    noteWaits: assign(({ context }, news: ClientWaits) => waiting.noteWaits(context, news)),
    hearList: assign(({ context }, news: CatalogNews) => ({
      ...rules.listed(context, news),
      ...collections.listed(context, news),
    })),
    noteListed: assign(({ context }, news: CatalogListed) => ({
      ...collections.standing(context, news),
      ...withdrawal.withdrawn(context, news),
    })),
    noteOpened: assign(({ context }) => collections.opened(context)),
    noteShows: assign(({ context }, news: Parameters<typeof collections.shown>[1]) =>
      collections.shown(context, news),
    ),
    noteApproved: assign(({ context }, event: ToolApproved) => rules.approvedBy(context, event)),
    remember: assign((_, { next }: { next: Partial<ComputerContext> }) => next),
    forgetSpent: assign(({ context: c }, { server }: { server: string }) => {
      const plan = c.servers.find((s) => s.rules.server === server);
      return { spent: Object.fromEntries(Object.entries(c.spent).filter(([f]) => f !== plan?.fingerprint)) };
    }),
    forgetLeaving: assign(({ context: c }, ended: OwnedEnded) => ({
      open: c.open - 1 + rules.returning(c, ended).length,
      leaving: c.leaving.filter((name) => name !== rules.serverOf(c, ended)),
      permits: over(c.permits, rules.serverOf(c, ended) ?? ''),
    })),
    countEnd: assign({ open: ({ context }) => Math.max(0, context.open - 1) }),
    noteGivenUp: assign(({ context: c }, { server }: ClientChanged) => ({
      givenUp: [...c.givenUp, server],
    })),
    countReopen: assign({ reopens: ({ context }) => context.reopens + 1 }),
    rememberLink: assign(({ context }, { link }: { link: ComputerContext['link'] }) => ({
      link,
      open: context.open + 1,
    })),
    forgetLink: assign({ link: null }),
    wait: assign(({ context }, order: ToolCall) => waiting.waited(context, order)),
    forgetDecided: assign(({ context }) => waiting.afterDecided(context)),
    forgetOverdue: assign(({ context }, event: CallOverdue) => waiting.afterOverdue(context, event)),
    forgetCancelled: assign(({ context }, event: waiting.Withdrawn) => waiting.afterCancel(context, event)),
    noteDecided: assign(({ context: c }) => waiting.noted(c)),
    forgetWaiting: assign({ waiting: [], waited: {} }),
  },
  guards: {
    mustWait: ({ context }, order: ToolCall) => waiting.mustWait(context, order),
    hasDecided: ({ context: c }) => c.waiting.length > 0 && waiting.decided(c).length > 0,
    hasBooted: ({ context }) => context.servers.every((s) => !rules.isTrying(context.stages[s.rules.server])),
    isWhole: ({ context }) => rules.isWhole(context),
    isLast: ({ context }) => context.open <= 1,
    hasNone: ({ context }) => context.open === 0,
    hasLink: ({ context }) => context.link !== null,
    isCollection: (_, ended: OwnedEnded) => collections.isCollection(ended),
    isLink: (_, ended: OwnedEnded) => ended.kind === 'link',
    isBrokenLink: (_, ended: OwnedEnded) => ended.kind === 'link' && ended.why === 'failed',
    isLeaving: ({ context: c }, ended: OwnedEnded) =>
      ended.kind === 'client' && c.leaving.includes(rules.serverOf(c, ended) ?? ''),
    canReopen: ({ context }, ended: OwnedEnded) =>
      ended.why === 'failed' && context.reopens < rules.maxReopens,
  },
  delays: {
    boot: ({ context }) => context.timing.bootMs,
    shutdown: ({ context }) => context.timing.shutdownMs,
  },
});

type At<E> = { readonly context: ComputerContext; readonly event: E };
export const eventAsParams = <E>({ event }: { event: E }): E => event;
const tellHost = <E>(news: (c: ComputerContext, event: E) => ComputerNews) =>
  ({
    type: 'post',
    params: ({ context, event }: At<E>) => post(context.owner, news(context, event)),
  }) as const;
export const tellStage = (stage: 'whole' | 'degraded' | 'closing') =>
  tellHost(() => ({ type: 'computer.changed', stage }));
export const passToHost = tellHost((_, event: ComputerNews) => event);
/** A machine of its own broke. */
export const tellBroken = tellHost<OwnedEnded>((_, event) => ({
  type: 'machine.failed',
  name: event.name,
  error: event.error ?? '',
}));
/** Its link failed too often: it sits in no office any more. */
export const tellLinkGivenUp = tellHost<OwnedEnded>((_, event) => linkGivenUp(event));
export const tellRemoved = tellHost<OwnedEnded>((c, event) => ({
  type: 'server.removed',
  server: rules.serverOf(c, event) ?? event.key,
}));

type ServerOrder = { readonly type: 'server.start' | 'server.stop'; readonly server: string };
/** To one client by the name of its server. One that was given up says so again: whoever orders waits for news. */
export const passToClient = {
  type: 'post',
  params: ({ context, event: { type, server } }: At<ServerOrder>) =>
    post(
      rules.clientOf(context, server),
      { type },
      { onUndelivered: message(context.owner, rules.crashedNews(server, 'it is not opened again')) },
    ),
} as const;
export const passToClients = {
  type: 'tellOwned',
  params: ({ event }: { event: ClientOrder }) => toOwned(clientKind, event),
} as const;

/** What a rule makes of one event: what is opened and said, the clock, and what is remembered. */
export interface Step {
  readonly opens?: readonly Open[];
  readonly messages?: readonly Post[];
  readonly deadlineMs?: number;
  readonly next: Partial<ComputerContext>;
}
/** Runs the rule once, and does all that it says. */
export const step = <E>(rule: (c: ComputerContext, event: E) => Step) =>
  parts.enqueueActions(({ context, event, enqueue }) => {
    const { opens = [], messages = [], deadlineMs, next } = rule(context, event as E);
    if (opens.length > 0) enqueue({ type: 'openAll', params: { opens } });
    if (messages.length > 0) enqueue({ type: 'postAll', params: { messages } });
    if (deadlineMs !== undefined) enqueue({ type: 'setDeadline', params: { ms: deadlineMs } });
    enqueue({ type: 'remember', params: { next } });
  });

/**
 * Permits after something has happened to them: who may connect is told, and a token comes back with each stroke of
 * the clock, which runs only while some are missing. `rest` is what else follows, before it.
 */
const turning = <E, const Rest extends readonly unknown[]>(
  change: (permits: ConnectPermits, event: E, c: ComputerContext) => ConnectPermits,
  isDue: (before: ConnectPermits, after: ConnectPermits) => boolean,
  rest: Rest,
) => {
  const turn = step<E>((c, event) => {
    const { permits, servers } = granted(change(c.permits, event, c));
    return {
      messages: servers.map((server) =>
        post(rules.clientOf(c, server), { type: 'permit.granted' }, { optional: true }),
      ),
      // One that runs goes on.
      ...(isDue(c.permits, permits) && { deadlineMs: c.timing.permitMs }),
      next: { permits },
    };
  });
  return { actions: [...rest, turn] as const };
};
const starts = (before: ConnectPermits, after: ConnectPermits): boolean => isFull(before) && !isFull(after);
export const permitWanted = turning<{ server: string; again: boolean }, []>(
  (permits, { server, again }) => want(permits, server, again),
  starts,
  [],
);
export const permitReleased = turning<{ server: string }, []>(
  (permits, { server }) => over(permits, server),
  starts,
  [],
);
export const tokenBack = turning<unknown, []>(refilled, (_, after) => !isFull(after), []);
/** Who has connected, or failed to, makes room for the next. */
export const clientChanged = turning(
  (permits, { stage, server }: ClientChanged) => (stage === 'connecting' ? permits : over(permits, server)),
  starts,
  [
    {
      type: 'postAll',
      params: ({ context, event }: At<ClientChanged>) => ({
        messages: [...rules.messagesAfter(context, event), ...collections.messagesOfHiding(context, event)],
      }),
    },
    { type: 'hear', params: eventAsParams<ClientChanged> },
  ] as const,
);
/** Its machine failed too often: nothing of it is offered any more, and its permit is another's. */
export const clientGivenUp = turning(
  (permits, ended: OwnedEnded, c) => over(permits, rules.serverOf(c, ended) ?? ''),
  starts,
  [
    'countEnd',
    tellBroken,
    {
      type: 'postAll',
      params: ({ context, event }: At<OwnedEnded>) => ({
        messages: [
          ...rules.messagesAfter(context, rules.givenUp(context, event)),
          ...collections.messagesOfHiding(context, rules.givenUp(context, event)),
        ],
      }),
    },
    { type: 'hear', params: ({ context, event }: At<OwnedEnded>) => rules.givenUp(context, event) },
    { type: 'noteGivenUp', params: ({ context, event }: At<OwnedEnded>) => rules.givenUp(context, event) },
  ] as const,
);
