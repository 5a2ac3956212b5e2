import { wireCodes, type Failure } from '../protocol/failure.ts';
import {
  decodeHost,
  decodePart,
  encodeHost,
  encodePart,
  isWithin,
  wholeNumberIn,
  splitUri,
  valueIn,
  type UriParts,
} from './uri.ts';

/** `window://host/path1/path2?priority=P&fullscreen=F` (seed 001), decoded. */
export interface WindowUri {
  /** Names the MCP server, `com.example.browser`; in lower case, because case means nothing there. */
  readonly host: string;
  /** Its segments; the first is never empty. */
  readonly path: readonly string[];
  /** 0 to 100, the highest first; absent counts as 0. */
  readonly priority?: number;
  /** Absent counts as no. */
  readonly fullscreen?: boolean;
}
/** What a URI of a window may break, in the order of the seed's five rules. */
type WindowRule = 'scheme' | 'host' | 'priority' | 'fullscreen' | 'encoding';

/** The parts of a URI, or which rule it breaks. */
export type ParsedWindowUri =
  | { readonly ok: true; readonly uri: WindowUri }
  | { readonly ok: false; readonly failure: Failure };
/** A URI, or which rule its parts break. */
export type BuiltWindowUri =
  | { readonly ok: true; readonly uri: string }
  | { readonly ok: false; readonly failure: Failure };

const ruleTexts: Readonly<Record<WindowRule, string>> = {
  scheme: 'it must begin with window://',
  host: 'it must name a host',
  priority: 'priority must be a whole number from 0 to 100',
  fullscreen: 'fullscreen must be true, 1, yes, on, false, 0, no or off',
  encoding: 'host and path must be percent-encoded UTF-8, and the path must not begin with an empty segment',
};
const refuse = (rule: WindowRule, uri?: string): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: {
    code: wireCodes.badRequest,
    message: `Invalid window URI: ${ruleTexts[rule]}`,
    details: { ...(uri !== undefined && { uri }), rule },
  },
});

const mostPriority = 100;
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

/** What decides where a window stands among others. */
interface Standing {
  readonly priority: number | undefined;
  readonly fullscreen: boolean | undefined;
}

/** Every rule of the seed; unknown keys of the query are ignored, of one that stands twice the first counts. */
function judged(parts: UriParts): Standing | WindowRule {
  if (parts.scheme !== 'window') return 'scheme';
  if (parts.host === '') return 'host';
  const priorityText = valueIn(parts.query, 'priority');
  const priority = priorityText === undefined ? undefined : (wholeNumberIn(priorityText) ?? -1);
  if (priority !== undefined && !isWithin(priority, 0, mostPriority)) return 'priority';
  const fullscreenText = valueIn(parts.query, 'fullscreen');
  const fullscreen =
    fullscreenText === undefined ? undefined : truths.get(fullscreenText.trim().toLowerCase());
  if (fullscreenText !== undefined && fullscreen === undefined) return 'fullscreen';
  const isEncoded = decodePart(parts.host) !== undefined && decodePart(parts.path) !== undefined;
  return isEncoded ? { priority, fullscreen } : 'encoding';
}

/** Undefined: it is no window. Apart from `parseWindowUri`, because this is asked of thousands at a time. */
export function standingOf(raw: string): Standing | undefined {
  const parts = splitUri(raw);
  const standing = parts && judged(parts);
  return typeof standing === 'string' ? undefined : standing;
}

/**
 * Takes a `window://` URI apart by the five rules of seed 001. Never throws; a failure is 400 with the broken `rule`
 * in its details.
 */
export function parseWindowUri(raw: string): ParsedWindowUri {
  const parts = splitUri(raw);
  if (!parts) return refuse('scheme', raw);
  const standing = judged(parts);
  if (typeof standing === 'string') return refuse(standing, raw);
  const { priority, fullscreen } = standing;
  return {
    ok: true,
    uri: {
      host: decodeHost(parts.host) ?? '',
      path: segmentsOf(parts.path),
      ...(priority !== undefined && { priority }),
      ...(fullscreen !== undefined && { fullscreen }),
    },
  };
}

/** Split before it is decoded, so that `c%2Fd` stays one segment. Slashes at the beginning say nothing. */
function segmentsOf(path: string): readonly string[] {
  const written = path.replace(/^\/+/, '');
  return written === '' ? [] : written.split('/').map((segment) => decodePart(segment) ?? '');
}

export const isWindowUri = (raw: string): boolean => standingOf(raw) !== undefined;

/**
 * What `parseWindowUri` reads as this; the query only as far as it is given, `priority` first. A part of another type than
 * its own breaks the rule of that part.
 */
export function buildWindowUri(uri: WindowUri): BuiltWindowUri {
  // JavaScript calls this with whatever it has.
  const { host, path, priority, fullscreen } = uri ?? {};
  if (typeof host !== 'string' || host === '') return refuse('host');
  if (!Array.isArray(path) || path.some((segment) => typeof segment !== 'string')) return refuse('encoding');
  if (fullscreen !== undefined && typeof fullscreen !== 'boolean') return refuse('fullscreen');
  if (priority !== undefined && !isWithin(priority, 0, mostPriority)) return refuse('priority');
  const written = [encodeHost(host), ...path.map(encodePart)];
  if (written.includes(undefined) || path[0] === '') return refuse('encoding');
  const query = [
    ...(priority === undefined ? [] : [`priority=${priority}`]),
    ...(fullscreen === undefined ? [] : [`fullscreen=${fullscreen}`]),
  ];
  return { ok: true, uri: `window://${written.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}` };
}
