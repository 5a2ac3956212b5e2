/** VRL programs over the results of calls: the port that runs them, what a program sees, and its mistakes. */
import type { Failure } from '../protocol/failure.ts';
import { isObject, type Fields } from '../protocol/json.ts';

/** The programs of a config (`vrl`) over the results of calls. */
export type ProgramChecked = { readonly ok: true } | { readonly ok: false; readonly failure: Failure };
export type Transformed =
  /** The event after the program, as JSON. */
  { readonly ok: true; readonly json: string } | { readonly ok: false; readonly failure: Failure };
/**
 * Programs run one after the other, in the order that they were asked for. One that takes too long is ended, and
 * those behind it run. Everything that is asked is answered once, but for what was withdrawn, which never is.
 */
export interface Transformer {
  /** Whether it can be run: `VrlSyntaxError` with `{message, line, column}` when it cannot. Never rejects. */
  check(source: string): Promise<ProgramChecked>;
  /** `emit` is never called before this returns. The returned function withdraws. */
  run(source: string, event: object, emit: (answer: Transformed) => void): () => void;
  /** Refuses what is asked; resolves when nothing of it is left. */
  close(): Promise<void>;
}

/** Question to the port `transform`, method `vrl`: the program of this server, over this result of a call. */
export interface TransformRequest {
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** An MCP CallToolResult, as the server gave it. */
  readonly result: unknown;
}

/**
 * `meta` of a result and the rest of it. On the wire of MCP it is `_meta`, on ours `meta`, and who gives both means
 * both.
 */
function taken(result: unknown): { readonly meta: Fields | null; readonly rest: Fields } {
  if (!isObject(result)) return { meta: null, rest: {} };
  const { _meta, meta, ...rest } = result;
  if (!isObject(_meta) && !isObject(meta)) return { meta: null, rest };
  return { meta: { ...(isObject(_meta) && _meta), ...(isObject(meta) && meta) }, rest };
}

/**
 * Event that a program sees (a2c-wire §3.7): `{meta, content, structuredContent, isError, tool_name, parameters}`, the
 * first four always there, so that no program has to ask. Whatever else the server gave stays.
 */
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

/** Finding of the compiler about a program; spans are `[from, to)` in bytes of UTF-8. */
export interface Diagnostic {
  readonly message: string;
  readonly labels: readonly {
    readonly message: string;
    readonly primary: boolean;
    readonly span: readonly [from: number, to: number];
  }[];
}
/** The same for a person: lines and columns count from 1, columns in characters. */
interface ProgramMistake {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

const bytesOf = (character: string): number => {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x1_00_00 ? 3 : 4;
};

/** Line and column of the byte with this offset; one beyond the end counts as the end. */
export function placeOf(source: string, offset: number): { readonly line: number; readonly column: number } {
  let [bytes, line, column] = [0, 1, 1];
  for (const character of source) {
    if (bytes >= offset) break;
    bytes += bytesOf(character);
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

/**
 * Why a program cannot be run: one line a mistake. `details` are those of the first, with the others in `more`.
 * undefined: it can.
 */
export function syntaxFailure(source: string, errors: readonly Diagnostic[]): Failure | undefined {
  const [first, ...more] = errors.map((error) => mistakeOf(source, error));
  if (!first) return undefined;
  return {
    code: 'VrlSyntaxError',
    message: [first, ...more].map(mistakeText).join('\n'),
    details: { ...first, ...(more.length > 0 && { more }) },
    remedy: 'Mend the program, or set vrl to null.',
  };
}

const longest = 500;

/** Message of a program that ended itself, `Termination;\n…`: with places in lines and columns, and of bounded length. */
export const endText = (source: string, said: string): string =>
  said
    .replace(/^\w[\w ]*;\n/, '')
    .replace(/\bat \((\d+):\d+\)/g, (_, from: string) => {
      const { line, column } = placeOf(source, Number(from));
      return `at line ${line}, column ${column}`;
    })
    .slice(0, longest);

/** The pure part of what becomes of a result by the program of its server. */
