import { pagesOfText } from './plain.ts';
import type { Reader } from './reader.ts';

const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/giy;
const said: Readonly<Record<string, string>> = {
  ...{ par: '\n\n', sect: '\n\n', page: '\n\n', line: '\n', row: '\n', cell: '\t', tab: '\t' },
  ...{ emdash: '—', endash: '–', bullet: '•', lquote: '‘', rquote: '’', ldblquote: '“', rdblquote: '”' },
  ...{ '~': ' ', _: '-', '\n': '\n\n', '\r': '\n\n', '\\': '\\', '{': '{', '}': '}' },
};
/** Groups that are no text; so are those that begin with `\*`, but for those of text boxes. */
const silent = new Set('fonttbl colortbl stylesheet info pict object themedata sp'.split(' '));
const charsets: Readonly<Record<number, string>> = {
  ...{
    128: 'shift_jis',
    129: 'euc-kr',
    134: 'gb18030',
    136: 'big5',
    161: 'windows-1253',
    162: 'windows-1254',
  },
  ...{
    177: 'windows-1255',
    178: 'windows-1256',
    186: 'windows-1257',
    204: 'windows-1251',
    238: 'windows-1250',
  },
};
const decoderOf = (encoding: string): TextDecoder => {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder('windows-1252');
  }
};

/** Text alone, with tabs between cells; pictures and styles are left out. */
export const readRtf: Reader = ({ bytes, name }) =>
  Promise.resolve(pagesOfText(textIn(new TextDecoder('latin1').decode(bytes)), name));

function textIn(source: string): string {
  const fonts = new Map<number, string>();
  const parts: string[] = [];
  let pending: number[] = [];
  let state = { isSilent: false, isStarred: false, skipped: 1, encoding: 'windows-1252' };
  let [usual, font, toSkip] = ['windows-1252', 0, 0];
  const stack: (typeof state)[] = [];
  const flush = (): void => {
    if (pending.length > 0) parts.push(decoderOf(state.encoding).decode(Uint8Array.from(pending)));
    pending = [];
  };
  const add = (text: string): void => {
    flush();
    if (!state.isSilent) parts.push(text);
  };
  const control = (word: string, value: number): void => {
    if (state.isStarred && word !== 'shpinst') state.isSilent = true;
    state.isStarred = false;
    if (silent.has(word)) state.isSilent = true;
    else if (word === 'ansicpg') usual = state.encoding = `windows-${value}`;
    else if (word === 'fcharset') fonts.set(font, charsets[value] ?? usual);
    else if (word === 'uc') state.skipped = value;
    else if (word === 'bin') token.lastIndex += Math.max(0, value);
    else if (word === 'f') {
      flush();
      font = value;
      state.encoding = fonts.get(value) ?? usual;
    } else if (word === 'u') {
      add(String.fromCharCode((value + 65_536) % 65_536));
      toSkip = state.skipped;
    } else if (Object.hasOwn(said, word)) add(said[word] ?? '');
  };
  token.lastIndex = 0;
  for (let found = token.exec(source); found; found = token.exec(source)) {
    const [, word, value, hex, sign, brace, text] = found;
    if (brace === '{') stack.push({ ...state });
    if (brace !== undefined) flush();
    if (brace === '}') state = stack.pop() ?? state;
    if (word !== undefined) control(word.toLowerCase(), Number(value ?? 1));
    else if (sign === '*') state.isStarred = true;
    else if (sign !== undefined) add(said[sign] ?? '');
    else if (hex !== undefined && toSkip > 0) toSkip -= 1;
    else if (hex !== undefined && !state.isSilent) pending.push(Number.parseInt(hex, 16));
    else if (text !== undefined) {
      for (const each of state.isSilent ? '' : text.slice(toSkip)) pending.push(each.charCodeAt(0) & 0xff);
      toSkip = Math.max(0, toSkip - text.length);
    }
  }
  flush();
  return parts.join('');
}
