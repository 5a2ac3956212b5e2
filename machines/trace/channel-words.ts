/** Helpers that build the names of trace channels. */
import { fnv, fnvBasis } from '../kernel/fnv.ts';
import type { Address } from '../kernel/address.ts';

const longestText = 80;
/** Shortens the parameters of a question for the name of its channel; long text ends with a hash instead. */
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
/** Subject of a root: the keys of its path, so `computer/client:files#3/process#1` gives `files`. */
const subjectOf = (address: Address): string => keysIn(address).join(' ');
/** Returns the suffix of a channel name, ` of <subject>`, or an empty text when the address has no key. */
export const ofSubject = (address: Address): string => {
  const subject = subjectOf(address);
  return subject === '' ? '' : ` of ${subject}`;
};
export const rootOf = (leaf: Address): Address => leaf.slice(0, leaf.lastIndexOf('/'));
export const nameIn = (address: Address): Address => address.replace(/#\d+$/, '');
