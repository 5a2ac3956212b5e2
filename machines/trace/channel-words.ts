/** Words of which names of channels are made. */
import { fnv, fnvBasis } from '../kernel/fnv.ts';
import type { Address } from '../kernel/address.ts';

const longestText = 80;
/** Part of the parameters of a question that is in the name of its channel. */
export const shortText = (text: string): string =>
  text.length <= longestText
    ? text
    : `${text.slice(0, longestText - 20)}…${fnv(fnvBasis, text).toString(16)}`;
export const keysIn = (address: Address): string[] =>
  address.split('/').flatMap((segment) => {
    const name = segment.replace(/#\d+$/, '');
    const at = name.indexOf(':');
    return at < 0 ? [] : [name.slice(at + 1)];
  });
/** A root by the keys of its path alone: `computer/client:files#3/process#1` is `files`. */
const subjectOf = (address: Address): string => keysIn(address).join(' ');
/** Behind the name of a channel: whose it is, where that says something. */
export const ofSubject = (address: Address): string => {
  const subject = subjectOf(address);
  return subject === '' ? '' : ` of ${subject}`;
};
export const rootOf = (leaf: Address): Address => leaf.slice(0, leaf.lastIndexOf('/'));
export const nameIn = (address: Address): Address => address.replace(/#\d+$/, '');
