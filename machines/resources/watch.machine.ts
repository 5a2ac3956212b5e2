/**
 * Watch: subscriptions to the resources of one server whose changes a host, a Desktop or a Finder wants to hear of.
 *
 * standby — no session has begun: the wanted URIs are known, and nothing is subscribed
 * ready   — steady (all wanted URIs are subscribed, except refused ones) | asking (a few questions at a time: new URIs are
 *           subscribed, unwanted ones unsubscribed)
 * closed  — final
 *
 * The owner is told of each subscription when it is asked for, because content that was read before may be outdated, and
 * of all that are in force when nothing is left to ask. Each order is answered by such a report at once.
 *
 * Each session begins without subscriptions, because a server forgets them with its session. Refused ones, also for want of
 * a session, are then tried again, or when they are requested again.
 */
import { assign, setup } from 'xstate';
import {
  kindOf,
  type Address,
  type AddressFor,
  effects,
  post,
  type DirectoryEvent,
  type Post,
  withEvent,
} from '../kernel/effects.ts';
import { remembered } from '../kernel/objects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Timing } from '../kernel/timing.ts';

interface WatchStart {
  readonly server: string;
  readonly session: Address;
  readonly timing: Pick<Timing, 'listMs'>;
}
export type WatchOrder =
  /** In place of the earlier URIs of `by` (a host, a Desktop or a Finder). */
  | { readonly type: 'watch.set'; readonly uris: readonly string[]; readonly by: string }
  | { readonly type: 'watch.open' }
  | { readonly type: 'close' };
export const watchKind = kindOf<WatchStart, WatchOrder>('watch');
/** Refused ones are left out. */
export interface ResourcesWatched {
  readonly type: 'resources.watched';
  readonly server: string;
  readonly by: string;
  readonly uris: readonly string[];
  /** True: just asked for, in addition to earlier ones. False: these are in force, and no others. */
  readonly isUnderWay: boolean;
}
type Input = WatchStart & { readonly self: Address; readonly owner: AddressFor<ResourcesWatched> };
interface Context extends Input {
  readonly wantedBy: Readonly<Record<string, readonly string[]>>;
  /** Their last order was not answered by a report yet. */
  readonly owed: readonly string[];
  readonly subscribed: readonly string[];
  readonly refused: readonly string[];
  /** Null when the wanted URIs have changed. */
  readonly plan: readonly Step[] | null;
  readonly begun: number;
  readonly running: readonly Step[];
  /** Not applied to `subscribed` yet: many are applied at once, because that copies the whole list. */
  readonly answered: readonly Step[];
}
interface Answer {
  readonly id: string;
}
interface Step {
  readonly method: 'resources/subscribe' | 'resources/unsubscribe';
  readonly uri: string;
  /** True when the wanted URIs have changed since the question was asked, so that its answer leads to a new plan. */
  readonly isOld?: true;
}

/** Open requests to the server, for each host, Desktop or Finder that watches. */
const mostAsked = 16;
const mostAnswered = 256;
const idOf = ({ method, uri }: Step): string => `${method} ${uri}`;
/** In turn from the lists of host, Desktop and Finder, so that none waits for the whole list of another. */
function wantedOf({ wantedBy }: Context): Set<string> {
  const lists = Object.values(wantedBy);
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return new Set(Array.from({ length: longest }, (_, n) => lists.flatMap((uris) => uris[n] ?? [])).flat());
}
/** Plans the questions: new URIs are subscribed first, then unwanted ones are unsubscribed. */
function planOf(c: Context): readonly Step[] {
  const wanted = wantedOf(c);
  const known = new Set([...c.subscribed, ...c.refused, ...c.running.map(({ uri }) => uri)]);
  const asked = new Set(c.running.map(({ uri }) => uri));
  const gone = c.subscribed.filter((uri) => !wanted.has(uri) && !asked.has(uri));
  return [
    ...[...wanted]
      .filter((uri) => !known.has(uri))
      .map((uri): Step => ({ method: 'resources/subscribe', uri })),
    ...gone.map((uri): Step => ({ method: 'resources/unsubscribe', uri })),
  ];
}
/** None until several may be asked at once, because each batch causes a report. */
function nextSteps({ plan, begun, running, wantedBy }: Context): readonly Step[] {
  const most = mostAsked * Math.max(1, Object.keys(wantedBy).length);
  const room = most - running.length;
  return room < mostAsked / 2 ? [] : (plan?.slice(begun, begun + room) ?? []);
}
/** A refused unsubscribe counts as done, because further updates are ignored. */
function applied(c: Context): Pick<Context, 'subscribed' | 'answered'> {
  if (c.answered.length === 0) return { subscribed: c.subscribed, answered: c.answered };
  const not = new Set(c.refused);
  const of = (asked: Step['method']) =>
    c.answered.flatMap(({ method, uri }) => (method === asked ? [uri] : []));
  const gone = new Set(of('resources/unsubscribe'));
  const fresh = of('resources/subscribe').filter((uri) => !not.has(uri));
  return { subscribed: [...c.subscribed.filter((uri) => !gone.has(uri)), ...fresh], answered: [] };
}
function afterSteps(c: Context, steps: readonly Step[], isDone: boolean): Partial<Context> {
  const refusals = isDone ? [] : steps.filter(({ method }) => method === 'resources/subscribe');
  const next: Context = {
    ...c,
    running: c.running.filter((step) => !steps.includes(step)),
    refused: refusals.length > 0 ? [...c.refused, ...refusals.map(({ uri }) => uri)] : c.refused,
    answered: [...c.answered, ...steps],
    plan: steps.some(({ isOld }) => isOld) ? null : c.plan,
  };
  return next.answered.length < mostAnswered ? next : { ...next, ...applied(next) };
}
const runningOf = ({ running }: Context, id: string): readonly Step[] =>
  running.filter((step) => idOf(step) === id);

const reportOf = (c: Context, by: string, uris: readonly string[], isUnderWay: boolean): Post =>
  post(c.owner, { type: 'resources.watched', server: c.server, by, uris, isUnderWay });
function begunReports(c: Context): Post[] {
  const asked = nextSteps(c).flatMap(({ method, uri }) => (method === 'resources/subscribe' ? [uri] : []));
  return Object.entries(c.wantedBy).flatMap(([by, wanted]) => {
    const wants = urisIn(wanted);
    const uris = asked.filter((uri) => wants.has(uri));
    return uris.length > 0 || c.owed.includes(by) ? [reportOf(c, by, uris, true)] : [];
  });
}
const urisIn = remembered((uris: readonly string[]): ReadonlySet<string> => new Set(uris));
function steadyReports(c: Context): Post[] {
  const have = new Set(applied(c).subscribed);
  return Object.entries(c.wantedBy).flatMap(([by, wanted]) =>
    wanted.length > 0
      ? [
          reportOf(
            c,
            by,
            wanted.filter((uri) => have.has(uri)),
            false,
          ),
        ]
      : [],
  );
}

type Wanted = { readonly uris: readonly string[]; readonly by: string };
const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as RequestFact | WatchOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    rememberWanted: assign(({ context: c }, { uris, by }: Wanted) => ({
      wantedBy: { ...c.wantedBy, [by]: uris },
      owed: [...c.owed, by],
      refused: [],
      ...applied(c),
      running: c.running.map((step) => ({ ...step, isOld: true as const })),
      plan: null,
    })),
    noteToldOrder: assign({ owed: [] }),
    beginAgain: assign({ subscribed: [], refused: [], running: [], answered: [], plan: null }),
    noteSteady: assign(({ context }) => ({ ...applied(context), plan: null })),
    notePlan: assign(({ context: c }) => {
      if (c.plan) return {};
      const known = { ...c, ...applied(c) };
      return { subscribed: known.subscribed, answered: known.answered, plan: planOf(known), begun: 0 };
    }),
    noteBegun: assign(({ context: c }) => {
      const next = nextSteps(c);
      return { running: [...c.running, ...next], begun: c.begun + next.length };
    }),
    noteDone: assign(({ context: c }, { id }: Answer) => afterSteps(c, runningOf(c, id), true)),
    noteRefused: assign(({ context: c }, { id }: Answer) => afterSteps(c, runningOf(c, id), false)),
    noteOverdue: assign(({ context: c }) => afterSteps(c, c.running, false)),
  },
  guards: { isDone: ({ context: c }) => c.running.length === 0 && nextSteps(c).length === 0 },
  delays: { limit: ({ context }) => context.timing.listMs },
});

const remember = withEvent('rememberWanted');
const ask = parts.enqueueActions(({ enqueue, context }) => {
  for (const step of nextSteps(context)) {
    const { method, uri } = step;
    enqueue({
      type: 'request',
      params: { id: idOf(step), target: context.session, method, params: { uri } },
    });
  }
});
const withdraw = parts.enqueueActions(({ enqueue, context }) => {
  for (const step of context.running) enqueue({ type: 'cancel', params: { id: idOf(step) } });
});

export const watchMachine = parts.createMachine({
  id: 'watch',
  context: ({ input }) => ({
    ...input,
    wantedBy: {},
    owed: [],
    subscribed: [],
    refused: [],
    plan: null,
    begun: 0,
    running: [],
    answered: [],
  }),
  initial: 'standby',
  on: { close: '.closed' },
  states: {
    standby: {
      on: {
        'watch.set': {
          actions: [
            remember,
            { type: 'post', params: ({ context, event }) => reportOf(context, event.by, [], true) },
            'noteToldOrder',
          ],
        },
        'watch.open': { target: 'ready', actions: 'beginAgain' },
      },
    },
    ready: {
      tags: 'ready',
      initial: 'judging',
      exit: withdraw,
      on: {
        'watch.set': { target: '.judging', actions: remember },
        'watch.open': { target: 'ready', reenter: true, actions: 'beginAgain' },
      },
      states: {
        judging: { entry: 'notePlan', always: [{ guard: 'isDone', target: 'steady' }, { target: 'asking' }] },
        steady: {
          entry: [
            { type: 'postAll', params: ({ context }) => ({ messages: steadyReports(context) }) },
            'noteSteady',
            'noteToldOrder',
          ],
        },
        // Starts the time limit again with each answer, so that only a server that answers nothing loses all questions.
        asking: {
          tags: 'refreshing',
          entry: [
            ask,
            { type: 'postAll', params: ({ context }) => ({ messages: begunReports(context) }) },
            'noteBegun',
            'noteToldOrder',
          ],
          on: {
            'ask.answered': { target: 'judging', actions: withEvent('noteDone') },
            'ask.refused': { target: 'judging', actions: withEvent('noteRefused') },
          },
          after: { limit: { target: 'judging', actions: [withdraw, 'noteOverdue'] } },
        },
      },
    },
    closed: { type: 'final' },
  },
});
