import { pagesOfText } from './plain.ts';
import type { Reader } from './reader.ts';

const token = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/giy;
const breaks = { par: '\n\n', sect: '\n\n', page: '\n\n', line: '\n', row: '\n', cell: '\t', tab: '\t' };
const dashes = { emdash: '—', endash: '–', bullet: '•', '~': ' ', _: '-' };
const marks = { lquote: '‘', rquote: '’', ldblquote: '“', rdblquote: '”' };
const signs = { '\n': '\n\n', '\r': '\n\n', '\\': '\\', '{': '{', '}': '}' };
const said = new Map(Object.entries({ ...breaks, ...dashes, ...marks, ...signs }));
/** Groups that are no text. */
const silent = new Set('fonttbl colortbl stylesheet info pict object sp'.split(' '));

/** Text alone, with tabs between cells; pictures and styles are left out. */
export const readRtf: Reader = ({ bytes, name }) =>
  Promise.resolve(pagesOfText(textIn(new TextDecoder('latin1').decode(bytes)), name));

function textIn(source: string): string {
  const [, page = '1252'] = /\\ansicpg(\d{3,5})/.exec(source.slice(0, 4096)) ?? [];
  const encoding = { '932': 'shift_jis', '936': 'gb18030', '949': 'euc-kr', '950': 'big5' }[page];
  const decoder = new TextDecoder(encoding ?? (/^125\d$/.test(page) ? `windows-${page}` : 'windows-1252'));
  const parts: string[] = [];
  const stack: boolean[] = [];
  let bytes: number[] = [];
  let [isSilent, toSkip] = [false, 0];
  const add = (text: string): void => {
    if (bytes.length > 0) parts.push(decoder.decode(Uint8Array.from(bytes)));
    bytes = [];
    if (!isSilent) parts.push(text);
  };
  token.lastIndex = 0;
  for (let found = token.exec(source); found; found = token.exec(source)) {
    const [all, word, value, hex, sign, brace, text = ''] = found;
    if (brace === '{') stack.push(isSilent);
    else if (brace === '}') {
      add('');
      isSilent = stack.pop() ?? false;
    } else if (hex !== undefined || text !== '') {
      const skipped =
        hex === undefined
          ? text.slice(toSkip)
          : toSkip > 0
            ? ''
            : String.fromCharCode(Number.parseInt(hex, 16));
      for (const each of isSilent ? '' : skipped) bytes.push(each.charCodeAt(0) & 0xff);
      toSkip = Math.max(0, toSkip - (hex === undefined ? text.length : 1));
    } else if (word === 'bin') token.lastIndex += Math.max(0, Number(value ?? 0));
    else if (word === 'u' && value !== undefined) {
      add(String.fromCharCode((Number(value) + 65_536) % 65_536));
      toSkip = 1;
    } else if (sign === '*') isSilent ||= !source.startsWith('\\shpinst', token.lastIndex);
    else if (word !== undefined && silent.has(word)) isSilent = true;
    else if (all !== '') add(said.get(word ?? sign ?? '') ?? '');
  }
  add('');
  return parts.join('');
}
