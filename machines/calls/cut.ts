import { excessBytes } from '../wire/size.ts';

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the items may have of all; the rest is for the notice, the meta and what stands around them. */
const shareOfItems = 0.75;
const shareOfMeta = 0.125;

const noticeOf = (bytes: number, limit: number, handle: string): string =>
  `[a2c] This result has ${bytes} bytes; at most ${limit} are passed on. What is missing was cut. ` +
  `The host of the computer keeps the whole as '${handle}'.`;

const bytesOf = (value: unknown): number => excessBytes(value, 0) ?? 0;
/** Its beginning, in at most `bytes` of JSON: one character takes between one byte and six. */
function cutText(text: string, bytes: number): string {
  let length = Math.floor((text.length * bytes) / Math.max(1, bytesOf(text)));
  if (length >= text.length) return text;
  while (length > 0 && bytesOf(text.slice(0, length)) > bytes) length = Math.floor(length / 2);
  return `${text.slice(0, length)}… [${text.length - length} characters cut]`;
}

/** One item of the content in about `bytes`; an image or a blob is never cut in half, it goes. */
function cutItem(item: unknown, bytes: number): unknown {
  if (!isObject(item)) return { type: 'text', text: cutText(String(item), bytes) };
  if (typeof item['text'] === 'string') return { ...item, text: cutText(item['text'], bytes) };
  const type = typeof item['type'] === 'string' ? item['type'] : 'item';
  const resource = isObject(item['resource']) ? item['resource'] : undefined;
  if (resource && typeof resource['text'] === 'string')
    return { ...item, resource: { ...resource, text: cutText(resource['text'], bytes) } };
  const what = [item['mimeType'] ?? resource?.['mimeType'], resource?.['uri'] ?? item['uri']]
    .filter((word) => typeof word === 'string')
    .join(' ');
  return { type: 'text', text: `[${type}${what === '' ? '' : ` ${cutText(what, 200)}`}: cut]` };
}

/**
 * The same result in at most `limitBytes` of JSON. It says so: first of all to the model, and under `meta.a2c_cut`
 * to programs. What is small stays as it is; `structuredContent` goes, because half of it would be another.
 */
export function cutTo(result: unknown, limitBytes: number, handle: string): unknown {
  const bytes = excessBytes(result, limitBytes);
  if (bytes === undefined) return result;
  const { content, isError, meta } = isObject(result) ? result : {};
  const a2c_cut = { bytes, limit_bytes: limitBytes, handle };
  const notice = { type: 'text', text: noticeOf(bytes, limitBytes, handle) };
  const items = Array.isArray(content) ? content : [];
  let left = limitBytes * shareOfItems;
  const kept: unknown[] = [];
  for (const item of items) {
    if (left <= 0) break;
    const isSmall = excessBytes(item, left) === undefined;
    const fit = isSmall ? item : cutItem(item, left);
    kept.push(fit);
    left -= bytesOf(fit);
  }
  if (kept.length < items.length)
    kept.push({ type: 'text', text: `[a2c] ${items.length - kept.length} more items were cut` });
  const smallMeta = isObject(meta) && excessBytes(meta, limitBytes * shareOfMeta) === undefined ? meta : {};
  return {
    content: [notice, ...kept],
    ...(isError === true && { isError: true }),
    meta: { ...smallMeta, a2c_cut },
  };
}
