import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { post, type PortRequest, type Post } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';

/** The name of the port that probes one npm registry: `probe`, answered by `Probed`. Withdrawn: it is aborted. */
export const registryPort = 'npmRegistry';
export interface Probe {
  readonly registry: string;
}
export interface Probed {
  /** It answered with a 2xx. */
  readonly isUsable: boolean;
}

export interface RegistryStart {
  /** ms that all probes together may take. */
  readonly limitMs: number;
  /** ms for which the fastest one is known; whichever was taken because none answered, `retryMs`. */
  readonly keepMs: number;
  readonly retryMs: number;
  /** From an earlier run. */
  readonly known: {
    readonly list: readonly string[];
    readonly registry: string;
    readonly forMs: number;
  } | null;
}
/** A server is to be started with a registry of this list, best first. Answered by `registry.chosen`, once. */
export interface RegistryWanted {
  readonly type: 'registry.want';
  readonly ticket: string;
  readonly list: readonly string[];
}
export type RegistryOrder = RegistryWanted | { readonly type: 'close' };
/** `isFastest`: it answered first; else none did in time, and it is the first of the list. Null: the list is empty. */
export interface RegistryChosen {
  readonly type: 'registry.chosen';
  readonly ticket: string;
  readonly registry: string | null;
  readonly isFastest: boolean;
}
export type Input = RegistryStart & {
  readonly self: Address;
  readonly owner: AddressFor<RegistryChosen>;
};
export interface Context extends Input {
  /** What is, or was last, probed. */
  readonly list: readonly string[];
  readonly registry: string | null;
  readonly isFastest: boolean;
  /** ms for which it is known. */
  readonly forMs: number;
  readonly orders: readonly RegistryWanted[];
  /** How many of the list cannot be used. */
  readonly failed: number;
}
export const registryKind = kindOf<RegistryStart, RegistryOrder>('registry');

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one, n) => one === others[n]);
export const isOfKnown = ({ list }: Context, order: RegistryWanted): boolean => isSame(order.list, list);

const idOf = (n: number): string => `probe:${n}`;
export const probes = ({ orders: [first] }: Context): readonly PortRequest[] =>
  (first?.list ?? []).map((registry, n) => ({
    id: idOf(n),
    target: registryPort,
    method: 'probe',
    params: { registry } satisfies Probe,
  }));
export const withdrawals = ({ list }: Context): readonly { readonly id: string }[] =>
  list.map((_, n) => ({ id: idOf(n) }));
export const begun = ({ orders: [first] }: Context): Partial<Context> => ({
  list: first?.list ?? [],
  registry: null,
  failed: 0,
});

type Answer = Extract<RequestFact, { type: 'ask.answered' | 'ask.refused' }>;
export const isUsable = (event: Answer): boolean =>
  event.type === 'ask.answered' && (event.result as Partial<Probed> | null)?.isUsable === true;
export const isLast = ({ list, failed }: Context): boolean => failed + 1 >= list.length;
export const fastest = ({ list, keepMs }: Context, { id }: Answer): Partial<Context> => ({
  registry: list.find((_, n) => idOf(n) === id) ?? null,
  isFastest: true,
  forMs: keepMs,
});
export const first = ({ list, retryMs }: Context): Partial<Context> => ({
  registry: list[0] ?? null,
  isFastest: false,
  forMs: retryMs,
});

export const answer = ({ owner, registry, isFastest }: Context, { ticket }: RegistryWanted): Post =>
  post(owner, { type: 'registry.chosen', ticket, registry, isFastest });
/** To all who want one of the list that was probed. */
export const answers = (c: Context): readonly Post[] =>
  c.orders.filter((order) => isOfKnown(c, order)).map((order) => answer(c, order));
export const leftOver = (c: Context): readonly RegistryWanted[] =>
  c.orders.filter((order) => !isOfKnown(c, order));
/** At the end: each has the best guess of its own list. */
export const farewells = ({ owner, orders }: Context): readonly Post[] =>
  orders.map(({ ticket, list: [registry = null] }) =>
    post(owner, { type: 'registry.chosen', ticket, registry, isFastest: false }, { optional: true }),
  );
