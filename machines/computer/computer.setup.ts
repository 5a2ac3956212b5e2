/** What the chart of computer.machine.ts is made of: its memory, its actions and guards, its messages. */
import { assign, setup } from 'xstate';
import type { Address } from '../kernel/address.ts';
import { callKind, type ComputerCall, type ToolApproved } from '../call/messages.ts';
import type { CatalogListed } from '../catalog/catalog.machine.ts';
import { clientKind, type ClientChanged } from '../client/client.events.ts';
import * as rules from './computer.rules.ts';
import * as collections from './computer.collections.ts';
import * as asked from './computer.asked.ts';
import * as waiting from './computer.waiting.ts';
import * as withdrawal from './computer.withdrawn.ts';
import type {
  CallOverdue,
  ComputerContext,
  ComputerNews,
  Event,
  Input,
  Question,
} from './computer.events.ts';
import {
  effects,
  message,
  post,
  toOwned,
  toOwnersOf,
  type Open,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import { linkGivenUp } from '../link/link.machine.ts';
import { granted, isFull, over, refilled, want, type ConnectPermits } from './connect-permits.ts';
import type { ClientWaits } from '../kernel/ports.ts';

export const parts = setup({
  types: {
    context: {} as ComputerContext,
    input: {} as Input,
    events: {} as Event,
    tags: {} as 'connecting' | 'ready' | 'closing',
  },
  actions: {
    ...effects,
    noteWaits: assign(({ context }, news: ClientWaits) => waiting.noteWaits(context, news)),
    noteListed: assign(({ context }, news: CatalogListed) => ({
      ...collections.standing(context, news),
      ...withdrawal.withdrawn(context, news),
    })),
    noteOpened: assign(({ context }) => collections.opened(context)),
    noteShows: assign(({ context }, news: Parameters<typeof collections.shown>[1]) =>
      collections.shown(context, news),
    ),
    noteApproved: assign(({ context }, event: ToolApproved) => rules.approvedBy(context, event)),
    forgetApproved: assign(({ context }, { asker }: { asker: Address }) => ({
      approved: rules.approvedWithout(context, asker),
    })),
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
    countReopen: assign({ reopens: ({ context }) => context.reopens + 1 }),
    rememberLink: assign(({ context }, { link }: { link: ComputerContext['link'] }) => ({
      link,
      open: context.open + 1,
    })),
    forgetLink: assign({ link: null }),
    wait: assign(({ context }, order: ComputerCall) => waiting.waited(context, order)),
    forgetDecided: assign(({ context }) => waiting.afterDecided(context)),
    forgetOverdue: assign(({ context }, event: CallOverdue) => waiting.afterOverdue(context, event)),
    forgetCancelled: assign(({ context }, event: waiting.Withdrawn) => waiting.afterCancel(context, event)),
    noteDecided: assign(({ context: c }) => waiting.noted(c)),
    forgetWaiting: assign({ waiting: [], waited: {} }),
    keepAsked: assign(({ context }, question: Question) => asked.kept(context, question)),
    forgetAsked: assign({ asked: null }),
  },
  guards: {
    mustKeep: ({ context }, question: Question) => asked.mustKeep(context, question),
    mustWait: ({ context }, order: ComputerCall) => waiting.mustWait(context, order),
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
    tools: ({ context }) => context.timing.toolsMs,
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
/** A cancel goes to the client that has the call; of an asker that is gone nobody knows which calls there are. */
export const passWithdrawal = {
  type: 'tellOwned',
  params: ({ event }: { event: waiting.Withdrawn }) =>
    event.type === 'call.cancel'
      ? toOwnersOf(clientKind, [callKind, event.ticket], event)
      : toOwned(clientKind, event),
} as const;

/** Runs the rule once, and does all that it says. */
/** What a rule makes of one event: what is opened and said, the clocks, and what is remembered. */
export interface Step {
  readonly opens?: readonly Open[];
  readonly messages?: readonly Post[];
  /** Its deadline; 0 = none. Not given: the one that runs goes on. */
  readonly deadlineMs?: number;
  /** Delayed events of its own that do not come any more, by their ids. */
  readonly cancels?: readonly string[];
  readonly next: Partial<ComputerContext>;
}
export const step = <E>(rule: (c: ComputerContext, event: E) => Step) =>
  parts.enqueueActions(({ context, event, enqueue }) => {
    const { opens = [], messages = [], deadlineMs, cancels = [], next } = rule(context, event as E);
    if (opens.length > 0) enqueue({ type: 'openAll', params: { opens } });
    if (messages.length > 0) enqueue({ type: 'postAll', params: { messages } });
    if (deadlineMs !== undefined) enqueue({ type: 'setDeadline', params: { ms: deadlineMs, for: 'permit' } });
    for (const id of cancels) enqueue.cancel(id);
    enqueue({ type: 'remember', params: { next } });
  });

/**
 * Permits after something has happened to them: who may connect is told, and a token comes back with each stroke of
 * the clock, which runs only while some are missing. `rest` is what else follows from it, and is said first.
 */
const turning = <E>(
  change: (permits: ConnectPermits, event: E, c: ComputerContext) => ConnectPermits,
  isDue: (before: ConnectPermits, after: ConnectPermits) => boolean,
  rest: (c: ComputerContext, event: E) => rules.Told = () => ({ messages: [], next: {} }),
) =>
  step<E>((c, event) => {
    const { permits, servers } = granted(change(c.permits, event, c));
    const { messages, next } = rest(c, event);
    const grants = servers.map((server) =>
      post(rules.clientOf(c, server), { type: 'permit.granted' }, { optional: true }),
    );
    return {
      messages: [...messages, ...grants],
      // One that runs goes on.
      ...(isDue(c.permits, permits) && { deadlineMs: c.timing.permitMs }),
      next: { ...next, permits },
    };
  });
const starts = (before: ConnectPermits, after: ConnectPermits): boolean => isFull(before) && !isFull(after);
export const permitWanted = turning<{ server: string; again: boolean }>(
  (permits, { server, again }) => want(permits, server, again),
  starts,
);
export const permitReleased = turning<{ server: string }>(
  (permits, { server }) => over(permits, server),
  starts,
);
export const tokenBack = turning<unknown>(refilled, (_, after) => !isFull(after));
/** What a client said, told and taken in. */
const hear = (c: ComputerContext, news: ClientChanged): rules.Told => {
  const told = rules.telling(c, news, rules.heard(c, news));
  const hidden = collections.hiding(c, news);
  return {
    messages: [...told.messages, ...withdrawal.messagesOfReady(c, news), ...hidden.messages],
    next: { ...waiting.withoutWaits(c, news.server), ...told.next, ...hidden.next },
  };
};
/** Who has connected, or failed to, makes room for the next. */
export const clientChanged = turning<ClientChanged>(
  (permits, { stage, server }) => (stage === 'connecting' ? permits : over(permits, server)),
  starts,
  hear,
);
/** Its machine failed too often: nothing of it is offered any more, and its permit is another's. */
const giveUp = turning<OwnedEnded>(
  (permits, ended, c) => over(permits, rules.serverOf(c, ended) ?? ''),
  starts,
  (c, ended) => {
    const news = rules.givenUp(c, ended);
    const { messages, next } = hear(c, news);
    return { messages, next: { ...next, givenUp: [...c.givenUp, news.server] } };
  },
);
export const clientGivenUp = { actions: ['countEnd', tellBroken, giveUp] } as const;
