import { remembered } from '../../kernel/objects.ts';
import { excessBytes, jsonBytes, mostLevels, isObject, type Fields } from '../../protocol/json.ts';

/** Share of the remaining bytes, after the notice, that the metadata may use; the rest is for content items. */
const shareOfMeta = 0.125;
/** Largest number of bytes that the placeholder of a dropped item keeps of each of its type, MIME type and URI. */
const wordBytes = 200;
/** Largest number of dropped metadata members that are listed by name, and of bytes that are kept of each name. */
const [namesSaid, nameBytes] = [8, 60];

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
interface Fitted<What> {
  readonly small: What;
  /** Size of the value as JSON in bytes, stored because measuring takes as long as writing. */
  readonly bytes: number;
}
/** One UTF-16 unit takes one to six bytes. Undefined when nothing fits; `all`: size of the full text, if known. */
function truncateText(whole: string, bytes: number, all = jsonBytes(whole)): Fitted<string> | undefined {
  if (all <= bytes) return { small: whole, bytes: all };
  const sayingSo = (length: number): string => `… [${whole.length - length} characters cut]`;
  const room = bytes - jsonBytes(sayingSo(0));
  if (room <= 0) return undefined;
  const isPlain = all === whole.length + 2;
  // Cuts between two characters only, so that the sizes of both parts add up to the whole.
  const between = (length: number): number => (isHalf(whole.charCodeAt(length - 1)) ? length - 1 : length);
  const textBytes = (from: number, to: number): number => jsonBytes(whole.slice(from, to)) - 2;
  /** To save time only the shorter of both parts is measured. */
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
/** Images and blobs are never cut in the middle. */
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
/** Undefined when not even a placeholder fits. */
function fitted(item: unknown, bytes: number): Fitted<unknown> | undefined {
  const all = itemBytes(item);
  if (all <= bytes) return { small: item, bytes: all };
  const whole = isObject(item) ? item : text(Array.isArray(item) ? '' : String(item));
  const short = shortened(whole, bytes);
  if (short) return short;
  const small = placeholder(whole);
  const rest = itemBytes(small);
  return rest <= bytes ? { small, bytes: rest } : undefined;
}

function smallMeta(all: Fields, bytes: number): Fields {
  if (resultBytes(all) <= bytes) return all;
  // Counts each entry with one comma and without braces; the whole object has one comma less.
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
  const small = saying(smallMeta(all, left * shareOfMeta), all, left / 2);
  left -= resultBytes(small);
  const cached: unknown[] = [];
  for (const item of items) {
    // Reserves one byte for the comma after the item.
    const fit = fitted(item, left - 1);
    if (fit === undefined) break;
    cached.push(fit.small);
    left -= fit.bytes + 1;
  }
  const missing = items.length - cached.length;
  return given(missing > 0 && left >= 0 ? [...cached, othersTruncated(missing)] : cached, small);
}
