/**
 * Watch: subscriptions to the resources of one server whose changes a host, a Desktop or a Finder wants to hear of.
 *
 * standby — no session has begun: the wanted URIs are known, and nothing is subscribed
 * ready   — steady (all wanted URIs are subscribed, except refused ones) | asking (one question after another: new URIs are
 *           subscribed, unwanted ones unsubscribed)
 * closed  — final
 *
 * The owner is told whenever all wanted URIs are subscribed, because content that was read before may be outdated.
 *
 * Each session begins without subscriptions, because a server forgets them with its session. Refused ones, also for want of
 * a session, are then tried again, or when they are requested again.
 */
import { assign, setup } from 'xstate';
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Timing } from '../kernel/timing.ts';

interface WatchStart {
  readonly server: string;
  /** Address that opened the session, to which the questions go. */
  readonly session: Address;
  readonly timing: Pick<Timing, 'listMs'>;
}
export type WatchOrder =
  /** Sets the URIs that `by` (a host, a Desktop or a Finder) wants to watch, in place of earlier ones. */
  | { readonly type: 'watch.set'; readonly uris: readonly string[]; readonly by: string }
  /** A session has begun. */
  | { readonly type: 'watch.open' }
  | { readonly type: 'close' };
export const watchKind = kindOf<WatchStart, WatchOrder>('watch');
/**
 * Report to the owner that changes of these URIs are now announced to `by`. Refused subscriptions are left
 * out.
 */
export interface ResourcesWatched {
  readonly type: 'resources.watched';
  readonly server: string;
  readonly by: string;
  readonly uris: readonly string[];
  /** True for the first report in a session, because changes between two sessions were not announced. */
  readonly isAnew: boolean;
}
type Input = WatchStart & { readonly self: Address; readonly owner: AddressFor<ResourcesWatched> };
interface Context extends Input {
  /** URIs to watch, by the party that wants them: a host, a Desktop or a Finder. */
  readonly wantedBy: Readonly<Record<string, readonly string[]>>;
  /** URIs to watch for all parties together, each once. */
  readonly wanted: readonly string[];
  readonly subscribed: readonly string[];
  readonly refused: readonly string[];
  /** Running question; other URIs may be wanted by the time of its answer. */
  readonly step: Step | null;
  /** Questions to ask one after another for the wanted URIs; null when the wanted URIs have changed since. */
  readonly plan: readonly Step[] | null;
  /**
   * Number of finished steps of the plan. They are added to `subscribed` only at its end, because each
   * addition copies the list.
   */
  readonly done: number;
  /** True until the first report to the owner in this session. */
  readonly isAnew: boolean;
}
interface Step {
  readonly method: 'resources/subscribe' | 'resources/unsubscribe';
  readonly uri: string;
}

/** Plans the questions: new URIs are subscribed first, then unwanted ones are unsubscribed. */
function planOf({ wanted, subscribed, refused }: Context): readonly Step[] {
  const [have, not, still] = [new Set(subscribed), new Set(refused), new Set(wanted)];
  const fresh = wanted.filter((uri) => !have.has(uri) && !not.has(uri));
  const gone = subscribed.filter((uri) => !still.has(uri));
  return [
    ...fresh.map((uri): Step => ({ method: 'resources/subscribe', uri })),
    ...gone.map((uri): Step => ({ method: 'resources/unsubscribe', uri })),
  ];
}
/** Returns the next subscribe or unsubscribe question of the plan; undefined when the plan is finished. */
const stepOf = ({ plan, done }: Context): Step | undefined => plan?.[done];
/**
 * Returns the subscribed URIs after these steps. A refused unsubscribe counts as done, because further
 * updates are ignored.
 */
function after({ subscribed, refused }: Context, steps: readonly Step[]): readonly string[] {
  const not = new Set(refused);
  const of = (asked: Step['method']) => steps.flatMap(({ method, uri }) => (method === asked ? [uri] : []));
  const gone = new Set(of('resources/unsubscribe'));
  const fresh = of('resources/subscribe').filter((uri) => !not.has(uri));
  return [...subscribed.filter((uri) => !gone.has(uri)), ...fresh];
}
/** Ends the plan, finished or not, and adds its finished steps to the subscribed URIs. */
const planless = (c: Context): Pick<Context, 'plan' | 'done' | 'subscribed'> => ({
  plan: null,
  done: 0,
  subscribed: c.plan && c.done > 0 ? after(c, c.plan.slice(0, c.done)) : c.subscribed,
});
function stepped(c: Context, step: Step | null, isDone: boolean): Partial<Context> {
  if (!step) return {};
  const isRefused = step.method === 'resources/subscribe' && !isDone;
  const refused = isRefused ? [...c.refused, step.uri] : c.refused;
  // A question asked before the wanted URIs changed belongs to no plan, so its result is applied at once.
  return c.plan ? { refused, done: c.done + 1 } : { refused, subscribed: after({ ...c, refused }, [step]) };
}

const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as RequestFact | WatchOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    rememberWanted: assign(({ context }, { uris, by }: { uris: readonly string[]; by: string }) => {
      const wantedBy = { ...context.wantedBy, [by]: uris };
      const wanted = [...new Set(Object.values(wantedBy).flat())];
      return { ...planless(context), wantedBy, wanted, refused: [] };
    }),
    beginAnew: assign({ subscribed: [], refused: [], step: null, plan: null, done: 0, isAnew: true }),
    noteTold: assign({ isAnew: false }),
    noteSteady: assign(({ context }) => planless(context)),
    notePlan: assign(({ context: c }) => (c.plan ? {} : { plan: planOf(c), done: 0 })),
    noteStep: assign(({ context }) => ({ step: stepOf(context) ?? null })),
    noteDone: assign(({ context: c }) => stepped(c, c.step, true)),
    noteRefused: assign(({ context: c }) => stepped(c, c.step, false)),
  },
  guards: { isDone: ({ context }) => stepOf(context) === undefined },
  delays: { limit: ({ context }) => context.timing.listMs },
});

const remember = {
  type: 'rememberWanted',
  params: ({ event }: { event: { readonly uris: readonly string[]; readonly by: string } }) => event,
} as const;

export const watchMachine = parts.createMachine({
  id: 'watch',
  context: ({ input }) => ({
    ...input,
    wantedBy: {},
    wanted: [],
    subscribed: [],
    refused: [],
    step: null,
    plan: null,
    done: 0,
    isAnew: true,
  }),
  initial: 'standby',
  on: { close: '.closed' },
  states: {
    standby: {
      on: {
        'watch.set': { actions: remember },
        'watch.open': { target: 'ready', actions: 'beginAnew' },
      },
    },
    ready: {
      tags: 'ready',
      initial: 'judging',
      on: {
        'watch.set': { actions: remember },
        'watch.open': { target: 'ready', reenter: true, actions: 'beginAnew' },
      },
      states: {
        judging: { entry: 'notePlan', always: [{ guard: 'isDone', target: 'steady' }, { target: 'asking' }] },
        steady: {
          entry: [
            'noteSteady',
            {
              type: 'postAll',
              params: ({ context: { owner, server, wantedBy, subscribed, isAnew } }) => {
                const have = new Set(subscribed);
                const messages = Object.entries(wantedBy).flatMap(([by, wanted]) => {
                  const uris = wanted.filter((uri) => have.has(uri));
                  return uris.length === 0
                    ? []
                    : [post(owner, { type: 'resources.watched', server, by, uris, isAnew })];
                });
                return { messages };
              },
            },
            'noteTold',
          ],
          on: { 'watch.set': { target: 'judging', actions: remember } },
        },
        asking: {
          tags: 'refreshing',
          entry: [
            'noteStep',
            {
              type: 'request',
              params: ({ context: c }) => ({
                id: 'watch',
                target: c.session,
                method: c.step?.method ?? 'ping',
                params: { uri: c.step?.uri ?? '' },
              }),
            },
          ],
          exit: { type: 'cancel', params: { id: 'watch' } },
          on: {
            'ask.answered': { target: 'judging', actions: 'noteDone' },
            'ask.refused': { target: 'judging', actions: 'noteRefused' },
          },
          after: { limit: { target: 'judging', actions: 'noteRefused' } },
        },
      },
    },
    closed: { type: 'final' },
  },
});
