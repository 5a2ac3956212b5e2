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
