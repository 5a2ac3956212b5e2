/**
 * Address of a root actor: a path of `kind:key` segments with an incarnation, `computer#1/…` never appears
 * inside a path. `computer/client:fs#3` is that one incarnation, `computer/client:fs` is the one that lives there now.
 * Session ids of XState never appear: they are a counter of the whole process and differ between runs.
 */
export type Address = string;

const reserved = /[%/#]/g;
const hasReserved = /[%/#]/;

/** Makes any text (a server name, a request id of a stranger) safe as the key of an address. */
export const keyOf = (text: string): string =>
  hasReserved.test(text)
    ? text.replace(reserved, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    : text;

/** Address without its incarnation: the actor that lives there now. */
export const nameOf = (address: Address): Address => {
  const hash = address.lastIndexOf('#');
  return hash < 0 ? address : address.slice(0, hash);
};

declare const takes: unique symbol;
/** Address of an actor that takes an `Event`, and perhaps more. At run time it is a string. */
export type AddressFor<Event> = Address & { readonly [takes]: (event: Event) => void };
/** Address with a type that the caller vouches for: a directory, a test. Machines name their own roots with `childOf`. */
export const addressFor = <Event = unknown>(address: Address): AddressFor<Event> =>
  address as AddressFor<Event>;

declare const opensWith: unique symbol;
/** The name of a kind of machine, with what it is opened with and what it takes. At run time it is a string. */
export type Kind<Start, Order> = string & {
  readonly [opensWith]: (start: Start) => void;
  readonly [takes]: (order: Order) => void;
};
export const kindOf = <Start, Order>(name: string): Kind<Start, Order> => name as Kind<Start, Order>;
/** Address of a root that `parent` owns: the one of this kind under this key, or its only one. */
export const childOf = <Order>(parent: Address, kind: Kind<never, Order>, key?: string): AddressFor<Order> =>
  addressFor(`${nameOf(parent)}/${kind}${key === undefined ? '' : `:${keyOf(key)}`}`);
