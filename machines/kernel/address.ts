/**
 * Address of a root actor: a path of `kind:key` segments with an incarnation number at its end.
 * `computer/client:fs#3` is that one incarnation, `computer/client:fs` the actor that lives there now; an incarnation
 * is never part of a path. Session ids of XState are not used, because they count per process and differ between
 * runs.
 */
export type Address = string;

const reserved = /[%/#]/g;
const hasReserved = /[%/#]/;

/** Escapes any text (a server name, a request id of a stranger) for use as the key of an address. */
export const keyOf = (text: string): string =>
  hasReserved.test(text)
    ? text.replace(reserved, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    : text;

/** Removes the incarnation number from an address, so that it names the actor that lives there now. */
export const nameOf = (address: Address): Address => {
  const hash = address.lastIndexOf('#');
  return hash < 0 ? address : address.slice(0, hash);
};

/** Event of an actor: its type, and what belongs to it. It has the shape of XState's `EventObject`, which hosts need not know. */
export type AnyEvent = { readonly type: string };

declare const takes: unique symbol;
/** Address of an actor that accepts events of type `Event`. At run time it is a plain string. */
export type AddressFor<Event> = Address & { readonly [takes]: (event: Event) => void };
/**
 * Casts an address to a typed one; the caller guarantees the type. Used by the directory and by tests; machines name
 * their own children with `childOf`.
 */
export const addressFor = <Event = unknown>(address: Address): AddressFor<Event> =>
  address as AddressFor<Event>;

declare const opensWith: unique symbol;
/**
 * Name of a kind of machine, typed by its start input and by the orders that it accepts. At run time it is a plain
 * string.
 */
export type Kind<Start, Order> = string & {
  readonly [opensWith]: (start: Start) => void;
  readonly [takes]: (order: Order) => void;
};
export const kindOf = <Start, Order>(name: string): Kind<Start, Order> => name as Kind<Start, Order>;
/**
 * Returns the address of a root actor owned by `parent`: the one of this kind with this key, or the only one of the
 * kind.
 */
export const childOf = <Order>(parent: Address, kind: Kind<never, Order>, key?: string): AddressFor<Order> =>
  addressFor(`${nameOf(parent)}/${kind}${key === undefined ? '' : `:${keyOf(key)}`}`);
/** Returns the kind of a root actor without an owner, whose address is `kind` or `kind:key`. */
export const kindIn = (address: Address): string => address.split(':', 1)[0] ?? address;
