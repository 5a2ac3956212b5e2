export { decodeHost, decodePart, encodeHost, encodePart } from './encoding.ts';
export { isWithin, wholeNumberIn } from './numbers.ts';
export { splitUri, valueIn, type UriParts } from './split.ts';
