/** Escape codes that are written to a terminal on purpose: colours, and pictures where it can draw them. */

export interface Picture {
  readonly base64: string;
  readonly mimeType: string | undefined;
}
type Environment = Readonly<Record<string, string | undefined>>;

/** Patterns of marks at the beginning of a line, with the codes of the escapes before and after them. */
const marks: readonly (readonly [RegExp, number, number])[] = [
  [/^(?:error:|WRONG(?= {2}))/, 31, 39],
  [/^(?:warning:|warning(?= {2}))/, 33, 39],
  [/^ok(?= {2})/, 32, 39],
  [/^\S.*? {2}ready(?: in [\d.]+ s)?, \d+ tools?$/, 1, 22],
];
/**
 * Colours the mark at the beginning of a line, which shows how bad its news are, and a heading. The text must have no unsafe
 * characters.
 */
export const coloured = (line: string): string =>
  marks.reduce((text, [mark, on, off]) => text.replace(mark, `\u001B[${on}m$&\u001B[${off}m`), line);

/** Largest number of base64 characters in one escape sequence of the kitty protocol. */
const chunk = 4_096;
/**
 * Returns the escape sequence that draws a picture in this terminal, by the protocol of kitty or of iTerm2. Undefined for
 * other terminals, inside tmux or screen, and for other types of pictures.
 */
export function pictureCode({ base64, mimeType = '' }: Picture, env: Environment): string | undefined {
  const { TERM = '', TERM_PROGRAM: program = '', TMUX: inside } = env;
  const data = base64.replaceAll(/\s/g, '');
  // Accepts only base64, because a server made the text and the terminal must get nothing else of it.
  const isPicture = mimeType.startsWith('image/') && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  if (!isPicture || inside !== undefined || /^(?:screen|tmux)/.test(TERM)) return undefined;
  const isKitty = env['KITTY_WINDOW_ID'] !== undefined || TERM === 'xterm-kitty' || program === 'ghostty';
  if (isKitty) return mimeType === 'image/png' ? kittyCode(data) : undefined;
  return ['iTerm.app', 'WezTerm', 'vscode', 'mintty'].includes(program) ? itermCode(data) : undefined;
}
function kittyCode(data: string): string {
  const parts = data.match(new RegExp(`.{1,${chunk}}`, 'g')) ?? [];
  return parts
    .map((part, n) => {
      const more = n < parts.length - 1 ? 1 : 0;
      return `\u001B_G${n === 0 ? 'a=T,f=100,' : ''}m=${more};${part}\u001B\\`;
    })
    .join('');
}
const itermCode = (data: string): string => {
  const size = Math.floor((data.replace(/=+$/, '').length * 3) / 4);
  return `\u001B]1337;File=inline=1;size=${size};preserveAspectRatio=1:${data}\u0007`;
};
