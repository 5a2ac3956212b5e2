import { fitting, type Bytes } from '../../../adapters/index.ts';
import { typed } from './commands-shown.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';

/** What tools and resources answer, for a person: texts as they are, and a mark that says what anything else is. */

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const widest = 300;
const brief = (value: unknown): string => fitting(JSON.stringify(value) ?? String(value), widest, '…');
const bytesIn = (base64: string): number => Math.floor((base64.replace(/[\s=]+$/, '').length * 3) / 4);
/** `[image image/png, 68 bytes]`: words, then what is known of it. */
const mark = (words: readonly (string | undefined)[], ...known: readonly (string | undefined)[]): string =>
  `[${[words.filter((word) => word !== undefined).join(' '), ...known.filter((fact) => fact !== undefined)].join(', ')}]`;
const sized = (bytes: number): string => `${bytes} bytes`;
const sizeOf = (base64: unknown): string =>
  typeof base64 === 'string' ? sized(bytesIn(base64)) : 'without data';
const shortType = (type: unknown): string | undefined => textIn(type) && fitting(String(type), 60, '…');

/** One of the contents of a resource, or what an embedded one has. */
export function contentText(content: unknown): string {
  if (!isObject(content)) return mark(['no content'], brief(content));
  const { text, blob, mimeType } = content;
  if (typeof text === 'string') return text;
  if (typeof blob === 'string') return mark(['blob', shortType(mimeType)], sizeOf(blob));
  return mark(['neither text nor blob'], brief(content));
}
function embeddedText(resource: unknown): string {
  if (!isObject(resource)) return mark(['embedded resource without contents'], brief(resource));
  const { uri, text, mimeType } = resource;
  const words = ['embedded', shortType(mimeType), textIn(uri)];
  if (typeof text === 'string') return `${mark(words)}\n${text}`;
  return mark(
    words,
    typeof resource['blob'] === 'string' ? sizeOf(resource['blob']) : 'neither text nor blob',
  );
}
function linkText({ uri, name, title, mimeType, size, description }: Fields, server?: string | null): string {
  const words = ['link', textIn(title) ?? textIn(name), textIn(uri) ?? 'without URI'];
  const type = shortType(mimeType);
  const bytes = typeof size === 'number' ? sized(size) : undefined;
  const said = textIn(description);
  const read =
    textIn(uri) === undefined
      ? ''
      : `\n  ${typed('a2c', 'read', String(uri), ...(server ? ['--server', server] : []))}`;
  return mark(words, type, bytes) + (said === undefined ? '' : ` ${said}`) + read;
}
/** One content of a result or of a prompt. */
export function itemText(item: unknown, server?: string | null): string {
  if (!isObject(item)) return mark(['no content'], brief(item));
  const { type, text, mimeType, data, resource } = item;
  // As an agent has what is no content (machines/protocol).
  if (type === 'unknown' && 'value' in item) return mark(['no content'], brief(item['value']));
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'image' || type === 'audio') return mark([type, shortType(mimeType)], sizeOf(data));
  if (type === 'resource_link') return linkText(item, server);
  if (type === 'resource') return embeddedText(resource);
  return mark([`content of type ${textIn(type) ?? 'none'}`], brief(item));
}
/** What a tool answered: its contents, or else its structured content. Anything may come from a server. */
export function resultText(result: unknown, server?: string | null): string {
  if (!isObject(result)) return JSON.stringify(result) ?? String(result);
  const { content, structuredContent } = result;
  if (Array.isArray(content) && content.length > 0)
    return content.map((item) => itemText(item, server)).join('\n');
  if (structuredContent !== undefined && structuredContent !== null)
    return JSON.stringify(structuredContent, null, 2);
  return Array.isArray(content) ? mark(['no content']) : JSON.stringify(result);
}

/** All images, sounds and blobs of a result, a resource or a prompt, in order. */
export function bytesOf(given: unknown): Bytes[] {
  if (Array.isArray(given)) return given.flatMap(bytesOf);
  if (!isObject(given)) return [];
  const { type, data, blob, mimeType, content, resource } = given;
  const base64 = type === 'image' || type === 'audio' ? data : blob;
  if (typeof base64 === 'string') return [{ base64, mimeType: textIn(mimeType) }];
  return [content, resource, given['contents'], given['messages']].flatMap((part) =>
    isObject(part) || Array.isArray(part) ? bytesOf(part) : [],
  );
}
