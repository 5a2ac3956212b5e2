/**
 * State machine that chooses the npm registry for child processes that fetch packages. A request for it never waits
 * longer than its limit. States:
 *
 * unknown — nothing was requested yet, or the last choice is too old
 * probing — all registries of the list are asked at once; the first with a 2xx answer wins and the other requests are
 *           aborted; without an answer in time the first of the list is taken
 * known   — requests for the same list are answered at once
 * closed  — final
 */
import { assign, setup } from 'xstate';
import {
  type Address,
  type AddressFor,
  post,
  effects,
  type PortRequest,
  type Post,
  type DirectoryEvent,
} from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';

/**
 * Name of the port that probes one npm registry (method `probe`, answered by `Probed`). Withdrawing aborts the probe.
 */
export const registryPort = 'npmRegistry';
export interface Probe {
  readonly registry: string;
}
export interface Probed {
  readonly isUsable: boolean;
}

export interface RegistryStart {
  /** Time in ms that all probes together may take. */
  readonly limitMs: number;
  /**
   * Time in ms for which the fastest registry is remembered; `retryMs` applies when none answered and the first was
   * taken.
   */
  readonly keepMs: number;
  readonly retryMs: number;
  /** Choice from an earlier run. */
  readonly known: {
    readonly list: readonly string[];
    readonly registry: string;
    readonly forMs: number;
  } | null;
}
/** Request for a registry from this list (best first) for starting a server. Answered once, by `registry.chosen`. */
export interface RegistryWanted {
  readonly type: 'registry.want';
  readonly ticket: string;
  readonly list: readonly string[];
}
export type RegistryOrder = RegistryWanted | { readonly type: 'close' };
/**
 * Chosen registry. `isFastest`: it answered first; otherwise none answered in time and it is the first of the list.
 * Null when the list is empty.
 */
export interface RegistryChosen {
  readonly type: 'registry.chosen';
  readonly ticket: string;
  readonly registry: string | null;
  readonly isFastest: boolean;
}
type RegistryInput = RegistryStart & {
  readonly self: Address;
  readonly owner: AddressFor<RegistryChosen>;
};
interface RegistryContext extends RegistryInput {
  readonly list: readonly string[];
  readonly registry: string | null;
  readonly isFastest: boolean;
  /** Time in ms for which the choice is remembered. */
  readonly forMs: number;
  readonly orders: readonly RegistryWanted[];
  /** Number of registries in the list that turned out to be unusable. */
  readonly failed: number;
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one, n) => one === others[n]);
const isOfKnown = ({ list }: RegistryContext, order: RegistryWanted): boolean => isSame(order.list, list);

const idOf = (n: number): string => `probe:${n}`;
const probes = ({ orders: [first] }: RegistryContext): readonly PortRequest[] =>
  (first?.list ?? []).map((registry, n) => ({
    id: idOf(n),
    target: registryPort,
    method: 'probe',
    params: { registry } satisfies Probe,
  }));
const withdrawals = ({ list }: RegistryContext): readonly { readonly id: string }[] =>
  list.map((_, n) => ({ id: idOf(n) }));
const begun = ({ orders: [first] }: RegistryContext): Partial<RegistryContext> => ({
  list: first?.list ?? [],
  registry: null,
  failed: 0,
});

type Answer = Extract<RequestFact, { type: 'ask.answered' | 'ask.refused' }>;
const isUsable = (event: Answer): boolean =>
  event.type === 'ask.answered' && (event.result as Partial<Probed> | null)?.isUsable === true;
const isLast = ({ list, failed }: RegistryContext): boolean => failed + 1 >= list.length;
const fastest = ({ list, keepMs }: RegistryContext, { id }: Answer): Partial<RegistryContext> => ({
  registry: list.find((_, n) => idOf(n) === id) ?? null,
  isFastest: true,
  forMs: keepMs,
});
const first = ({ list, retryMs }: RegistryContext): Partial<RegistryContext> => ({
  registry: list[0] ?? null,
  isFastest: false,
  forMs: retryMs,
});

const answer = ({ owner, registry, isFastest }: RegistryContext, { ticket }: RegistryWanted): Post =>
  post(owner, { type: 'registry.chosen', ticket, registry, isFastest });
/** Answers to all requests for the list that was probed. */
const answers = (c: RegistryContext): readonly Post[] =>
  c.orders.filter((order) => isOfKnown(c, order)).map((order) => answer(c, order));
const leftOver = (c: RegistryContext): readonly RegistryWanted[] =>
  c.orders.filter((order) => !isOfKnown(c, order));
/** Answers when closing: each request receives the first registry of its own list. */
const farewells = ({ owner, orders }: RegistryContext): readonly Post[] =>
  orders.map(({ ticket, list: [registry = null] }) =>
    post(owner, { type: 'registry.chosen', ticket, registry, isFastest: false }, { optional: true }),
  );

// ── the chart ─────────────────────────────────────────────────────────────────────────────────────────
const registrySetup = setup({
  types: {
    context: {} as RegistryContext,
    input: {} as RegistryInput,
    events: {} as RequestFact | RegistryOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    note: assign(({ context }, order: RegistryWanted) => ({ orders: [...context.orders, order] })),
    begin: assign(({ context }) => begun(context)),
    countFailed: assign(({ context }) => ({ failed: context.failed + 1 })),
    takeFastest: assign(({ context }, answer: Answer) => fastest(context, answer)),
    takeFirst: assign(({ context }) => first(context)),
    forgetAnswered: assign(({ context }) => ({ orders: leftOver(context) })),
    forgetAll: assign(() => ({ orders: [] })),
    forget: assign(() => ({ registry: null })),
  },
  guards: {
    hasOrder: ({ context }) => context.orders.length > 0,
    isOfKnown: ({ context }, order: RegistryWanted) => isOfKnown(context, order),
    wasKnown: ({ context }) => context.registry !== null,
    isUsable: (_, answer: Answer) => isUsable(answer),
    isLast: ({ context }) => isLast(context),
  },
  delays: {
    probeLimit: ({ context }) => context.limitMs,
    freshness: ({ context }) => context.forMs,
  },
});
const answerIn = ({ event }: { readonly event: Answer }): Answer => event;
type Wanted = { readonly context: RegistryContext; readonly event: RegistryWanted };
const wanted = ({ event }: Wanted): RegistryWanted => event;
const noteOrder = { type: 'note', params: wanted } as const;
const answered = ({ context, event }: Wanted) => answer(context, event);
const probeAll = registrySetup.enqueueActions(({ context, enqueue }) => {
  for (const probe of probes(context)) enqueue({ type: 'request', params: probe });
});
const abortAll = registrySetup.enqueueActions(({ context, enqueue }) => {
  for (const one of withdrawals(context)) enqueue({ type: 'cancel', params: one });
});
const unusable = [
  { guard: 'isLast', target: 'known', actions: 'takeFirst' },
  { actions: 'countFailed' },
] as const;

export const registryMachine = registrySetup.createMachine({
  id: 'registry',
  context: ({ input }) => ({
    ...input,
    list: input.known?.list ?? [],
    registry: input.known?.registry ?? null,
    isFastest: true,
    forMs: input.known?.forMs ?? 0,
    orders: [],
    failed: 0,
  }),
  initial: 'unknown',
  on: { close: '.closed' },
  states: {
    unknown: {
      tags: 'ready',
      always: { guard: 'wasKnown', target: 'known' },
      on: { 'registry.want': { target: 'probing', actions: noteOrder } },
    },
    probing: {
      tags: 'refreshing',
      entry: [probeAll, 'begin'],
      exit: abortAll,
      on: {
        'ask.answered': [
          {
            guard: { type: 'isUsable', params: answerIn },
            target: 'known',
            actions: { type: 'takeFastest', params: answerIn },
          },
          ...unusable,
        ],
        'ask.refused': unusable,
        'registry.want': { actions: noteOrder },
      },
      after: { probeLimit: { target: 'known', actions: 'takeFirst' } },
    },
    known: {
      tags: 'ready',
      entry: [
        { type: 'postAll', params: ({ context }) => ({ messages: answers(context) }) },
        'forgetAnswered',
      ],
      // Probes again when another list of registries was requested meanwhile.
      always: { guard: 'hasOrder', target: 'probing' },
      on: {
        'registry.want': [
          { guard: { type: 'isOfKnown', params: wanted }, actions: { type: 'post', params: answered } },
          { target: 'probing', actions: noteOrder },
        ],
      },
      after: { freshness: { target: 'unknown', actions: 'forget' } },
    },
    closed: {
      type: 'final',
      entry: [{ type: 'postAll', params: ({ context }) => ({ messages: farewells(context) }) }, 'forgetAll'],
    },
  },
});
