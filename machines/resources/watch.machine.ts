/**
 * The resources of one server of which somebody wants to hear when they change.
 *
 * standby — there was no session yet: what is wanted is known, and nothing is subscribed
 * ready   — steady (subscribed is what is wanted, but for what was refused) | asking (one after another: new ones are
 *           subscribed, gone ones are not any more)
 * closed  — final
 *
 * Its owner hears each time that all is as it is wanted: what was read before may be old.
 *
 * Each session begins with nothing: a server forgets its subscribers with it. What was refused, also because there was no
 * session, is tried again then, or when it is wanted anew.
 */
import { assign, setup } from 'xstate';
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Timing } from '../kernel/timing.ts';

interface WatchStart {
  readonly server: string;
  /** The address that opened the session: questions go there. */
  readonly session: Address;
  readonly timing: Pick<Timing, 'listMs'>;
}
export type WatchOrder =
  /** From now on `by` wants these and no others, by URI: a host, a Desktop, a Finder. */
  | { readonly type: 'watch.set'; readonly uris: readonly string[]; readonly by: string }
  /** A session has begun. */
  | { readonly type: 'watch.open' }
  | { readonly type: 'close' };
export const watchKind = kindOf<WatchStart, WatchOrder>('watch');
/** What the owner hears: from now on `by` is told when one of these changes. What was refused is not among them. */
export interface ResourcesWatched {
  readonly type: 'resources.watched';
  readonly server: string;
  readonly by: string;
  readonly uris: readonly string[];
  /** For the first time in this session: what changed between two sessions nobody told. */
  readonly isAnew: boolean;
}
type Input = WatchStart & { readonly self: Address; readonly owner: AddressFor<ResourcesWatched> };
interface Context extends Input {
  /** By who wants them. */
  readonly wantedBy: Readonly<Record<string, readonly string[]>>;
  /** What anybody wants, each once. */
  readonly wanted: readonly string[];
  readonly subscribed: readonly string[];
  readonly refused: readonly string[];
  /** What is being asked; others may be wanted by the time of the answer. */
  readonly step: Step | null;
  /** What is asked one after another, worked out once for what is wanted; null: something else is wanted by now. */
  readonly plan: readonly Step[] | null;
  /** How many of these are done: they are in `subscribed` when the plan is over, because each copies all of them. */
  readonly done: number;
  /** Its owner has not heard of this session yet. */
  readonly isAnew: boolean;
}
interface Step {
  readonly method: 'resources/subscribe' | 'resources/unsubscribe';
  readonly uri: string;
}

/** What is new is subscribed, then what nobody wants any more is not. */
function planOf({ wanted, subscribed, refused }: Context): readonly Step[] {
  const [have, not, still] = [new Set(subscribed), new Set(refused), new Set(wanted)];
  const fresh = wanted.filter((uri) => !have.has(uri) && !not.has(uri));
  const gone = subscribed.filter((uri) => !still.has(uri));
  return [
    ...fresh.map((uri): Step => ({ method: 'resources/subscribe', uri })),
    ...gone.map((uri): Step => ({ method: 'resources/unsubscribe', uri })),
  ];
}
/** Undefined: all is as it is wanted. */
const stepOf = ({ plan, done }: Context): Step | undefined => plan?.[done];
/** What is subscribed after these. Whoever refuses to unsubscribe may go on telling: nobody listens. */
function after({ subscribed, refused }: Context, steps: readonly Step[]): readonly string[] {
  const not = new Set(refused);
  const of = (asked: Step['method']) => steps.flatMap(({ method, uri }) => (method === asked ? [uri] : []));
  const gone = new Set(of('resources/unsubscribe'));
  const fresh = of('resources/subscribe').filter((uri) => !not.has(uri));
  return [...subscribed.filter((uri) => !gone.has(uri)), ...fresh];
}
/** The plan is over, or given up in the middle. */
const planless = (c: Context): Pick<Context, 'plan' | 'done' | 'subscribed'> => ({
  plan: null,
  done: 0,
  subscribed: c.plan && c.done > 0 ? after(c, c.plan.slice(0, c.done)) : c.subscribed,
});
function stepped(c: Context, step: Step | null, isDone: boolean): Partial<Context> {
  if (!step) return {};
  const isRefused = step.method === 'resources/subscribe' && !isDone;
  const refused = isRefused ? [...c.refused, step.uri] : c.refused;
  // One that was asked before something else was wanted is of no plan.
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
