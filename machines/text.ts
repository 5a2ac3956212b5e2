import { distance } from 'fastest-levenshtein';

/**
 * Texts of servers and peers as a terminal may have them: what would move the cursor, set a title, turn the direction
 * of writing or not be seen at all is shown as the escape that JSON has for it, such as `\u001b`. In the text of a
 * JSON document such characters stand inside strings only, so the document means the same as before.
 */

// C0, DEL, C1 · format characters, bidi controls among them · line and paragraph separators · half a pair · fillers.
const unsafe =
  '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Noncharacter_Code_Point}\\p{Default_Ignorable_Code_Point}]';
// Emoji are made with these two; between other characters nobody would see them.
const inEmoji = [
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u{FE0F}])\\u{200D}(?=\\p{Extended_Pictographic})',
  '(?<=\\p{Extended_Pictographic})\\u{FE0F}',
  '(?<=[0-9#*])\\u{FE0F}(?=\\u{20E3})',
].join('|');
const inLine = new RegExp(`(?!${inEmoji})${unsafe}`, 'gu');
const inText = new RegExp(`(?!${inEmoji})(?![\\n\\t])${unsafe}`, 'gu');
const unseen = new RegExp(`(?!${inEmoji})${unsafe}`, 'u');
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const unitEscape = (text: string, at: number): string =>
  `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
const escaped = (found: string): string =>
  shortEscapes[found] ?? Array.from({ length: found.length }, (_, at) => unitEscape(found, at)).join('');
/** A prompt and the lines for programs are ours: what only looks like one begins with an escape. */
const ownWords = /^(\s*)(a2c>|@a2c\b)/i;
const notOurs = (line: string): string =>
  line.replace(ownWords, (_, before: string, word: string) => before + unitEscape(word, 0) + word.slice(1));

/** As one line, whatever is in it. What is escaped already stays as it is. */
export const asLine = (text: string): string => notOurs(text.replace(inLine, escaped));
/** As a text: its line ends and tabs stay. */
export const asText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(inText, escaped).split('\n').map(notOurs).join('\n');
/** The text of a JSON document in one line, whose value stays the same. */
export const asJson = (text: string): string => text.replace(inLine, escaped);

/**
 * Why a peer or a room may not be called so; undefined: it may. Two names that look the same to people are not the same to
 * programs, and whoever reads a list believes what it looks like.
 */
export function unfitName(name: string): string | undefined {
  const [character] = unseen.exec(name) ?? [];
  if (character !== undefined)
    return `a name has no characters that nobody sees, such as U+${hex(character.codePointAt(0) ?? 0)} here`;
  return /^[\s\u2800]|[\s\u2800]$/u.test(name) ? 'a name neither begins nor ends with a blank' : undefined;
}
const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0');

// ── names that were probably meant ────────────────────────────────────────────────────────────────────
/** Two slips in a word of four letters make another word. */
const slipsIn = (word: string): number => (word.length > 4 ? 2 : 1);
/** Shorter words are part of too many others. */
const shortestPart = 4;

const lettersOf = (word: string): string => word.split('').toSorted().join('');

/** Names that were probably meant by a word that is none of them, the nearest first, at most three. */
export function nearest(word: string, names: Iterable<string>): string[] {
  const wanted = word.toLowerCase();
  const slips = slipsIn(word);
  const far = (name: string): number => {
    const other = name.toLowerCase();
    const isPart = wanted.length >= shortestPart && other.includes(wanted);
    // Two letters that changed places are one slip.
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
