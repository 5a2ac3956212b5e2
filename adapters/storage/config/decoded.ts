import type { Mistake } from '../../../machines/config/index.ts';

/** Text of a file, and the byte order mark before it, which is no part of the text and is written again with it. */
export interface DecodedText {
  readonly text: string;
  readonly mark: string;
}
const savedAs = 'save it as UTF-8';

/** Text of these bytes (UTF-8, with or without a byte order mark), or why they are none. */
export function decoded(bytes: Uint8Array): DecodedText | Mistake {
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // Every file that is read here begins with ASCII, so a zero in the first pair is one half of a UTF-16 character.
  if (isMarked || (bytes.length > 1 && (first === 0) !== (second === 0)))
    return { path: '', message: 'is UTF-16', remedy: savedAs };
  try {
    // `fatal` so that a broken byte is said and not turned into a command with a replacement character.
    const whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const [mark = ''] = /^\uFEFF*/.exec(whole) ?? [];
    return { text: whole.slice(mark.length), mark };
  } catch {
    return { path: '', message: 'is not UTF-8 text', remedy: savedAs };
  }
}
