/**
 * The resources of one server of which somebody wants to hear when they change.
 *
 * resting — there was no session yet: what is wanted is known, and nothing is subscribed
 * ready   — steady (subscribed is what is wanted, but for what was refused) | asking (one after another: new ones are
 *           subscribed, gone ones are not any more)
 * closed  — final
 *
 * Its owner hears each time that all is as it is wanted: what was read before may be old.
 *
 * Each session begins with nothing: a server forgets its subscribers with it. What was refused, also because there was no
 * session, is tried again then, or when it is wanted anew.
 */
import { setup, type ActorRefFrom } from 'xstate';
import type { Address } from './address.ts';
import { assign } from './assign.ts';
import { effects, type DirectoryEvent } from './effects.ts';
import type { AskFact } from './ports.ts';
import type { Timing } from './timing.ts';

export interface WatchStart {
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
/** What the owner hears: from now on `by` is told when one of these changes. What was refused is not among them. */
export interface ResourcesWatched {
  readonly type: 'resources.watched';
  readonly server: string;
  readonly by: string;
  readonly uris: readonly string[];
  /** For the first time in this session: what changed between two sessions nobody told. */
  readonly isAnew: boolean;
}
type Input = WatchStart & { readonly self: Address; readonly owner: Address };
interface Context extends Input {
  /** By who wants them. */
  readonly wantedBy: Readonly<Record<string, readonly string[]>>;
  /** What anybody wants, each once. */
  readonly wanted: readonly string[];
  readonly subscribed: readonly string[];
  readonly refused: readonly string[];
  /** What is being asked; others may be wanted by the time of the answer. */
  readonly step: Step | null;
  /** Its owner has not heard of this session yet. */
  readonly isAnew: boolean;
}
interface Step {
  readonly method: 'resources/subscribe' | 'resources/unsubscribe';
  readonly uri: string;
}

/** What is to be asked next; undefined: all is as it is wanted. */
function nextStep({ wanted, subscribed, refused }: Context): Step | undefined {
  const [have, not] = [new Set(subscribed), new Set(refused)];
  const fresh = wanted.find((uri) => !have.has(uri) && !not.has(uri));
  if (fresh !== undefined) return { method: 'resources/subscribe', uri: fresh };
  const still = new Set(wanted);
  const gone = subscribed.find((uri) => !still.has(uri));
  return gone === undefined ? undefined : { method: 'resources/unsubscribe', uri: gone };
}
/** Whoever refuses to unsubscribe may go on telling: nobody listens. */
function stepped(c: Context, isDone: boolean): Partial<Context> {
  const { step } = c;
  if (!step) return {};
  if (step.method === 'resources/unsubscribe')
    return { subscribed: c.subscribed.filter((uri) => uri !== step.uri) };
  return isDone ? { subscribed: [...c.subscribed, step.uri] } : { refused: [...c.refused, step.uri] };
}

const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as AskFact | WatchOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    rememberWanted: assign(({ context }, { uris, by }: { uris: readonly string[]; by: string }) => {
      const wantedBy = { ...context.wantedBy, [by]: uris };
      return { wantedBy, wanted: [...new Set(Object.values(wantedBy).flat())], refused: [] };
    }),
    beginAnew: assign({ subscribed: [], refused: [], step: null, isAnew: true }),
    noteTold: assign({ isAnew: false }),
    noteStep: assign(({ context }) => ({ step: nextStep(context) ?? null })),
    noteDone: assign(({ context }) => stepped(context, true)),
    noteRefused: assign(({ context }) => stepped(context, false)),
  },
  guards: { isDone: ({ context }) => nextStep(context) === undefined },
  delays: { limit: ({ context }) => context.timing.listMs },
});
const askNext = {
  type: 'ask',
  params: ({ context: c }: { context: Context }) => ({
    id: 'watch',
    session: c.session,
    method: c.step?.method ?? 'ping',
    params: { uri: c.step?.uri ?? '' },
  }),
} as const;
const tellWatched = {
  type: 'postAll',
  params: ({ context: { owner, server, wantedBy, subscribed, isAnew } }: { context: Context }) => {
    const have = new Set(subscribed);
    const letters = Object.entries(wantedBy).flatMap(([by, wanted]) => {
      const uris = wanted.filter((uri) => have.has(uri));
      const event: ResourcesWatched = { type: 'resources.watched', server, by, uris, isAnew };
      return uris.length === 0 ? [] : [{ to: owner, event }];
    });
    return { letters };
  },
} as const;
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
    isAnew: true,
  }),
  initial: 'resting',
  on: { close: '.closed' },
  states: {
    resting: {
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
        judging: { always: [{ guard: 'isDone', target: 'steady' }, { target: 'asking' }] },
        steady: {
          entry: [tellWatched, 'noteTold'],
          on: { 'watch.set': { target: 'judging', actions: remember } },
        },
        asking: {
          tags: 'refreshing',
          entry: ['noteStep', askNext],
          exit: { type: 'withdraw', params: { id: 'watch' } },
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
export type WatchRef = ActorRefFrom<typeof watchMachine>;
