/** URIs of windows: parsing and building by the five rules of the protocol. */
import { wireCodes, type Failure } from '../protocol/failure.ts';
import {
  splitUri,
  valueIn,
  encodePart,
  decodePart,
  encodeHost,
  decodeHost,
  wholeNumberIn,
  isWithin,
  strange,
  type UriParts,
} from './uri.ts';
/** Decoded window URI, `window://host/path1/path2?priority=P&fullscreen=F`. */
export interface WindowUri {
  /**
   * Host that identifies the MCP server, such as `com.example.browser`; in lower case, because case does not
   * matter.
   */
  readonly host: string;
  /** Segments of the path; the first is never empty. */
  readonly path: readonly string[];
  /** Priority from 0 to 100, highest first; absent counts as 0. */
  readonly priority?: number;
  /** True for a window that fills the screen; absent counts as false. */
  readonly fullscreen?: boolean;
}
type WindowRule = 'scheme' | 'host' | 'priority' | 'fullscreen' | 'encoding';

/** Result of parsing: the parts of the URI, or a failure with the violated rule. */
export type ParsedWindowUri =
  | { readonly ok: true; readonly uri: WindowUri }
  | { readonly ok: false; readonly failure: Failure };
/** Result of building: the URI, or a failure with the violated rule. */
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
const refuseWindow = (rule: WindowRule, uri?: string): { readonly ok: false; readonly failure: Failure } => ({
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

interface Standing {
  readonly priority: number | undefined;
  readonly fullscreen: boolean | undefined;
}

/** Unknown query keys are ignored; of a repeated key the first counts. */
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

/** Faster than `parseWindowUri`, because thousands of URIs are checked at a time. */
export function standingOf(raw: string): Standing | undefined {
  const parts = splitUri(raw);
  const standing = parts && judged(parts);
  return typeof standing === 'string' ? undefined : standing;
}

/**
 * Parses a `window://` URI by the five rules of the protocol. Never throws; a failure has code 400 and the
 * violated `rule` in its details.
 * @example
 * const read = parseWindowUri('window://editor/open?priority=50');
 * if (read.ok) console.log(read.uri.path, read.uri.priority); // [ 'open' ] 50
 */
export function parseWindowUri(raw: string): ParsedWindowUri {
  const parts = splitUri(raw);
  if (!parts) return refuseWindow('scheme', raw);
  const standing = judged(parts);
  if (typeof standing === 'string') return refuseWindow(standing, raw);
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

/** Splits before decoding, so that `c%2Fd` stays one segment; leading slashes are ignored. */
function segmentsOf(path: string): readonly string[] {
  const written = path.replace(/^\/+/, '');
  return written === '' ? [] : written.split('/').map((segment) => decodePart(segment) ?? '');
}

export const isWindowUri = (raw: string): boolean => standingOf(raw) !== undefined;

/**
 * Builds a URI that `parseWindowUri` reads as these parts; the query has only the given fields, `priority`
 * first. A part of a wrong type violates the rule of that part.
 * @example
 * buildWindowUri({ host: 'editor', path: ['open'], priority: 50 }); // uri: 'window://editor/open?priority=50'
 */
export function buildWindowUri(uri: WindowUri): BuiltWindowUri {
  // A missing argument is handled too, because callers in JavaScript have no type check.
  const given: Partial<WindowUri> = uri ?? {};
  const { host, path = [], priority, fullscreen, ...others } = given;
  const [stranger] = Object.keys(others);
  if (stranger !== undefined) return strange(refuseWindow('encoding'), stranger);
  if (typeof host !== 'string' || host === '') return refuseWindow('host');
  if (!Array.isArray(path) || path.some((segment) => typeof segment !== 'string'))
    return refuseWindow('encoding');
  if (fullscreen !== undefined && typeof fullscreen !== 'boolean') return refuseWindow('fullscreen');
  if (priority !== undefined && !isWithin(priority, 0, mostPriority)) return refuseWindow('priority');
  const written = [encodeHost(host), ...path.map(encodePart)];
  if (written.includes(undefined) || path[0] === '') return refuseWindow('encoding');
  const query = [
    ...(priority === undefined ? [] : [`priority=${priority}`]),
    ...(fullscreen === undefined ? [] : [`fullscreen=${fullscreen}`]),
  ];
  return { ok: true, uri: `window://${written.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}` };
}
