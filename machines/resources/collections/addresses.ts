/**
 * What a failure says of the machine that its server runs on: agents are not told, unless `a2c.exposeAddresses` says so.
 * Private and local addresses, hosts with ports, names of private networks, URLs and absolute paths become marks.
 */
import { parseWindowUri } from '../desktop/index.ts';
import { parseDpeUri } from '../finder/index.ts';
import { encodePart } from '../uri/index.ts';
import type { Failure } from '../../protocol/failure.ts';

const marks = { address: '[address]', host: '[host]', path: '[path]' } as const;

const isPrivate4 = (text: string): boolean => {
  const [a = 0, b = 0] = text.split('.').map(Number);
  if (a === 0 || a === 10 || a === 127) return true;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b <= 31;
  return a === 192 ? b === 168 : a === 100 && b >= 64 && b <= 127;
};
/** `::` and `::1`, unique local, link-local, and IPv4 in IPv6. */
const isPrivate6 = (text: string): boolean => /^\[?(?:::1?(?![0-9a-f:])|f[cd]|fe[89ab]|::ffff:)/i.test(text);

/** What may be one, in this order: the first that begins at a place is taken. */
const parts = {
  own: /\b(?:dpe|window):\/\/[^\s'"`<>]+/,
  url: /\b[a-z][a-z0-9+.-]*:\/\/[^\s'"`<>)\]]*/,
  quoted: /(?<=(?<quote>['"`]))(?:~?\/|[a-z]:[\\/]|\\\\)[^'"`\n]+(?=\k<quote>)/,
  windows: /(?<![\w%])(?:[a-z]:[\\/]|\\\\)[^\s'"`<>|,;)]*/,
  posix: /(?<![\w.:/%~)\]-])~?\/[\w.@%+~-][^\s'"`<>:,;)\]]*/,
  six: /(?<![\w:])\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f.]{0,15}(?:%\w+)?\]?(?::\d{1,5})?/,
  four: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w]|\.\d)/,
  refused:
    /(?<=\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)\s)[^\s'"`,;)]+/,
  port: /(?<![\w.-])(?=[\w.-]*[a-z])(?:[\w-]+(?:\.[\w-]+)+:\d{2,5}|[\w-]+:\d{4,5})\b/,
  name: /(?<![\w.-])(?:localhost|(?:[\w-]+\.)+(?:local|localdomain|internal|intranet|lan|corp|home|home\.arpa))\b/,
};
const any = new RegExp(
  Object.entries(parts)
    .map(([name, part]) => `(?<${name}>${part.source})`)
    .join('|'),
  'gi',
);

function markOf(text: string, found: Readonly<Record<string, string | undefined>>): string {
  if (found['own'] !== undefined) return text;
  if (found['url'] !== undefined) return /^file:/i.test(text) ? marks.path : marks.address;
  if (found['quoted'] ?? found['windows'] ?? found['posix']) return marks.path;
  if (found['six'] !== undefined) return isPrivate6(text) ? marks.address : text;
  if (found['four'] !== undefined) return text.includes(':') || isPrivate4(text) ? marks.address : text;
  return marks.host;
}
/** `known`: what whoever reads it has said himself stays, where it stands as a whole. */
export const withoutAddresses = (text: string, known: ReadonlySet<string> = new Set()): string =>
  text.replace(any, (found: string, ...more: unknown[]) =>
    known.has(found) ? found : markOf(found, more.at(-1) as Readonly<Record<string, string | undefined>>),
  );

function hidden(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return withoutAddresses(value, known);
  if (Array.isArray(value)) return value.map((each) => hidden(each, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hidden(each, known)]));
}
/** The URI that was asked for, and what stands in it. */
function partsOf(uri: string): ReadonlySet<string> {
  const [dpe, window] = [parseDpeUri(uri), parseWindowUri(uri)];
  const inDpe = dpe.ok ? [dpe.uri.host, ...(dpe.uri.level === 0 ? [] : [dpe.uri.docRef])] : [];
  const inWindow = window.ok ? [window.uri.host, `/${window.uri.path.join('/')}`] : [];
  const said = [...inDpe, ...inWindow];
  return new Set([uri, ...said, ...said.flatMap((each) => encodePart(each) ?? [])]);
}
/** The failure of a read as an agent is told it. */
export function failureForAgents(failure: Failure, uri: string): Failure {
  const known = partsOf(uri);
  const { message, details } = failure;
  return {
    ...failure,
    message: withoutAddresses(message, known),
    ...(details && { details: hidden(details, known) as NonNullable<Failure['details']> }),
  };
}
