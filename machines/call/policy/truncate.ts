import { remembered } from '../../kernel/objects.ts';
import { excessBytes, jsonBytes, mostLevels, isObject, type Fields } from '../../protocol/json.ts';

/** Share of the remaining bytes, after the notice, that the metadata may use; the rest is for content items. */
const shareOfMeta = 0.125;
/** Largest number of bytes that the placeholder of a dropped item keeps of each of its type, MIME type and URI. */
const wordBytes = 200;

/** A result that is nested too deep is not kept, because it cannot be written. */
function reasonOf(
  bytes: number,
  limit: number,
  handle: string,
): { readonly notice: string; readonly truncate: Fields } {
  if (bytes === Infinity)
    return {
      notice:
        `[a2c] This result is nested too deep; at most ${mostLevels} levels are passed on. ` +
        'What is missing was cut, and nobody keeps the whole.',
      truncate: { limit_levels: mostLevels },
    };
  return {
    notice:
      `[a2c] This result has ${bytes} bytes; at most ${limit} are passed on. What is missing was cut. ` +
      `The host of the computer keeps the whole as '${handle}'.`,
    truncate: { bytes, limit_bytes: limit, handle },
  };
}
const text = (said: string) => ({ type: 'text', text: said });
const othersTruncated = (count: number) => text(`[a2c] ${count} more items were cut`);

/** Nesting depth left for an item, which is two levels below its result. */
const itemLevels = mostLevels - 2;
/** Results and items are immutable, and a changed result reuses the items of the old one. */
const measuredItem = remembered<object, number>((item) => jsonBytes(item, itemLevels));
const itemBytes = (item: unknown): number =>
  typeof item === 'object' && item !== null ? measuredItem(item) : jsonBytes(item ?? null);
const measured = remembered<object, number>((value) => {
  const { content } = value as Fields;
  if (!Array.isArray(content)) return jsonBytes(value);
  let sum = jsonBytes({ ...value, content: [] }) + Math.max(0, content.length - 1);
  for (const item of content as readonly unknown[]) sum += itemBytes(item);
  return sum;
});
export const resultBytes = (value: unknown): number =>
  typeof value === 'object' && value !== null ? measured(value) : jsonBytes(value);
export const excessOf = (result: unknown, limitBytes: number): number | undefined =>
  excessBytes(result, limitBytes, resultBytes);
/** Tells whether a UTF-16 unit is the first half of a surrogate pair, after which a text must not be cut. */
const isHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const fits = (whole: string, bytes: number): boolean => whole.length <= bytes && jsonBytes(whole) <= bytes;
/** Measures no more of the text than may be kept of it. Undefined when nothing fits. */
function truncateText(whole: string, bytes: number): string | undefined {
  if (fits(whole, bytes)) return whole;
  const sayingSo = (length: number): string => `… [${whole.length - length} characters cut]`;
  const room = bytes - jsonBytes(sayingSo(0));
  let length = room;
  while (length > 0) {
    const start = whole.slice(0, isHalf(whole.charCodeAt(length - 1)) ? length - 1 : length);
    const taken = jsonBytes(start) - 2;
    if (taken <= room) return start === '' ? undefined : start + sayingSo(start.length);
    length = Math.floor((length * room) / taken);
  }
  return undefined;
}

function placeholder(item: Fields): Fields {
  const resource = isObject(item['resource']) ? item['resource'] : {};
  const words = [
    item['type'] ?? 'item',
    item['mimeType'] ?? resource['mimeType'],
    resource['uri'] ?? item['uri'],
  ];
  const said = words.flatMap((word) =>
    typeof word === 'string' ? [truncateText(word, wordBytes) ?? ''] : [],
  );
  return text(`[${said.join(' ')}: cut]`);
}
/** Images and blobs are never cut in the middle. */
function shortened(item: Fields, bytes: number): Fields | undefined {
  const { text: own, resource } = item;
  const inside = isObject(resource) ? resource : {};
  const whole = own ?? inside['text'];
  if (typeof whole !== 'string') return undefined;
  const around = (said: string): Fields =>
    own === undefined ? { ...item, resource: { ...inside, text: said } } : { ...item, text: said };
  const cut = truncateText(whole, bytes - itemBytes(around('')) + 2);
  return cut === undefined ? undefined : around(cut);
}
/** Undefined when not even a placeholder fits. */
function fitted(item: unknown, bytes: number): unknown {
  if (itemBytes(item) <= bytes) return item ?? null;
  const whole = isObject(item) ? item : text(Array.isArray(item) ? '' : String(item));
  return [shortened(whole, bytes), placeholder(whole)].find((one) => one && itemBytes(one) <= bytes);
}

/** Keeps the smallest members, as many as fit. */
function smallMeta(all: Fields, bytes: number): Fields {
  const sized = Object.entries(all).map(([key, value]) => ({
    key,
    value,
    bytes: resultBytes({ [key]: value }),
  }));
  let left = bytes;
  const kept = sized.toSorted((a, b) => a.bytes - b.bytes).filter((one) => (left -= one.bytes) >= 0);
  const small = Object.fromEntries(kept.map(({ key, value }) => [key, value]));
  if (kept.length === sized.length) return small;
  const before: unknown = small['a2c_warnings'];
  const warning = `Cut from meta: ${sized.length - kept.length} of ${sized.length} members`;
  return { ...small, a2c_warnings: [...(Array.isArray(before) ? (before as unknown[]) : []), warning] };
}

/** A first text and `meta.a2c_cut` tell of the cut; both are kept even when they alone exceed the limit. */
export function truncateTo(result: unknown, limitBytes: number, handle: string): unknown {
  const bytes = excessOf(result, limitBytes);
  if (bytes === undefined) return result;
  const { content, isError, _meta, meta } = isObject(result) ? result : {};
  const items = Array.isArray(content) ? (content as readonly unknown[]) : [];
  const { notice, truncate } = reasonOf(bytes, limitBytes, handle);
  const given = (cached: readonly unknown[], more: Fields) => ({
    content: [text(notice), ...cached],
    ...(isError === true && { isError: true }),
    meta: { ...more, a2c_cut: truncate },
  });
  let left = limitBytes - resultBytes(given([othersTruncated(items.length)], {}));
  const all = { ...(isObject(_meta) && _meta), ...(isObject(meta) && meta) };
  const small = smallMeta(all, left * shareOfMeta);
  left -= resultBytes(small);
  const cached: unknown[] = [];
  for (const item of items) {
    // Reserves one byte for the comma after the item.
    const fit = fitted(item, left - 1);
    if (fit === undefined) break;
    cached.push(fit);
    left -= itemBytes(fit) + 1;
  }
  const missing = items.length - cached.length;
  return given(missing > 0 && left >= 0 ? [...cached, othersTruncated(missing)] : cached, small);
}
