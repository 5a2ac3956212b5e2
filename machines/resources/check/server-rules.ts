import { parseWindowUri } from '../desktop/index.ts';
import { parseDpeUri } from '../finder/index.ts';
import { splitUri } from '../uri/index.ts';
import type { Failure } from '../../protocol/failure.ts';
import { violation, type Violation, type CheckRule } from './violation.ts';

/** What a server declared of its resources at the handshake. */
export interface Declared {
  readonly subscribe: boolean;
  readonly listChanged: boolean;
}
const scheme = (uri: string): string | undefined => splitUri(uri)?.scheme;
export const isWindow = (uri: string): boolean => scheme(uri) === 'window' || /^window:/i.test(uri);
export const isDocument = (uri: string): boolean => scheme(uri) === 'dpe' || /^dpe:/i.test(uri);

/** By what is known before anything is read: what it declared, and the URIs that it lists. */
export function brokenByList(declared: Declared, listed: readonly string[]): Violation[] {
  const uris = listed.filter((uri) => isWindow(uri) || isDocument(uri));
  if (uris.length === 0) return [];
  const hosts = [...new Set(uris.flatMap((uri) => splitUri(uri)?.host.toLowerCase() || []))];
  return [
    ...(declared.subscribe
      ? []
      : [violation('subscribe', null, 'capabilities.resources.subscribe', 'it is not declared')]),
    ...(declared.listChanged
      ? []
      : [violation('list-changed', null, 'capabilities.resources.listChanged', 'it is not declared')]),
    ...(hosts.length > 1
      ? [violation('host', null, null, `its URIs have several hosts: ${hosts.join(', ')}`)]
      : []),
    ...uris.flatMap(brokenByUri),
  ];
}
function brokenByUri(uri: string): Violation[] {
  if (isWindow(uri)) {
    const window = parseWindowUri(uri);
    return window.ok ? [] : [ofUri('window-uri', uri, window.failure)];
  }
  const document = parseDpeUri(uri);
  if (!document.ok) return [ofUri('document-uri', uri, document.failure)];
  if (document.uri.level < 2) return [];
  return [violation('document-uri', uri, 'path', 'it is a page or an element, and is listed')];
}
const ofUri = (rule: CheckRule, uri: string, { message, details }: Failure): Violation =>
  violation(rule, uri, typeof details?.['rule'] === 'string' ? details['rule'] : null, message);

/** A window without contents is fine: it is not shown. One with blobs only was meant to be. */
export function brokenByWindow(
  uri: string,
  contents: readonly { readonly text?: unknown; readonly blob?: unknown }[],
): Violation[] {
  const hasText = contents.some(({ text }) => typeof text === 'string');
  const hasBlob = contents.some(({ blob }) => typeof blob === 'string');
  if (hasText || !hasBlob) return [];
  return [violation('window-text', uri, 'contents', 'it has blobs and no text')];
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
/** `ms`: until it answered; undefined: it did not, for as long as it was waited for. */
export function brokenByTime(uri: string, ms: number | undefined, limitMs: number): Violation[] {
  if (ms !== undefined && ms <= limitMs) return [];
  const took = ms === undefined ? 'no answer came' : `the answer took ${seconds(ms)}`;
  return [violation('slow', uri, null, `${took}; ${seconds(limitMs)} are the most`)];
}

const refusals = { 'missing-document': 4201, 'missing-page': 4202, 'missing-element': 4203 } as const;
export type Refusing = keyof typeof refusals;
/** `answer`: how it refused what there is not; undefined: it gave something. */
export function brokenByRefusal(rule: Refusing, uri: string, answer: Failure | undefined): Violation[] {
  if (answer?.code === refusals[rule]) return [];
  const came = answer === undefined ? 'contents' : `the error ${shownCode(answer)}: ${answer.message}`;
  return [violation(rule, uri, 'error.code', `expected the error ${refusals[rule]}, received ${came}`)];
}
/** The code of the server itself, where it is known. */
const shownCode = ({ code, details }: Failure): string => {
  const own = details?.['code'];
  return typeof own === 'number' ? String(own) : String(code);
};
