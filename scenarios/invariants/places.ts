import type { Address } from '../../machines/kernel/address.ts';

/** Whose port instance it is. */
export const rootOf = (instance: Address): Address => instance.slice(0, instance.lastIndexOf('/'));

const mark = '/client:';
/** `computer/client:fs` of whatever belongs to that server, whoever lives there now. */
export function serverIn(a: Address): Address | undefined {
  const start = a.indexOf(mark);
  if (start < 0) return undefined;
  for (let i = start + mark.length; i < a.length; i += 1)
    if (a[i] === '/' || a[i] === '#') return a.slice(0, i);
  return a;
}
/** A call that comes to a client was passed on by its computer, and was counted there. */
export const isClient = (a: Address): boolean => a.includes(mark);
