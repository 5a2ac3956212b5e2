import { remembered } from '../../kernel/objects.ts';
import { excessBytes, jsonBytes, mostLevels } from '../../protocol/size.ts';
import { isObject, type Fields } from '../../protocol/json.ts';

/** Share of the meta in the bytes that are left beside the notice; the rest is for the items. */
const shareOfMeta = 0.125;
/** In a placeholder nothing of the item is longer, in bytes. */
const wordBytes = 200;
/** Number of dropped members of the meta that are named, and characters of each name. */
const [namesSaid, nameBytes] = [8, 60];

/** Notice of a cut, for the model and for programs. A result that is nested too deep is not kept: it cannot be written. */
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

/** An item stands in the content of its result. */
const itemLevels = mostLevels - 2;
/** Measures once, because results and their items never change: what is made of a result has the items that it had. */
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
/** Bytes of a result, or of a part of one, as JSON. */
export const resultBytes = (value: unknown): number =>
  typeof value === 'object' && value !== null ? measured(value) : jsonBytes(value);
/** Bytes of a result when these are more than the limit. */
export const excessOf = (result: unknown, limitBytes: number): number | undefined =>
  excessBytes(result, limitBytes, resultBytes);
/** The half of a pair that was cut in two would be no character. */
const isHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
interface Fitted<What> {
  readonly small: What;
  /** Bytes of its JSON, kept because measuring takes as long as writing. */
  readonly bytes: number;
}
/**
 * The beginning of a text, in at most `bytes` of JSON: one character takes between one byte and six. undefined: nothing of it.
 * `all`: the bytes of the whole, where they are known.
 */
function truncateText(whole: string, bytes: number, all = jsonBytes(whole)): Fitted<string> | undefined {
  if (all <= bytes) return { small: whole, bytes: all };
  const sayingSo = (length: number): string => `… [${whole.length - length} characters cut]`;
  const room = bytes - jsonBytes(sayingSo(0));
  if (room <= 0) return undefined;
  const isPlain = all === whole.length + 2;
  // Between two characters: there the bytes of both sides are those of the whole.
  const between = (length: number): number => (isHalf(whole.charCodeAt(length - 1)) ? length - 1 : length);
  const textBytes = (from: number, to: number): number => jsonBytes(whole.slice(from, to)) - 2;
  /** Counts the shorter side. */
  const bytesTo = (length: number): number => {
    if (isPlain) return length;
    return length * 2 > whole.length ? all - 2 - textBytes(length, whole.length) : textBytes(0, length);
  };
  let length = between(Math.floor((whole.length * room) / all));
  let taken = bytesTo(length);
  while (length > 0 && taken > room) taken = bytesTo((length = between(Math.floor(length / 2))));
  if (length === 0) return undefined;
  const said = sayingSo(length);
  return { small: whole.slice(0, length) + said, bytes: taken + jsonBytes(said) };
}

/** Text in the place of an item that was dropped. */
function placeholder(item: Fields): Fields {
  const resource = isObject(item['resource']) ? item['resource'] : {};
  const words = [
    item['type'] ?? 'item',
    item['mimeType'] ?? resource['mimeType'],
    resource['uri'] ?? item['uri'],
  ];
  const said = words.flatMap((word) =>
    typeof word === 'string' ? [truncateText(word, wordBytes)?.small ?? ''] : [],
  );
  return text(`[${said.join(' ')}: cut]`);
}
/** The item with the beginning of its text; an image or a blob is never cut in half. */
function shortened(item: Fields, bytes: number): Fitted<Fields> | undefined {
  const { text: own, resource } = item;
  const inside = isObject(resource) ? resource : {};
  const whole = own ?? inside['text'];
  if (typeof whole !== 'string') return undefined;
  const around = (said: string): Fields =>
    own === undefined ? { ...item, resource: { ...inside, text: said } } : { ...item, text: said };
  const empty = itemBytes(around('')) - 2;
  const cut = truncateText(whole, bytes - empty, itemBytes(item) - empty);
  return cut && { small: around(cut.small), bytes: cut.bytes + empty };
}
/** Beginning of one item of the content that fits into so many bytes of JSON; undefined: nothing fits. */
function fitted(item: unknown, bytes: number): Fitted<unknown> | undefined {
  const all = itemBytes(item);
  if (all <= bytes) return { small: item, bytes: all };
  const whole = isObject(item) ? item : text(String(item));
  const short = shortened(whole, bytes);
  if (short) return short;
  const small = placeholder(whole);
  const rest = itemBytes(small);
  return rest <= bytes ? { small, bytes: rest } : undefined;
}

/** The meta without its largest entries, so that it fits into so many bytes. */
function smallMeta(all: Fields, bytes: number): Fields {
  if (resultBytes(all) <= bytes) return all;
  // Each with a comma and without its braces; all of them have one comma less.
  const sized = Object.entries(all).map(([key, value]) => ({
    key,
    bytes: resultBytes({ [key]: value }) - 1,
  }));
  const cached = new Set<string>();
  let sum = resultBytes({}) - 1;
  for (const entry of sized.toSorted((a, b) => a.bytes - b.bytes)) {
    sum += entry.bytes;
    if (sum > bytes) break;
    cached.add(entry.key);
  }
  return Object.fromEntries(Object.entries(all).filter(([key]) => cached.has(key)));
}
/** Notice of the names that were dropped, or only of their number where there is no room. */
function saying(small: Fields, all: Fields, bytes: number): Fields {
  const gone = Object.keys(all).filter((key) => !Object.hasOwn(small, key));
  if (gone.length === 0) return small;
  const names = gone.slice(0, namesSaid).map((key) => truncateText(key, nameBytes)?.small ?? '…');
  const more = gone.length > names.length ? ` and ${gone.length - names.length} more` : '';
  const before: unknown = small['a2c_warnings'];
  const texts = [`Cut from meta: ${names.join(', ')}${more}`, `Cut from meta: ${gone.length}`];
  const said = texts.map((one) => ({
    ...small,
    a2c_warnings: [...(Array.isArray(before) ? (before as readonly unknown[]) : []), one],
  }));
  return said.find((one) => resultBytes(one) <= bytes) ?? small;
}

/**
 * The same result in at most `limitBytes` of JSON, or in what the notice alone takes where that is more. It says so:
 * first of all to the model, and under `meta.a2c_cut` to programs. What is small stays as it is; `structuredContent`
 * goes, because half of it would be another. What goes of the meta, `meta.a2c_warnings` names.
 */
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
  const small = saying(smallMeta(all, left * shareOfMeta), all, left / 2);
  left -= resultBytes(small);
  const cached: unknown[] = [];
  for (const item of items) {
    // With its comma.
    const fit = fitted(item, left - 1);
    if (fit === undefined) break;
    cached.push(fit.small);
    left -= fit.bytes + 1;
  }
  const missing = items.length - cached.length;
  return given(missing > 0 && left >= 0 ? [...cached, othersTruncated(missing)] : cached, small);
}
