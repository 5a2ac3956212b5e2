/** VRL programs over the results of calls: the port that runs them, their input, and their errors. */
import type { RequestPort } from '../kernel/ports.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { isObject, utf8Bytes, type Fields } from '../protocol/json.ts';

export type ProgramChecked = { readonly ok: true } | { readonly ok: false; readonly failure: Failure };
export type Transformed =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly failure: Failure };
/** In the order of requests. A program that takes too long is ended, and the next ones still run. */
export interface Transformer {
  /** `VrlSyntaxError` with `{message, line, column}` if it does not compile. Never rejects. */
  check(source: string): Promise<ProgramChecked>;
  /** Runs a program. `emit` is never called before this returns. The returned function withdraws the request. */
  run(source: string, event: object, emit: (answer: Transformed) => void): () => void;
  close(): Promise<void>;
}

/** In ms. */
export interface TransformerTimes {
  readonly vrlMs?: number;
  readonly loadMs?: number;
  /** Time without a task after which the thread is ended. The next task starts it again. */
  readonly idleMs?: number;
}
export interface TransformRequest {
  readonly server: string;
  readonly tool: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly result: unknown;
}

/** MCP names the metadata `_meta`, our wire `meta`; if both are present, they are merged. */
function taken(result: unknown): { readonly meta: Fields | null; readonly rest: Fields } {
  if (!isObject(result)) return { meta: null, rest: {} };
  const { _meta, meta, ...rest } = result;
  if (!isObject(_meta) && !isObject(meta)) return { meta: null, rest };
  return { meta: { ...(isObject(_meta) && _meta), ...(isObject(meta) && meta) }, rest };
}

/** Event of a2c-wire §3.7: the first four are always present, so that programs need not test for them. */
export function eventOf({ tool, parameters, result }: Omit<TransformRequest, 'server'>): Fields {
  const { meta, rest } = taken(result);
  return {
    ...rest,
    meta,
    content: rest['content'] ?? [],
    structuredContent: rest['structuredContent'] ?? null,
    isError: rest['isError'] ?? false,
    tool_name: tool,
    parameters,
  };
}

/** Spans are `[from, to)` in bytes of UTF-8. */
export interface Diagnostic {
  readonly message: string;
  readonly labels: readonly {
    readonly message: string;
    readonly primary: boolean;
    readonly span: readonly [from: number, to: number];
  }[];
}
/** Line and column count from 1, columns in characters. */
interface ProgramMistake {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** An offset beyond the end counts as the end. */
export function placeOf(source: string, offset: number): { readonly line: number; readonly column: number } {
  let [bytes, line, column] = [0, 1, 1];
  for (const character of source) {
    if (bytes >= offset) break;
    bytes += utf8Bytes(character);
    if (character === '\n') [line, column] = [line + 1, 1];
    else column += 1;
  }
  return { line, column };
}

function mistakeOf(source: string, { message, labels }: Diagnostic): ProgramMistake {
  const first = labels.find(({ primary }) => primary) ?? labels[0];
  const advice = labels.find((label) => label.message.startsWith('did you mean'));
  const reason = first && !message.includes(first.message) ? `: ${first.message}` : '';
  const text = `${message}${reason}${advice ? `; ${advice.message}` : ''}`;
  return { message: text, ...placeOf(source, first?.span[0] ?? 0) };
}

const mistakeText = ({ message, line, column }: ProgramMistake): string =>
  `line ${line}, column ${column}: ${message}`;

/** One line per error: `details` describe the first, `more` the others. Undefined when it compiles. */
export function syntaxFailure(source: string, errors: readonly Diagnostic[]): Failure | undefined {
  const [first, ...more] = errors.map((error) => mistakeOf(source, error));
  if (!first) return undefined;
  return {
    code: 'VrlSyntaxError',
    message: [first, ...more].map(mistakeText).join('\n'),
    details: { ...first, ...(more.length > 0 && { more }) },
    remedy: 'Fix the program, or set vrl to null.',
  };
}

const longest = 500;

/** Byte offsets of `Termination;\n…` become lines and columns, and the length is limited. */
export const endText = (source: string, said: string): string =>
  said
    .replace(/^\w[\w ]*;\n/, '')
    .replace(/\bat \((\d+):\d+\)/g, (_, from: string) => {
      const { line, column } = placeOf(source, Number(from));
      return `at line ${line}, column ${column}`;
    })
    .slice(0, longest);

/** Question `{server, tool, parameters, result}`; answer `{json}`, or a refusal with the reason. */
export const transformAsk =
  (transformer: Pick<Transformer, 'run'>, programOf: (server: string) => string | null): RequestPort =>
  (_from, { id, params }, emit) => {
    const { server, ...call } = params as TransformRequest;
    const refuse = ({ message, details, ...failure }: Failure, sent: boolean): void =>
      emit({
        type: 'ask.refused',
        id,
        sent,
        failure: {
          ...failure,
          message: `vrl of '${server}': ${message}`,
          details: { ...details, server_name: server, tool_name: call.tool },
        },
      });
    const program = programOf(server);
    if (program === null) {
      refuse({ code: wireCodes.notFound, message: 'there is no program' }, false);
      return () => {};
    }
    return transformer.run(program, eventOf(call), (answer) =>
      answer.ok
        ? emit({ type: 'ask.answered', id, result: { json: answer.json } })
        : refuse(answer.failure, true),
    );
  };
