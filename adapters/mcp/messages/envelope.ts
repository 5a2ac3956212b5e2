import { fieldsOf, type Digits } from '../../../machines/protocol/json.ts';
import { manyBytes } from '../../../machines/protocol/protocol.ts';

export interface Envelope {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface Notes {
  readonly bytes?: number;
  readonly digits?: readonly Digits[];
}
const notes = new WeakMap<object, Notes>();
export function note(message: object, { bytes = 0, digits = [] }: Notes): void {
  const isMany = bytes > manyBytes;
  if (isMany || digits.length > 0)
    notes.set(message, { ...(isMany && { bytes }), ...(digits.length > 0 && { digits }) });
}
export const notesOf = (message: object): Notes => notes.get(message) ?? {};

export function withNotes<Message extends object>(message: Message, was: object): Message {
  note(message, notesOf(was));
  return message;
}

export const hasError = ({ error }: Envelope): boolean => error !== undefined && error !== null;
export const hasResult = (answer: Envelope): boolean =>
  answer.result !== undefined && answer.result !== null && !hasError(answer);
/** An answer with neither result nor error, or with an error of another shape, is read as an error. */
export function errorOf(answer: Envelope): RpcError | undefined {
  const { error, result } = answer;
  if (!hasError(answer)) {
    if (typeof result === 'object' && result !== null) return undefined;
    return { code: -32603, message: 'the server answered with neither a result object nor an error' };
  }
  if (typeof error !== 'object' || error === null) return { code: -32603, message: JSON.stringify(error) };
  const code = 'code' in error && typeof error.code === 'number' ? error.code : -32603;
  const message = 'message' in error && typeof error.message === 'string' ? error.message : '';
  const data = 'data' in error ? { data: error.data } : {};
  return { code, message: message || 'the server gave no reason', ...data };
}

/** Code of our own error that replaces an answer which is too large; within the range that JSON-RPC leaves to implementations. */
const tooLargeCode = -32_013;
/** Largest nesting depth of a message that is parsed: parsing a few MB of brackets takes many seconds. */
export const messageLevels = 50_000;
export type TooLarge = { readonly bytes: number; readonly limit: number } | { readonly limit_levels: number };
/** `bytes` is Infinity for one that is nested too deep. */
export const tooLargeError = (bytes: number, limit: number): RpcError =>
  bytes === Infinity
    ? {
        code: tooLargeCode,
        message: `the answer is nested too deep, the limit is ${messageLevels} levels`,
        data: { limit_levels: messageLevels },
      }
    : {
        code: tooLargeCode,
        message: `the answer has ${bytes} bytes, the limit is ${limit}`,
        data: { reason: 'tooLarge', bytes, limit },
      };
export function tooLargeOf({ code, data }: RpcError): TooLarge | undefined {
  if (code !== tooLargeCode) return undefined;
  const { bytes, limit, limit_levels } = fieldsOf(data);
  if (typeof limit_levels === 'number') return { limit_levels };
  return typeof bytes === 'number' && typeof limit === 'number' ? { bytes, limit } : undefined;
}

interface Cut {
  readonly hasMethod: boolean;
  /** Undefined also when it lies in the missing part. */
  readonly id: number | string | undefined;
}
function cutMessage(head: string, tail: string): Cut {
  const members = leadingMembers(head);
  const id = valueOf(members.get('id') ?? trailingId.exec(tail)?.[1]);
  return {
    hasMethod: members.has('method') || (!members.has('id') && trailingMethod.test(tail)),
    id: typeof id === 'number' || typeof id === 'string' ? id : undefined,
  };
}
export function responseIdOf(head: string, tail: string): number | string | undefined {
  const { hasMethod, id } = cutMessage(head, tail);
  return hasMethod ? undefined : id;
}
export function requestIdOf(head: string, tail: string): number | string | undefined {
  const { hasMethod, id } = cutMessage(head, tail);
  return hasMethod ? id : undefined;
}

export const idLiteralOf = (text: string): string | undefined => leadingMembers(text).get('id');

/** Parses a JSON literal; undefined when it is invalid, because the line need not be JSON at all. */
function valueOf(literal: string | undefined): unknown {
  try {
    return literal === undefined ? undefined : JSON.parse(literal);
  } catch {
    return undefined;
  }
}

const text = String.raw`"(?:[^"\\]|\\.)*"`;
const scalar = String.raw`${text}|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`;
const nextKey = new RegExp(String.raw`\s*[{,]\s*(${text})\s*:\s*`, 'y');
const nextScalar = new RegExp(String.raw`(?:${scalar})(?=\s*[,}])`, 'y');
/** Only scalar members may follow. A quote inside a string is escaped, so its content never matches. */
const trailing = (name: string): RegExp =>
  new RegExp(String.raw`,\s*"${name}"\s*:\s*(${scalar})\s*(?:,\s*${text}\s*:\s*(?:${scalar})\s*)*\}\s*$`);
const trailingId = trailing('id');
const trailingMethod = trailing('method');

/** As JSON literals, up to the first member that does not end within the text. */
function leadingMembers(head: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let at = 0;
  for (;;) {
    nextKey.lastIndex = at;
    const key = nextKey.exec(head)?.[1];
    if (key === undefined) return members;
    nextScalar.lastIndex = nextKey.lastIndex;
    const value = nextScalar.exec(head)?.[0];
    if (value !== undefined) members.set(String(valueOf(key)), value);
    const end = value === undefined ? endOfNested(head, nextKey.lastIndex) : nextScalar.lastIndex;
    if (end === undefined) return members;
    at = end;
  }
}

const bracketOrText = new RegExp(String.raw`${text}|["{}[\]]`, 'g');
function endOfNested(head: string, from: number): number | undefined {
  if (head[from] !== '{' && head[from] !== '[') return undefined;
  bracketOrText.lastIndex = from;
  let depth = 0;
  for (let token = bracketOrText.exec(head); token; token = bracketOrText.exec(head)) {
    if (token[0] === '{' || token[0] === '[') depth += 1;
    else if (token[0] === '}' || token[0] === ']') depth -= 1;
    // Stops at a quote without its end, because the text was cut within a string.
    else if (token[0] === '"') return undefined;
    if (depth === 0) return bracketOrText.lastIndex;
  }
  return undefined;
}
