import type { Failure } from '../../protocol/failure.ts';

/** What the compiler says of a program; spans are `[from, to)` in bytes of UTF-8. */
export interface Diagnostic {
  readonly message: string;
  readonly labels: readonly {
    readonly message: string;
    readonly primary: boolean;
    readonly span: readonly [from: number, to: number];
  }[];
}
/** The same for a person: lines and columns count from 1, columns in characters. */
export interface ProgramMistake {
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

/** Where the byte stands that so many come before; what is beyond the end stands at the end. */
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

/** What a program says when it ends itself, `Termination;\n…`: its places in lines and columns, and not for ever. */
export const endText = (source: string, said: string): string =>
  said
    .replace(/^\w[\w ]*;\n/, '')
    .replace(/\bat \((\d+):\d+\)/g, (_, from: string) => {
      const { line, column } = placeOf(source, Number(from));
      return `at line ${line}, column ${column}`;
    })
    .slice(0, longest);
