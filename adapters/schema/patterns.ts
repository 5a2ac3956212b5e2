/** Classes of POSIX, as RE2, Go and PCRE read them: in ASCII. */
const posix: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  xdigit: '0-9a-fA-F',
  word: '\\w',
  space: ' \\t\\n\\r\\f\\v',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  cntrl: '\\x00-\\x1f\\x7f',
  graph: '!-~',
  print: ' -~',
  ascii: '\\x00-\\x7f',
};
/** Escapes that other languages have, outside of classes. The end of a text may come before its last line end (`\Z` of PCRE). */
const escapes: Readonly<Record<string, string>> = {
  '\\A': '(?<![^])',
  '\\z': '(?![^])',
  '\\Z': '(?=\\n?(?![^]))',
  '\\a': '\\x07',
  '\\e': '\\x1b',
};
/** `$&` of one: nothing of it is read otherwise. */
const known = /\\[bBcdDfknpPrsStuvwWx]|\\[^a-zA-Z]/;
const pieces = new RegExp(
  [
    '\\\\x\\{[0-9a-fA-F]+\\}|\\\\[pP][A-Z]|\\\\[^]', // escapes
    '\\[:\\^?\\w+:\\]', // a class of POSIX, within another class
    '\\(\\?#[^)]*\\)|\\(\\?P[<=][A-Za-z_]\\w*[>)]|\\(\\?>', // groups
    '(?:[*+?]|\\{\\d+(?:,\\d*)?\\})\\+', // quantifiers that give nothing back
    '[^]',
  ].join('|'),
  'g',
);
const looksAway = /\(\?<?!/;
/** Elements and classes of POSIX that depend on a language. */
const collating = /\[([=.])[^\]]+\1\]/;

/** As JavaScript writes it; undefined: it has no such words, or they may mean something else. */
function translated(pattern: string): { readonly source: string; readonly flags: string } | undefined {
  const [head = '', flags = ''] = /^\(\?([aimsu]+)\)/.exec(pattern) ?? [];
  let [source, isClass, isStart, isGreedy] = ['', false, false, false];
  for (const piece of pattern.slice(head.length).match(pieces) ?? []) {
    const wasStart = isStart;
    isStart = false;
    if (piece.startsWith('\\')) {
      const name = /^\\([pP])([A-Z])$/.exec(piece);
      const code = /^\\x(\{.*\})$/.exec(piece);
      const other = isClass ? undefined : escapes[piece];
      if (!name && !code && other === undefined && !known.test(piece)) return undefined;
      source += name ? `\\${name[1]}{${name[2]}}` : code ? `\\u${code[1]}` : (other ?? piece);
    } else if (isClass) {
      const named = /^\[:(\w+):\]$/.exec(piece)?.[1];
      const inside = named === undefined ? undefined : posix[named];
      if (piece.startsWith('[') && inside === undefined && piece !== '[') return undefined;
      // `[]a]` has the bracket in it; `[a[b]]` and `[a&&[b]]` are sets of Java.
      if (piece === '[' && !wasStart) return undefined;
      if (piece === ']' && !wasStart) isClass = false;
      isStart = piece === '^' && wasStart && source.endsWith('[');
      source += inside ?? (/^[[\]]$/.test(piece) && (isClass || wasStart) ? `\\${piece}` : piece);
    } else if (piece.startsWith('[')) {
      isClass = true;
      isStart = true;
      source += piece;
      if (piece !== '[') return undefined;
    } else if (piece.startsWith('(?')) {
      if (piece === '(?>') isGreedy = true;
      source += piece.startsWith('(?#')
        ? ''
        : piece
            .replace('(?>', '(?:')
            .replace('(?P<', '(?<')
            .replace(/^\(\?P=(.*)\)$/, '\\k<$1>');
    } else if (piece.length > 1) {
      isGreedy = true;
      source += piece.slice(0, -1);
    } else source += piece;
  }
  // What gives nothing back matches less; where a match is refused it would have to match as much.
  if (isClass || collating.test(pattern) || (isGreedy && looksAway.test(pattern)) || /\{,\d+\}/.test(source))
    return undefined;
  return { source, flags: flags.replace(/[au]/g, '') };
}

function compiled(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
/**
 * Reads a pattern of a schema. With the flag `u` whatever compiles means what ECMA-262 says. The others are written without it, such
 * as `[\w-.]`, or for another language: RE2, Go, Python, PCRE. Undefined: it cannot be read here, or not surely.
 */
export function readPattern(pattern: string): RegExp | undefined {
  const own = compiled(pattern, 'u');
  if (own) return own;
  const other = translated(pattern);
  if (!other) return undefined;
  const { source, flags } = other;
  const isPlain = !/\\[pP]\{|\\u\{/.test(source);
  return compiled(source, `u${flags}`) ?? (isPlain ? compiled(source, flags) : undefined);
}
