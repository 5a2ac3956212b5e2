/**
 * The words of a line at the prompt, as a shell takes them: quotes hold blanks together. What begins with a bracket is one word
 * up to its end, whatever is in it, so that JSON needs no quotes around it.
 */
export function wordsIn(line: string): string[] {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const length = /^[{[]/.test(rest) ? bracketsIn(rest) : 0;
    const word =
      length > 0 ? rest.slice(0, length) : (/^(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/.exec(rest)?.[0] ?? rest);
    words.push(length > 0 ? word : unquoted(word));
    rest = rest.slice(word.length).trimStart();
  }
  return words;
}
/** Only around a word, or around the value in `key="a b"`: quotes inside of JSON are its own. */
function unquoted(word: string): string {
  const whole = /^(?:([^\s"'=]+=))?(?:"([^"]*)"|'([^']*)')$/.exec(word);
  return whole ? (whole[1] ?? '') + (whole[2] ?? whole[3] ?? '') : word;
}

/** How many characters from the first bracket to the one that closes it; all of the text where none does. */
function bracketsIn(text: string): number {
  let open = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
    } else if (char === '"') quote = char;
    else if (char === '{' || char === '[') open += 1;
    else if (char === '}' || char === ']') {
      open -= 1;
      if (open === 0) return at + 1;
    }
  }
  return text.length;
}
/** A bracket is open at its end: it goes on in the next line. */
export function isUnfinished(line: string): boolean {
  const start = line.search(/[{[]/);
  if (start < 0) return false;
  let open = 0;
  let isQuoted = false;
  for (let at = start; at < line.length; at++) {
    const char = line[at] ?? '';
    if (isQuoted && char === '\\') at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted) open += '{['.includes(char) ? 1 : '}]'.includes(char) ? -1 : 0;
  }
  return open > 0;
}
