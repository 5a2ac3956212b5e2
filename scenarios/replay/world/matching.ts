import type { RecordedRequest } from './recorded.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';

/** Request to a server, as a caller makes it or as it was recorded. */
export interface Asked {
  /** Name of the server in the config. */
  readonly server: string;
  /** Method of MCP, such as `tools/call`. */
  readonly method: string;
  /** Parameters as sent on the wire, without `_meta`. */
  readonly params: unknown;
}
/**
 * Rule by which a request matches a recorded one. `exact`: method and parameters are the same, and a hidden value matches
 * anything. `tool`: method and name of the tool or prompt, or the URI; arguments do not matter. A function decides by itself.
 */
export type Match = 'exact' | 'tool' | ((asked: Asked, recorded: Asked) => boolean);

export const hidden = /«redacted:[0-9a-f]+»/g;
const isHidden = (value: unknown): value is string => typeof value === 'string' && value.search(hidden) >= 0;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const fits = (recorded: string, value: unknown): boolean => {
  const pieces = recorded.split(hidden);
  if (pieces.every((piece) => piece === '')) return true;
  return typeof value === 'string' && new RegExp(`^${pieces.map(escaped).join('.*')}$`, 's').test(value);
};

export function differences(recorded: unknown, value: unknown, path = ''): readonly string[] {
  if (isHidden(recorded)) return fits(recorded, value) ? [] : [path];
  if (Array.isArray(recorded) && Array.isArray(value)) {
    const most = Math.max(recorded.length, value.length);
    return Array.from({ length: most }, (_, n) => differences(recorded[n], value[n], `${path}[${n}]`)).flat();
  }
  if (isObject(recorded) && isObject(value)) {
    const keys = [...new Set([...Object.keys(recorded), ...Object.keys(value)])];
    const inner = (key: string): string => (path === '' ? key : `${path}.${key}`);
    // Accepts any unrecorded key for a hidden key.
    const isOpen = Object.keys(recorded).some(isHidden);
    return keys.flatMap((key) => {
      if (isHidden(key) || (isOpen && !Object.hasOwn(recorded, key))) return [];
      return differences(recorded[key], value[key], inner(key));
    });
  }
  return Object.is(recorded, value) ? [] : [path];
}

/** List requests have none, as lists are recorded whole and not by page; empty arguments count as none. */
export function comparable({ method, params }: Pick<Asked, 'method' | 'params'>): Fields {
  const { _meta: _, task: __, ...fields } = isObject(params) ? params : {};
  if (method.endsWith('/list')) return {};
  const { arguments: given, ...rest } = fields;
  const isEmpty = given === undefined || (isObject(given) && Object.keys(given).length === 0);
  return isEmpty ? rest : { ...rest, arguments: given };
}
export const subjectOf = ({ params }: Pick<Asked, 'params'>): unknown => {
  const { name, uri } = isObject(params) ? params : {};
  return name ?? uri;
};

export function isMatch(match: Match, asked: Asked, { server, method, params }: RecordedRequest): boolean {
  if (typeof match === 'function') return match(asked, { server, method, params });
  if (asked.method !== method) return false;
  if (match === 'tool') return subjectOf(asked) === subjectOf({ params });
  return differences(comparable({ method, params }), comparable(asked)).length === 0;
}
/** One of the same tool first, else one of the same method. */
export function nearest(asked: Asked, recorded: readonly RecordedRequest[]): RecordedRequest | undefined {
  const apart = (request: RecordedRequest): number =>
    (subjectOf(asked) === subjectOf(request) ? 0 : 1_000) +
    differences(comparable(request), comparable(asked)).length;
  return recorded
    .filter(({ method }) => method === asked.method)
    .map((request) => ({ request, apart: apart(request) }))
    .toSorted((a, b) => a.apart - b.apart)[0]?.request;
}

const longest = 300;
export function requestText(asked: Pick<Asked, 'method' | 'params'>): string {
  const { name, uri, ...rest } = comparable(asked);
  const given = rest['arguments'] ?? (Object.keys(rest).length > 0 ? rest : undefined);
  const about = name ?? uri;
  const words = [asked.method, ...(typeof about === 'string' ? [about] : [])];
  const text = [...words, ...(given === undefined ? [] : [JSON.stringify(given)])].join(' ');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
export const cutText = (asked: Pick<Asked, 'method' | 'params'>, file: string): string =>
  `The recording ends before its answer in ${file}: ${requestText(asked)}. Record to a folder (record.dir), or longer.`;
export function missText(asked: Asked, near: RecordedRequest | undefined, file: string): string {
  const where = near && differences(comparable(near), comparable(asked)).slice(0, 5).join(', ');
  const closest = near
    ? `The nearest is record ${near.s}, ${requestText(near)}, which differs in ${where}.`
    : `No ${asked.method} of '${asked.server}' is in it.`;
  return (
    `Not recorded in ${file}: ${requestText(asked)}. ${closest} ` +
    `Ask what was recorded, match less (match: 'tool', strict: false), or record it again.`
  );
}
