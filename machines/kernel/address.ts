/**
 * Where a root actor lives: a path of `kind:key` segments with an incarnation, `computer#1/…` never appears
 * inside a path. `computer/client:fs#3` is that one incarnation, `computer/client:fs` is whoever lives there now.
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

/** The address without its incarnation: whoever lives there now. */
export const nameOf = (address: Address): Address => {
  const hash = address.lastIndexOf('#');
  return hash < 0 ? address : address.slice(0, hash);
};

declare const takes: unique symbol;
/** The address of whoever takes an `Event`: who takes more than that can be named by it, too. At run time it is a string. */
export type AddressFor<Event> = Address & { readonly [takes]: (event: Event) => void };
/** For who knows by other means who lives there: a directory, a test. Machines name their own with `childOf`. */
export const addressFor = <Event = unknown>(address: Address): AddressFor<Event> =>
  address as AddressFor<Event>;

declare const opensWith: unique symbol;
/** The name of a kind of machine, with what it is opened with and what it takes. At run time it is a string. */
export type Kind<Start, Order> = string & {
  readonly [opensWith]: (start: Start) => void;
  readonly [takes]: (order: Order) => void;
};
export const kindOf = <Start, Order>(name: string): Kind<Start, Order> => name as Kind<Start, Order>;
/** Whoever of this kind `parent` owns: the one under this key, or its only one. */
export const childOf = <Order>(parent: Address, kind: Kind<never, Order>, key?: string): AddressFor<Order> =>
  addressFor(`${nameOf(parent)}/${kind}${key === undefined ? '' : `:${keyOf(key)}`}`);
