import { validate } from '../../../actors/api/world-doors.ts';
import { failureOfEnd } from '../../../machines/process/server-failure.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { contentsIn, promptIn } from '../../../machines/resources/collections.ts';
import { unreadableIn } from '../../../machines/protocol/tool-result.ts';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';
import { differences, hidden } from '../world/matching.ts';
import type { RecordedAnswer, RecordedDeath } from '../world/recorded.ts';

/**
 * Kind of a failure: `death` of the server, `timeOut`, `error` in the answer (of the tool or of the protocol), `unread` for an
 * answer that nobody can use, `malformed` for a result that breaks MCP or the output schema of its tool, `gone` for a tool that
 * has left the list and was wanted, `start` when the server did not come up, and `value` for a result that is not as expected.
 */
export type FailureKind = 'death' | 'timeOut' | 'error' | 'unread' | 'malformed' | 'gone' | 'start' | 'value';
export interface Seen {
  /** `good`: a result without a fault. `open`: not known. `unasked`: nothing was sent. */
  readonly kind: 'good' | 'open' | 'unasked' | FailureKind;
  readonly text: string;
  /** `{ result }` or `{ error }`; absent when there was none. */
  readonly value?: Fields;
  /** The text lacks the reason of the death, so that it is equal to each other death. */
  readonly isVague?: true;
  /** The server could not be started or reached at all, so that this says nothing about it. */
  readonly isForeign?: true;
}
/** Tool as a server lists it. */
export type ListedTool = Fields;

const inLine = (text: string, most = 300): string => text.replaceAll(/\s+/g, ' ').slice(0, most);

const isToolError = (result: unknown): boolean => fieldsOf(result)['isError'] === true;
const textsOf = (result: unknown): string => {
  const { content } = fieldsOf(result);
  const items = Array.isArray(content) ? (content as readonly unknown[]) : [];
  return items
    .map((item) => fieldsOf(item)['text'])
    .filter((text) => typeof text === 'string')
    .join(' ');
};
/** Undefined when an entry says anything, or the answer has a structure. */
export function emptyContent({ value }: Seen): readonly [key: string, content: unknown] | undefined {
  const { content, contents, structuredContent } = fieldsOf(value?.['result']);
  const items = content ?? contents;
  if (structuredContent !== undefined || !Array.isArray(items)) return undefined;
  const isEmpty = items.every((item) => fieldsOf(item)['text'] === '');
  return isEmpty ? [items === content ? 'content' : 'contents', items] : undefined;
}
export function hasWordsOf(error: Seen, { value }: Seen): boolean {
  const words = masked(error.text.replace(/^(?:isError|error \S{1,20}): (?:error: )?/i, ''));
  return error.kind === 'error' && words !== '' && masked(inLine(textsOf(value?.['result']))).endsWith(words);
}
function faultsOf(method: string, result: unknown, tool: ListedTool | undefined): readonly string[] {
  if (method === 'resources/read' || method === 'prompts/get') {
    const read = method === 'prompts/get' ? promptIn(result) : contentsIn(result);
    return read.ok ? [] : [read.failure.message];
  }
  if (method !== 'tools/call') return [];
  const { content, structuredContent } = fieldsOf(result);
  if (!Array.isArray(content)) return ['content is no list'];
  const unreadable = unreadableIn(result);
  const schema = tool?.['outputSchema'];
  if (unreadable !== undefined || !isObject(schema)) return unreadable === undefined ? [] : [unreadable];
  // Leaves out a result of which a part is hidden, because that part is a text whatever it was.
  if (JSON.stringify(structuredContent)?.search(hidden) >= 0) return [];
  if (structuredContent === undefined)
    return ['structuredContent is missing, and the tool has an output schema'];
  const validity = validate(schema, structuredContent);
  return validity.ok === false ? validity.problems : [];
}
const errorOf = ({ code, message, details }: Failure): Fields => {
  const { code: own, data } = details ?? {};
  return { code: typeof own === 'number' ? own : code, message, ...(data !== undefined && { data }) };
};
const seenResult = (method: string, result: unknown, tool: ListedTool | undefined): Seen => {
  const value = { result };
  if (method === 'tools/call' && isToolError(result))
    return { kind: 'error', text: inLine(`isError: ${textsOf(result)}`), value };
  const faults = faultsOf(method, result, tool);
  return faults.length === 0
    ? { kind: 'good', text: 'answered', value }
    : { kind: 'malformed', text: inLine(faults.join('; ')), value };
};
export const seenDeath = ({ message, details = {} }: Failure, kind: 'death' | 'start' = 'death'): Seen => {
  const { exit_code: code = null, signal = null } = details;
  return {
    kind,
    text: inLine(message),
    ...(kind === 'death' && (code ?? signal) === null && { isVague: true }),
  };
};
export function recordedDeath(server: string, death: RecordedDeath | undefined): Seen {
  if (!death || death.isOutputOnly)
    return { kind: 'death', text: 'its connection ended before it answered', isVague: true };
  const end = { ...death, how: 'exited', pid: null, message: null } as const;
  return seenDeath(failureOfEnd(server, end, true));
}
/** `tool` is the listed tool that was called, `died` the death of a server that did not answer. */
export function seenOf(
  method: string,
  answer: RecordedAnswer,
  tool?: ListedTool,
  died: Seen = { kind: 'death', text: 'its connection ended before it answered', isVague: true },
): Seen {
  switch (answer.type) {
    case 'result':
      return seenResult(method, answer.result, tool);
    case 'error': {
      const { code, message } = errorOf(answer.failure);
      return {
        kind: 'error',
        text: inLine(`error ${code as number}: ${message as string}`),
        value: { error: errorOf(answer.failure) },
      };
    }
    case 'unread':
      return { kind: 'unread', text: inLine(answer.failure.message) };
    case 'lost':
      return died;
    case 'timedOut':
      return { kind: 'timeOut', text: `no answer within ${Math.round(answer.ms)} ms` };
    case 'withdrawn':
      return { kind: 'open', text: `taken back by its caller after ${Math.round(answer.ms)} ms` };
    case 'none':
      return { kind: 'open', text: 'the recording ends before its answer' };
  }
}

/** Places, ports, times and addresses differ from run to run; marks of hidden texts stay. */
const masked = (text: string): string =>
  text
    .split(hidden)
    .map((part) => part.replaceAll(/\S*[/\\]\S*/g, '#').replaceAll(/0x[0-9a-f]+|\d+/gi, '#'))
    .join('«redacted:0»');
const stderrMark = '; stderr: ';
/** An exit code is no number that differs from run to run. */
export function isSameFailure(was: Seen, now: Seen): boolean {
  if (was.kind !== now.kind) return false;
  if (was.isVague || now.isVague) return true;
  const codeIn = ({ kind, text }: Seen): string | undefined =>
    (kind === 'error' ? /^error (\S+):/ : / exit code (\S+?)(?:;|$)/).exec(text)?.[1];
  if (codeIn(was) !== codeIn(now)) return false;
  // Compares stderr only where both have it, because the end of a process may come before its last words.
  const [one, other] = [was.text.split(stderrMark), now.text.split(stderrMark)] as const;
  const length = was.kind === 'death' ? Math.min(one.length, other.length) : Infinity;
  const [before, after] = [one, other].map((parts) => masked(parts.slice(0, length).join(stderrMark)));
  return differences(before, after).length === 0;
}
