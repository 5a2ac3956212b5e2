import type { EventObject } from 'xstate';
import { keyOf, type Address, type AddressFor, type Kind } from './address.ts';

declare const isChecked: unique symbol;
/** Mark of a value made by `message`, `post`, `open` or `toOwned`, which let through only what is taken there. It is nothing at run time. */
interface Checked {
  readonly [isChecked]: true;
}
/**
 * Effects: what a machine may ask of the world outside its own actor system, as names without a body. The directory
 * (actors/runtime/directory.ts) performs them in order, each after the transition that asked, so that a transition
 * that fails has asked for nothing and a replay can compare what was asked.
 */
export interface Message {
  /** Address of the receiver. */
  readonly to: Address;
  /** Content of the message. */
  readonly event: EventObject;
}
export interface CheckedMessage extends Message, Checked {}
/** A message to an address. Where no actor takes it, `onUndelivered` goes out; without that it is a dead letter. */
export interface Post extends CheckedMessage {
  readonly onUndelivered?: CheckedMessage;
  /** No dead letter: its receiver may be gone by now. */
  readonly optional?: true;
}
/** A new root, owned by the asker, at `<asker>/<kind>:<key>`. Its `lastWill` is delivered unless it ends as done. */
export interface Open extends Checked {
  readonly kind: string;
  readonly key?: string;
  readonly input: object;
  readonly lastWill?: CheckedMessage;
  /** Question to a port that answers at once: the answer joins the input as `drawn`, and the records as a `draw`. */
  readonly draw?: { readonly port: DrawPort; readonly params: object };
}
/** Ports that answer at once: `judge` says whether a call may run, or null where that has to be asked. */
export type DrawPort = 'judge';
/** One question with one answer, `ask.answered` or `ask.refused` with the same id. Withdrawn when the asker ends. */
export interface PortRequest {
  readonly id: string;
  /** Address that opened the session or link that is asked, or the name of a port such as `confirm`. */
  readonly target: Address;
  readonly method: string;
  readonly params?: unknown;
  /** Name of the server in whose limiter it waits for its turn. Without one it goes at once. */
  readonly limiter?: string;
}
export interface TellOwned extends Checked {
  readonly kind: string;
  readonly event: EventObject;
  /** Last segment of an address: only those that own this one are told. */
  readonly having?: string;
}

export interface Deadline {
  /** 0 = none. */
  readonly ms: number;
  /** Purpose, such as `backoff`: the name of the timer in a trace. Not needed where `ms` is 0. */
  readonly for?: string;
  /** Largest part of `ms` that is added at random, so that many do not come in the same second. */
  readonly spread?: number;
}

const checked = <Fields>(fields: Fields): Fields & Checked => fields as Fields & Checked;
/** A message that its receiver takes: another does not compile. */
export const message = <Event extends EventObject>(
  to: AddressFor<Event>,
  event: NoInfer<Event>,
): CheckedMessage => checked({ to, event });
export const post = <Event extends EventObject>(
  to: AddressFor<Event>,
  event: NoInfer<Event>,
  more?: Pick<Post, 'onUndelivered' | 'optional'>,
): Post => checked({ to, event, ...more });
/** A root of this kind. Its key is given as it is, and made safe here. */
export const open = <Start extends object>(
  kind: Kind<Start, never>,
  input: NoInfer<Start>,
  { key, ...more }: Pick<Open, 'key' | 'draw' | 'lastWill'> = {},
): Open => checked({ kind, ...(key !== undefined && { key: keyOf(key) }), input, ...more });
/** An order to all owned roots of a kind. */
export const toOwned = <Order extends EventObject>(
  kind: Kind<never, Order>,
  event: NoInfer<Order>,
): TellOwned => checked({ kind, event });

/** An order to the root of a kind that owns another one under this key: the sender need not know which of them does. */
export const toOwnersOf = <Order extends EventObject>(
  kind: Kind<never, Order>,
  [below, key]: readonly [kind: string, key: string],
  event: NoInfer<Order>,
): TellOwned => checked({ kind, event, having: `${below}:${keyOf(key)}` });

// ── effects of a chart, by what they are worked out of ─────────────────────────────────────────────────
/** Context and event of one step, as parameters of actions and guards are worked out of them. */
export interface Step<C, E = unknown> {
  readonly context: C;
  readonly event: E;
}
/** Parameters that are the event itself. */
export const eventAsParams = <E>({ event }: { readonly event: E }): E => event;
export const posts = <C, E = unknown>(message: (context: C, event: E) => Post) =>
  ({ type: 'post', params: ({ context, event }: Step<C, E>) => message(context, event) }) as const;
export const postsAll = <C, E = unknown>(messages: (context: C, event: E) => readonly Post[]) =>
  ({
    type: 'postAll',
    params: ({ context, event }: Step<C, E>) => ({ messages: messages(context, event) }),
  }) as const;
export const opens = <C, E = unknown>(root: (context: C, event: E) => Open) =>
  ({ type: 'open', params: ({ context, event }: Step<C, E>) => root(context, event) }) as const;
export const opensAll = <C, E = unknown>(roots: (context: C, event: E) => readonly Open[]) =>
  ({
    type: 'openAll',
    params: ({ context, event }: Step<C, E>) => ({ opens: roots(context, event) }),
  }) as const;
export const tellsOwned = <C, E = unknown>(order: (context: C, event: E) => TellOwned) =>
  ({ type: 'tellOwned', params: ({ context, event }: Step<C, E>) => order(context, event) }) as const;
export const requests = <C, E = unknown>(question: (context: C, event: E) => PortRequest) =>
  ({ type: 'request', params: ({ context, event }: Step<C, E>) => question(context, event) }) as const;
export const deadline = <C>(purpose: string, ms: (context: C) => number, spread = 0) =>
  ({
    type: 'setDeadline',
    params: ({ context }: { readonly context: C }) => ({ ms: ms(context), for: purpose, spread }),
  }) as const;
export const noDeadline = { type: 'setDeadline', params: { ms: 0 } } as const;

const asked =
  <P>() =>
  (_: unknown, _params: P): void => {};

export const effects = {
  post: asked<Post>(),
  postAll: asked<{ readonly messages: readonly Post[] }>(),
  open: asked<Open>(),
  openAll: asked<{ readonly opens: readonly Open[] }>(),
  /** Ends a root that the asker owns at once, without asking it. */
  close: asked<{ readonly to: Address }>(),
  /** One event to every owned root of a kind, or to those of them that own another one. */
  tellOwned: asked<TellOwned>(),
  request: asked<PortRequest>(),
  cancel: asked<{ readonly id: string }>(),
  /** One deadline per root: a new one replaces the old. Passed → `deadline.passed`. */
  setDeadline: asked<Deadline>(),
};

/** End of a root, told to its owner by the directory. */
export interface OwnedEnded {
  readonly type: 'owned.ended';
  readonly kind: string;
  /** The last segment of the address: `client:fs`. */
  readonly key: string;
  readonly name: Address;
  readonly why: 'done' | 'failed' | 'closed';
  readonly output?: unknown;
  readonly error?: string;
}
export interface OpenRefused {
  readonly type: 'open.refused';
  readonly kind: string;
  readonly name: Address;
  readonly input: object;
}
export interface OwnerEnded {
  readonly type: 'owner.ended';
  readonly why: string;
}
export type DirectoryEvent = OwnedEnded | OpenRefused | OwnerEnded;
