/** What VRL says of a program, with lines and columns. */
import type { Failure } from '../protocol/failure.ts';
import { utf8Bytes } from '../protocol/json.ts';

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
