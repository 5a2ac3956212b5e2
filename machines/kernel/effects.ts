import type { EventObject } from 'xstate';

/**
 * Address of a root actor: a path of `kind:key` segments with an incarnation number at its end.
 * `computer/client:fs#3` is that one incarnation, `computer/client:fs` the actor that lives there now; an incarnation
 * is never part of a path. Session ids of XState are not used, because they count per process and differ between
 * runs.
 */
export type Address = string;

const reserved = /[%/#]/g;
const hasReserved = /[%/#]/;

export const keyOf = (text: string): string =>
  hasReserved.test(text)
    ? text.replace(reserved, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    : text;

/** The text that `keyOf` was given. */
export const textOfKey = (key: string): string =>
  key.replace(/%(25|2F|23)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Without the incarnation number it names the actor that lives there now. */
export const nameOf = (address: Address): Address => {
  const hash = address.lastIndexOf('#');
  return hash < 0 ? address : address.slice(0, hash);
};

/** Tells whether an address is that of an actor, in any incarnation, or of something inside of it. */
export const isBelow = (actor: Address, address: Address): boolean => {
  const name = nameOf(actor);
  return address.startsWith(name) && /^[#/]/.test(address.slice(name.length));
};

/** Key of the innermost actor of this kind in an address, such as the server of a client; empty without one. */
export const partIn = (address: Address, kind: string): string => {
  const part = address.split('/').findLast((each) => each.startsWith(`${kind}:`)) ?? '';
  return textOfKey(nameOf(part).slice(kind.length + 1));
};

/** Event of an actor: its type, and what belongs to it. It has the shape of XState's `EventObject`, which hosts need not know. */
export type AnyEvent = { readonly type: string };

declare const takes: unique symbol;
export type AddressFor<Event> = Address & { readonly [takes]: (event: Event) => void };
/** The caller guarantees the type. For the directory and tests; machines name their children with `childOf`. */
export const addressFor = <Event = unknown>(address: Address): AddressFor<Event> =>
  address as AddressFor<Event>;

declare const opensWith: unique symbol;
/** Typed by its start input and the orders that it accepts; at run time a plain string. */
export type Kind<Start, Order> = string & {
  readonly [opensWith]: (start: Start) => void;
  readonly [takes]: (order: Order) => void;
};
export const kindOf = <Start, Order>(name: string): Kind<Start, Order> => name as Kind<Start, Order>;
/** The one of this kind with this key, or the only one of the kind. */
export const childOf = <Order>(parent: Address, kind: Kind<never, Order>, key?: string): AddressFor<Order> =>
  addressFor(`${nameOf(parent)}/${kind}${key === undefined ? '' : `:${keyOf(key)}`}`);
/** For a root actor without an owner: `kind` or `kind:key`. */
export const kindIn = (address: Address): string => address.split(':', 1)[0] ?? address;

declare const isChecked: unique symbol;
/** Mark of values made by `message`, `post`, `open` or `toOwned`; it does not exist at run time. */
interface Checked {
  readonly [isChecked]: true;
}
/**
 * Message of one actor to another. Machines request all such effects from the directory
 * (actors/runtime/directory.ts), which performs them in order after the transition. A transition that fails has
 * therefore requested nothing, and a replay can compare the requests.
 */
export interface Message {
  /** Address of the actor that receives the message. */
  readonly to: Address;
  /** Event that the message delivers. */
  readonly event: AnyEvent;
}
export interface CheckedMessage extends Message, Checked {}
/** When no actor accepts it, `onUndelivered` is sent instead; without that it becomes a dead letter. */
export interface Post extends CheckedMessage {
  readonly onUndelivered?: CheckedMessage;
  /** No dead letter, because the receiver may legitimately be gone. */
  readonly optional?: true;
}
/** New root actor at `<asker>/<kind>:<key>`; `lastWill` is delivered unless it ends as done. */
export interface Open extends Checked {
  readonly kind: string;
  readonly key?: string;
  readonly input: object;
  readonly lastWill?: CheckedMessage;
  /** Answered synchronously: added to the input as `drawn`, and to the trace as a `draw`. */
  readonly draw?: { readonly port: DrawPort; readonly params: object };
}
/** `judge`: whether a call may run, or null when the rule of the host has to be asked. */
export type DrawPort = 'judge';
/** Exactly one answer, `ask.answered` or `ask.refused`; withdrawn when the actor that asked ends. */
export interface PortRequest {
  readonly id: string;
  /** Actor whose session or link is asked, or the name of a port such as `confirm`. */
  readonly target: Address;
  readonly method: string;
  readonly params?: unknown;
  /** Its limiter queues this question; without a name it is sent at once. */
  readonly limiter?: string;
}
export interface TellOwned extends Checked {
  readonly kind: string;
  readonly event: EventObject;
  /** Last segment of an address; only root actors that own a child with it get the event. */
  readonly having?: string;
}

export interface Deadline {
  /** 0 = no timer. */
  readonly ms: number | null;
  /** Such as `backoff`: its name in a trace; unnecessary when `ms` is 0. */
  readonly for?: string;
  /** Largest random extension, a share of `ms`, so that many timers do not fire in the same second. */
  readonly spread?: number;
}

const checked = <Fields>(fields: Fields): Fields & Checked => fields as Fields & Checked;
export const message = <Event extends EventObject>(
  to: AddressFor<Event>,
  event: NoInfer<Event>,
): CheckedMessage => checked({ to, event });
export const post = <Event extends EventObject>(
  to: AddressFor<Event>,
  event: NoInfer<Event>,
  more?: Pick<Post, 'onUndelivered' | 'optional'>,
): Post => checked({ to, event, ...more });
/** The key is escaped here. */
export const open = <Start extends object>(
  kind: Kind<Start, never>,
  input: NoInfer<Start>,
  { key, ...more }: Pick<Open, 'key' | 'draw' | 'lastWill'> = {},
): Open => checked({ kind, ...(key !== undefined && { key: keyOf(key) }), input, ...more });
export const toOwned = <Order extends EventObject>(
  kind: Kind<never, Order>,
  event: NoInfer<Order>,
): TellOwned => checked({ kind, event });

/** For senders that do not know which root actor it is. */
export const toOwnersOf = <Order extends EventObject>(
  kind: Kind<never, Order>,
  [below, key]: readonly [kind: string, key: string],
  event: NoInfer<Order>,
): TellOwned => checked({ kind, event, having: `${below}:${keyOf(key)}` });

/** Context and event of a transition: the input from which actions and guards compute their parameters. */
export interface Step<C, E = unknown> {
  readonly context: C;
  readonly event: E;
}
/** A guard or an action that is given the event. */
export const withEvent = <T extends string>(type: T) =>
  ({ type, params: <E>({ event }: { readonly event: E }): E => event }) as const;
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
/** Null keeps the one that runs. */
export const deadline = <C>(purpose: string, ms: (context: C) => number | null, spread = 0) =>
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
  /** Immediately, without asking it. */
  close: asked<{ readonly to: Address }>(),
  tellOwned: asked<TellOwned>(),
  request: asked<PortRequest>(),
  cancel: asked<{ readonly id: string }>(),
  /** A root actor has one; a new one replaces it. It sends `deadline.passed`. */
  setDeadline: asked<Deadline>(),
};

export interface OwnedEnded {
  readonly type: 'owned.ended';
  readonly kind: string;
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
