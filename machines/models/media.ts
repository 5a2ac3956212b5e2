/** Images, sounds and documents in results, as far as models take them. */
import type { MCPContentItem, MediaKind, ResultOptions } from './format.ts';

/** Image, sound or document of a result. */
export interface Media {
  readonly kind: MediaKind;
  /** MIME type as the bytes show it, such as `image/png`. */
  readonly mimeType: string;
  /** Bytes in Base64. */
  readonly data: string;
  /** Name for a model, such as `image 2`; numbered through all results of a turn. */
  readonly name: string;
}
/** MIME types that a provider takes, by kind. */
export type AcceptedTypes = Readonly<Partial<Record<MediaKind, readonly string[]>>>;

const defaults = { mediaCount: 20, mediaBytes: 3_932_160, mediaTotalBytes: 15_728_640 };

/** First characters of files in Base64, with the MIME types that they show. */
const beginnings: readonly (readonly [beginning: string, mimeType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi0', 'application/pdf'],
  ['SUQz', 'audio/mpeg'],
];
/** MIME types of RIFF files, by the last three letters of the form in Base64. */
const riffs: Readonly<Record<string, string>> = { RUJQ: 'image/webp', QVZF: 'audio/wav' };
const synonyms: Readonly<Record<string, string>> = {
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};
/** MIME types that are believed only when the bytes of the content show them, because providers refuse a wrong type. */
const shownByBytes: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf'],
]);
function typeOf(declared: string, data: string): string | undefined {
  const found = data.startsWith('UklGR')
    ? riffs[data.slice(12, 16)]
    : beginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
  const said = declared.toLowerCase().split(';')[0]?.trim() ?? '';
  const known = synonyms[said] ?? said;
  return found ?? (shownByBytes.has(known) ? undefined : known);
}
const kindOf = (mimeType: string): MediaKind | undefined => {
  if (mimeType === 'application/pdf') return 'document';
  const [kind] = mimeType.split('/');
  return kind === 'image' || kind === 'audio' ? kind : undefined;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
/** Base64 of an item, and how the text names it. */
export interface Binary {
  readonly what: string;
  readonly mimeType: string;
  readonly data: string;
}
/** Returns the binary content of an item; undefined when it is text, a link or unknown. */
export function binaryIn(item: MCPContentItem): Binary | undefined {
  const { type, resource } = item;
  const mimeOf = ({ mimeType }: Readonly<Record<string, unknown>>): string =>
    typeof mimeType === 'string' ? mimeType : '';
  const base64 = (value: unknown): string => (typeof value === 'string' ? value : '');
  if (type === 'image' || type === 'audio')
    return { what: type, mimeType: mimeOf(item), data: base64(item['data']) };
  if (type !== 'resource' || !isRecord(resource) || typeof resource['text'] === 'string') return undefined;
  return {
    what: `resource ${String(resource['uri'])}`,
    mimeType: mimeOf(resource),
    data: base64(resource['blob']),
  };
}
const bytesOf = (data: string): number => Math.floor((data.replace(/=+$/, '').length * 3) / 4);
/** Returns a placeholder for binary content, such as `[image image/png, 12 KiB]`. */
export function placeholder({ what, mimeType, data }: Binary, note = ''): string {
  const type = mimeType === '' ? '' : ` ${mimeType}`;
  const size = data === '' ? '' : `, ${sizeText(bytesOf(data))}`;
  return `[${what}${type}${size}${note}]`;
}
const sizeText = (bytes: number): string =>
  bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`;

/** Selection of media for one turn, which counts what it has let through. */
export interface MediaPicker {
  /** Returns the medium for the model, or the reason why it is left out. */
  pick(binary: Binary): Media | string;
}
/** Makes a selection for one turn. `kinds` are handed on by default, as far as the provider takes their types. */
export function mediaPicker(
  taken: AcceptedTypes,
  kinds: readonly MediaKind[],
  given: ResultOptions = {},
): MediaPicker {
  const { mediaCount, mediaBytes, mediaTotalBytes } = { ...defaults, ...given };
  const wanted = given.media ?? kinds;
  const numbers: Partial<Record<MediaKind, number>> = {};
  let count = 0;
  let total = 0;
  return {
    pick({ mimeType: declared, data: raw }) {
      const data = /\s/.test(raw) ? raw.replaceAll(/\s/g, '') : raw;
      if (data === '' || data.length % 4 !== 0 || /[^A-Za-z0-9+/=]|=[^=]/.test(data))
        return 'no valid Base64';
      const mimeType = typeOf(declared, data);
      if (mimeType === undefined) return 'its bytes are of another type';
      const kind = kindOf(mimeType);
      if (!kind || !wanted.includes(kind) || !taken[kind]?.includes(mimeType))
        return 'not taken by this model';
      const bytes = bytesOf(data);
      if (bytes > mediaBytes) return `more than ${sizeText(mediaBytes)}`;
      if (count >= mediaCount) return `more than ${mediaCount} in one turn`;
      if (total + bytes > mediaTotalBytes) return `more than ${sizeText(mediaTotalBytes)} in one turn`;
      count += 1;
      total += bytes;
      const number = (numbers[kind] = (numbers[kind] ?? 0) + 1);
      return { kind, mimeType, data, name: `${kind} ${number}` };
    },
  };
}
