import { distance } from 'fastest-levenshtein';

/** Escapes what moves the cursor, sets a title, changes the direction of writing or is invisible, as in JSON. */

// C0, DEL, C1, format and bidi characters, separators, lone surrogates, noncharacters and fillers.
const unsafe =
  '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Noncharacter_Code_Point}\\p{Default_Ignorable_Code_Point}]';
// Emoji may contain a joiner and a variation selector; between other characters these would be invisible.
const inEmoji = [
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u{FE0F}])\\u{200D}(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic})\\u{FE0F}',
  '(?<=[0-9#*])\\u{FE0F}(?=\\u{20E3})',
].join('|');
const inLine = new RegExp(`(?!${inEmoji})${unsafe}`, 'gu');
const inText = new RegExp(`(?!${inEmoji})(?![\\n\\t])${unsafe}`, 'gu');
const unseen = new RegExp(`(?!${inEmoji})${unsafe}`, 'u');

const unitEscape = (text: string, at: number): string =>
  `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
/** Escapes that were made, because a text may have millions of such characters. */
const known = new Map(Object.entries({ '\n': '\\n', '\r': '\\r', '\t': '\\t' }));
function escaped(found: string): string {
  const seen = known.get(found);
  if (seen !== undefined) return seen;
  const made = Array.from({ length: found.length }, (_, at) => unitEscape(found, at)).join('');
  known.set(found, made);
  return made;
}
/** Imitates the prompt or a line for programs (`@a2c`); its first character is escaped. */
const ownWords = /^(\s*)(a2c>|@a2c\b)/i;
const notOurs = (line: string): string =>
  line.replace(ownWords, (_, before: string, word: string) => before + unitEscape(word, 0) + word.slice(1));

/** Existing escapes stay as they are. */
export const asLine = (text: string): string => notOurs(text.replace(inLine, escaped));
/** Line ends and tabs stay. */
export const asText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(inText, escaped).split('\n').map(notOurs).join('\n');
export const asJson = (text: string): string => text.replace(inLine, escaped);

/** Invisible characters are refused: names that look equal to people could differ for programs. */
export function unfitName(name: string): string | undefined {
  const [character] = unseen.exec(name) ?? [];
  if (character !== undefined)
    return `a name has no characters that nobody sees, such as U+${hex(character.codePointAt(0) ?? 0)} here`;
  return /^[\s\u2800]|[\s\u2800]$/u.test(name) ? 'a name neither begins nor ends with a blank' : undefined;
}
const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0');

/** In a short word two typing errors would make another word. */
const slipsIn = (word: string): number => (word.length > 4 ? 2 : 1);
/** In characters; shorter words occur in too many names. */
const shortestPart = 4;

const lettersOf = (word: string): string => word.split('').toSorted().join('');

/** Nearest first, at most three. */
export function nearest(word: string, names: Iterable<string>): string[] {
  const wanted = word.toLowerCase();
  const slips = slipsIn(word);
  const far = (name: string): number => {
    const other = name.toLowerCase();
    const isPart = wanted.length >= shortestPart && other.includes(wanted);
    // Counts swapped letters as one typing error.
    return isPart ? slips : lettersOf(wanted) === lettersOf(other) ? 1 : distance(wanted, other);
  };
  return [...new Set(names)]
    .filter((name) => name !== word)
    .map((name) => ({ name, far: far(name) }))
    .filter((each) => each.far <= slips)
    .toSorted((a, b) => a.far - b.far || a.name.length - b.name.length)
    .slice(0, 3)
    .map(({ name }) => name);
}

const longestHead = 256;
/** Plain or for URLs, with or without padding, in lines, in a `data:` URI; undefined when empty or none. */
export function readBase64(text: string): { readonly data: string; readonly mimeType: string } | undefined {
  const [head = '', mimeType = ''] = /^\s*data:([^,]*);base64,/i.exec(text.slice(0, longestHead)) ?? [];
  const all = text.slice(head.length).replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const end = all.indexOf('=');
  const data = end < 0 ? all : all.slice(0, end);
  const isOther = /[^A-Za-z0-9+/]/.test(data) || /[^=]/.test(all.slice(data.length));
  if (isOther || data === '' || data.length % 4 === 1) return undefined;
  return { data: data.padEnd(Math.ceil(data.length / 4) * 4, '='), mimeType };
}

/** Converts any thrown value to text, even one that cannot be converted. */
export const textOf = (error: unknown): string => {
  try {
    return String(error);
  } catch {
    return 'with something that has no text';
  }
};
