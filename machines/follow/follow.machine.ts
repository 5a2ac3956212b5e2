/**
 * Follower: keeps what another one has, such as a list of a server, and asks for it again when that may have changed. The
 * lists of a server and the views of an agent are followers, each with its rules. States:
 *
 * standby — there is nothing to ask for, or the follower has given up
 * asking  — one question is under way; after a change told meanwhile, one more follows, or it is asked anew at once
 * between — judging (transient, after an answer) | steady | gathering{listening} (a burst of changes: it asks after a quiet
 *           moment or the longest wait) | waiting (pause after a failure: what was known is kept)
 * closed  — final
 */
import { enqueueActions, setup, type EventObject } from 'xstate';
import { deadline, effects, noDeadline, requests, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Answered, Follow, FollowRules, Refusal } from './follow.rules.ts';

type Change<C> = (c: C, event: never) => Partial<C>;
function changesBy<C extends Follow>(rules: FollowRules<never, C, EventObject>): Record<string, Change<C>> {
  const note = (c: C, event: EventObject): Partial<C> => rules.noted?.(c, event) ?? {};
  const lose = (c: C, refusal: Refusal): Partial<C> => {
    const failures = c.failures + (rules.isPassing?.(refusal) ? 0 : 1);
    const next = { came: 'failed', failure: refusal.failure, failures } as Partial<C>;
    return { ...next, ...rules.failed?.({ ...c, ...next }, refusal) };
  };
  return {
    note,
    /** Changes told during one question count as one. */
    noteOutdated: (c, event) => (c.isOutdated ? {} : { ...note(c, event), isOutdated: true }),
    noteAsked: (c, event) => ({ ...rules.asked?.(c, event), isOutdated: false }) as Partial<C>,
    takeAnswer(c, { result }: Answered) {
      // Nobody is told what is asked for anew at once.
      if (c.isOutdated && !rules.pace.quietMs) return { came: 'part' } as Partial<C>;
      const reading = rules.read(c, result);
      if (reading.step === 'unreadable') return lose(c, reading);
      const { step: came, next } = reading;
      return { came, ...(came === 'whole' && { failure: null, failures: 0 }), ...next };
    },
    takeRefusal: lose,
    takeSilence: (c) => lose(c, { failure: rules.timeout(c) }),
    calmDown: (c) => rules.calmed?.(c) ?? {},
    ...Object.fromEntries(
      Object.entries(rules.orders ?? {}).map(([type, order]) => [type, order?.take as Change<C>]),
    ),
  };
}

interface Spoken<Input, C extends Follow, Order extends EventObject> {
  readonly context: C;
  readonly input: Input;
  readonly events: Order | RequestFact | DirectoryEvent | { readonly type: 'deadline.passed' };
  readonly tags: 'ready' | 'refreshing';
}
const typed = <Input, C extends Follow, Order extends EventObject>(types: Spoken<Input, C, Order>) =>
  setup({ types }).createMachine({} as { context: C });
export type Follower<Input, C extends Follow, Order extends EventObject> = ReturnType<
  typeof typed<Input, C, Order>
>;

function betweenBy<C extends Follow>(rules: FollowRules<never, C, EventObject>) {
  const { id, changed, pace } = rules;
  const asking = `#${id}.asking`;
  const afterChange = pace.quietMs ? 'gathering' : asking;
  const { pollMs } = pace;
  const poll = pollMs && {
    // Varies by ± 10 %, so that not all are asked at once.
    entry: deadline('poll', (c: C) => Math.round(pollMs(c) * 0.9), 2 / 9),
    exit: noDeadline,
  };
  const polled = poll && { 'deadline.passed': asking };
  const listening = {
    on: { [changed]: { target: 'listening', reenter: true } },
    after: { quiet: asking },
  };
  return {
    tags: 'ready',
    always: rules.mustAsk ? [{ guard: 'mustAsk', target: asking }] : [],
    initial: 'judging',
    states: {
      judging: {
        always: [
          { guard: { type: 'came', params: 'over' }, target: `#${id}.standby` },
          ...(pace.retryMs ? [{ guard: { type: 'came', params: 'failed' }, target: 'waiting' }] : []),
          { guard: 'isOutdated', target: afterChange },
          ...(rules.hasParts ? [{ guard: { type: 'came', params: 'part' }, target: asking }] : []),
          { target: 'steady' },
        ],
      },
      steady: {
        ...poll,
        on: { [changed]: { target: afterChange, actions: 'note' }, ...polled },
        after: rules.calmed ? { longestQuiet: { actions: 'calmDown' } } : {},
      },
      ...(pace.quietMs && {
        gathering: { initial: 'listening', states: { listening }, after: { longestQuiet: asking } },
      }),
      ...(pace.retryMs && {
        waiting: { on: { [changed]: { target: asking, actions: 'note' } }, after: { retry: asking } },
      }),
    },
  };
}
function statesBy<C extends Follow>(rules: FollowRules<never, C, EventObject>) {
  const { changed, wake } = rules;
  const asksAgain = { target: 'asking', actions: 'note' };
  return {
    standby: { on: { [changed]: wake ? asksAgain : {}, ...(wake && { [wake]: asksAgain }) } },
    asking: {
      tags: 'refreshing',
      entry: ['noteAsked', requests(rules.ask)],
      exit: { type: 'cancel', params: ({ context }: { context: C }) => ({ id: rules.ask(context).id }) },
      on: {
        [changed]: [
          ...(rules.asksAnew
            ? [{ guard: 'asksAnew', target: 'asking', reenter: true, actions: 'noteOutdated' }]
            : []),
          { actions: 'noteOutdated' },
        ],
        'ask.answered': { target: 'between', actions: 'takeAnswer' },
        'ask.refused': { target: 'between', actions: 'takeRefusal' },
      },
      after: { limit: { target: 'between', actions: 'takeSilence' } },
    },
    between: betweenBy(rules),
    closed: { type: 'final' },
  };
}
type At<C> = { readonly context: C; readonly event: EventObject };
/** The actions have the names of the changes, and those of orders the names of their orders. */
function partsBy<Input, C extends Follow, Order extends EventObject>(rules: FollowRules<Input, C, Order>) {
  const taking = (change: Change<C>) =>
    enqueueActions(({ context, event, enqueue }) => {
      const next = change(context as C, event as never);
      const messages = rules.tell(context as C, { ...(context as C), ...next });
      if (messages.length > 0) enqueue({ type: 'postAll', params: { messages } });
      enqueue.assign(next);
    });
  const { pace } = rules;
  const at = (ms: ((c: C) => number) | undefined) => ms && (({ context }: At<C>) => ms(context));
  const changes = Object.entries(changesBy<C>(rules as never));
  return {
    actions: {
      ...effects,
      ...Object.fromEntries(changes.map(([name, change]) => [name, taking(change)])),
    },
    guards: {
      came: ({ context }: At<C>, came: Follow['came']) => context.came === came,
      isOutdated: ({ context }: At<C>) => context.isOutdated,
      asksAnew: ({ context }: At<C>) => rules.asksAnew?.(context) ?? false,
      mustAsk: ({ context }: At<C>) => rules.mustAsk?.(context) ?? false,
    },
    delays: {
      limit: at(pace.limitMs),
      quiet: at(pace.quietMs),
      longestQuiet: at(pace.longestQuietMs),
      retry: at(pace.retryMs),
    },
  };
}

export function followMachine<Input, C extends Follow, Order extends EventObject>(
  rules: FollowRules<Input, C, Order>,
): Follower<Input, C, Order> {
  const { id, wake, startsOpen } = rules;
  const orders = Object.entries<{ to?: string } | undefined>(rules.orders ?? {});
  const led = orders.map(([type, order]) => [
    type,
    { actions: type, ...(order?.to && { target: `.${order.to}` }) },
  ]);
  return setup(partsBy(rules) as never).createMachine({
    id,
    context: ({ input }: { readonly input: Input }) => ({
      came: 'over',
      isOutdated: false,
      failure: null,
      failures: 0,
      ...rules.begin(input),
    }),
    initial: startsOpen ? 'asking' : 'standby',
    on: { ...Object.fromEntries(led), ...(wake && { [wake]: {} }), close: '.closed' },
    states: statesBy(rules as never),
  } as never) as object as Follower<Input, C, Order>;
}
