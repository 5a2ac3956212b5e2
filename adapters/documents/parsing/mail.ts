import type { Draft } from '../../../machines/documents.ts';
import { decoded } from './encoding.ts';
import { draftsOfHtml } from './html.ts';
import { paragraphsIn } from './plain.ts';
import { documentOf, type Reader } from './reader.ts';

const deepest = 20;
const mostHeader = 64 * 1024;

/** Subject, people, date, the text and the names of what is attached. Also a web page in one file (MHTML). */
export const readMail: Reader = ({ bytes, name }) => {
  const drafts = messageIn(new TextDecoder('latin1').decode(bytes).replaceAll('\r\n', '\n'), 0);
  return Promise.resolve(documentOf(drafts, name));
};

function messageIn(source: string, depth: number): Draft[] {
  const part = partIn(source);
  const text = part.header('subject');
  const about = ['From', 'To', 'Cc', 'Date'].flatMap((name) => {
    const value = part.header(name);
    return value === '' ? [] : [`${name}: ${value}`];
  });
  return [
    ...(text === '' ? [] : [{ category: 'heading' as const, content: { text, level: 1 } }]),
    ...(about.length > 0 ? [{ category: 'text' as const, content: { text: about.join('\n') } }] : []),
    ...draftsOf(part, depth),
  ];
}

interface Part {
  header(name: string): string;
  /** In latin1, as it is encoded for the way. */
  readonly body: string;
}
function partIn(source: string): Part {
  const end = `${source}\n\n`.indexOf('\n\n');
  const head = source.slice(0, Math.min(end, mostHeader));
  const headers = new Map<string, string>();
  for (const line of head.replace(/\n[ \t]+/g, ' ').split('\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!headers.has(name)) headers.set(name, withWords(line.slice(colon + 1).trim()));
  }
  return { header: (name) => headers.get(name.toLowerCase()) ?? '', body: source.slice(end + 2) };
}

const parameter = (header: string, name: string): string => {
  const at = header.toLowerCase().search(new RegExp(`[;\\s]${name}\\*?=`));
  const value = at < 0 ? '' : header.slice(header.indexOf('=', at) + 1);
  return (value.startsWith('"') ? value.slice(1).split('"')[0] : value.split(/[;\s]/)[0]) ?? '';
};

function draftsOf(part: Part, depth: number): readonly Draft[] {
  const type = part.header('content-type') || 'text/plain';
  const kind = type.split(/[;\s]/)[0]?.toLowerCase() ?? '';
  const disposition = part.header('content-disposition');
  const attached = parameter(disposition, 'filename') || parameter(type, 'name');
  if (depth > deepest) return [];
  if (kind.startsWith('multipart/')) {
    const [, ...pieces] = `\n${part.body}`.split(`\n--${parameter(type, 'boundary')}`);
    const parts = pieces
      .filter((piece) => !piece.startsWith('--'))
      .map((piece) => partIn(piece.replace(/^.*\n/, '')));
    const all = parts.map((each) => draftsOf(each, depth + 1));
    // The forms of one text; the first is the plain one.
    return kind === 'multipart/alternative' ? (all.find((each) => each.length > 0) ?? []) : all.flat();
  }
  if (kind === 'message/rfc822') return messageIn(part.body, depth + 1);
  if (/^attachment/i.test(disposition) || !/^text\/(plain|html)$/.test(kind))
    return [
      { category: 'annotation', content: { text: `Attached: ${attached || kind}`, kind: 'attachment' } },
    ];
  const text = textOf(part, parameter(type, 'charset'));
  if (kind === 'text/html') return draftsOfHtml(text).drafts;
  return paragraphsIn(text).map((each): Draft => ({ category: 'text', content: { text: each } }));
}

function textOf({ header, body }: Part, charset: string): string {
  const how = header('content-transfer-encoding').toLowerCase();
  if (how === 'base64') return inCharset(Buffer.from(body, how), charset);
  return inCharset(
    how === 'quoted-printable' ? unquoted(body.replace(/=[ \t]{0,9}\n/g, '')) : latin1(body),
    charset,
  );
}
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const unquoted = (text: string): Buffer =>
  latin1(text.replace(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))));
function inCharset(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset || 'none', { fatal: true }).decode(bytes);
  } catch {
    return decoded(bytes).text;
  }
}

/** Words of headers such as `=?utf-8?Q?caf=C3=A9?=`; raw bytes in a header are text, too. */
const withWords = (value: string): string => {
  if (!value.includes('=?')) return decoded(latin1(value)).text;
  return value
    .replaceAll(/\?=\s{1,9}=\?/g, '?==?')
    .replace(/=\?([^?\s]{1,40})\?([bq])\?([^?]*)\?=/gi, (_, charset: string, how: string, text: string) => {
      const isBase64 = how.toLowerCase() === 'b';
      return inCharset(isBase64 ? Buffer.from(text, 'base64') : unquoted(text.replaceAll('_', ' ')), charset);
    });
};
