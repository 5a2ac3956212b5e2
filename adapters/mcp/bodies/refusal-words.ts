import type { Body } from './bodies.ts';
import { errorOf, type Envelope, type RpcError } from '../messages/envelope.ts';
import { isObject } from '../../../machines/protocol/json.ts';

/** Words of the body of a refusal. */
export interface Said {
  /** It is a JSON-RPC error. */
  readonly envelope?: Envelope;
  readonly error?: RpcError;
  readonly bytes: number;
  /** All of it. */
  readonly text: string;
  /** One sentence; undefined: it has none. */
  readonly words?: string;
}

/** Members in which frameworks say why, the best first. */
const members = ['error_description', 'message', 'detail', 'error', 'title'];

function sentenceIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (Array.isArray(value)) return sentenceIn((value as readonly unknown[])[0]);
  if (!isObject(value)) return undefined;
  for (const member of [...members, 'msg']) {
    const sentence = sentenceIn(value[member]);
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

/** Why a server refused, in its own words: a JSON-RPC error, the JSON of a framework, or plain text. Nothing of it is redacted. */
export function saidIn(body: Body): Said {
  if ('unpackable' in body) return { bytes: 0, text: '', words: `the answer ${body.unpackable}` };
  if (!('text' in body)) return { bytes: 0, text: '' };
  const { text, bytes } = body;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const [line = ''] = text.trim().split(/\r?\n/);
    // Pages are for browsers.
    const isPage = line === '' || line.startsWith('<');
    return { text, bytes, ...(!isPage && { words: line }) };
  }
  const words = sentenceIn(value);
  const said = { text, bytes, ...(words !== undefined && { words }) };
  if (!isObject(value) || !isObject(value['error'])) return said;
  const error = errorOf(value);
  return error ? { ...said, envelope: value, error, words: error.message } : said;
}
