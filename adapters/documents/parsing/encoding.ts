import { wideEncodingOf } from '../../../machines/documents.ts';
import type { DraftDocument } from '../../../machines/documents.ts';
import type { Reader, Source } from './reader.ts';

export interface Decoded {
  /** Without a byte order mark. */
  readonly text: string;
  readonly encoding: string;
}

export const textReader =
  (read: (text: string, source: Source) => DraftDocument): Reader =>
  (source) => {
    const { text, encoding } = decoded(source.bytes);
    const document = read(text, source);
    return Promise.resolve({ ...document, metadata: { ...document.metadata, encoding } });
  };

/** By the byte order mark, the declaration of HTML or XML, valid UTF-8, or else the most likely encoding. */
export function decoded(bytes: Uint8Array): Decoded {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const marked = isMarked ? 'utf-8' : wideEncodingOf(bytes);
  if (marked !== undefined) return { text: new TextDecoder(marked).decode(bytes), encoding: marked };
  const declared = declaredIn(bytes);
  const strict = declared === undefined ? undefined : strictly(bytes, declared);
  if (strict !== undefined && declared !== undefined) return { text: strict, encoding: declared };
  const utf8 = strictly(bytes, 'utf-8') ?? almostUtf8(bytes);
  if (utf8 !== undefined) return { text: utf8, encoding: 'utf-8' };
  return likeliest(bytes);
}

/** The beginning may end within a character. */
export function encodingOf(start: Uint8Array, isWhole: boolean): string {
  const lines = isWhole ? start.length : start.lastIndexOf(0x0a) + 1;
  return decoded(start.subarray(0, lines > 0 ? lines : start.length - (start.length % 2))).encoding;
}
export function decodedAs(bytes: Uint8Array, encoding: string): string {
  const text = new TextDecoder(encoding).decode(bytes);
  return encoding === 'windows-1252' ? withoutControls(text) : text;
}

const declaration =
  /<\?xml[^>]{0,200}?\sencoding\s*=\s*["']?([\w.:-]+)|<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]+)/i;
/** In the first 2 KiB. Undefined for UTF-16, which is wrong when the declaration can be read byte by byte. */
function declaredIn(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, 2048));
  const [, ofXml, ofHtml] = declaration.exec(start) ?? [];
  try {
    const { encoding } = new TextDecoder(ofXml ?? ofHtml ?? '');
    return encoding.startsWith('utf-16') ? undefined : encoding;
  } catch {
    return undefined;
  }
}

function strictly(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return encoding === 'windows-1252' ? withoutControls(text) : text;
  } catch {
    return undefined;
  }
}
const windows = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
/** Some versions of Node decode windows-1252 as ISO 8859-1. */
const withoutControls = (text: string): string =>
  text.replace(/[\x80-\x9f]/g, (each) => windows[each.charCodeAt(0) - 0x80] ?? each);

/** At most one mistake for ten characters outside of ASCII, as in a file cut within a character. */
function almostUtf8(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes);
  const mistakes = text.match(/\ufffd/g)?.length ?? 0;
  return foreign(text) - mistakes >= mistakes * 10 ? text : undefined;
}

interface Candidate {
  readonly encoding: string;
  /** Share of the non-ASCII characters, from 0 to 1, that are usual in this encoding. */
  readonly share: (text: string, bytes: Uint8Array) => number;
}
const sampleBytes = 64 * 1024;
const foreign = (text: string): number => text.match(/[^\0-\x7f]/gu)?.length ?? 0;
const shareOf =
  (usual: RegExp) =>
  (text: string): number =>
    (text.match(usual)?.length ?? 0) / Math.max(1, foreign(text));
/** Letters beside a Latin letter do not count. */
const alphabet = (letters: string) => shareOf(new RegExp(`(?<![A-Za-z])[${letters}](?![A-Za-z])`, 'g'));
/** Accented letters count only beside a Latin letter; quotation marks and similar signs count, too. */
const latin = (letters: string) =>
  shareOf(new RegExp(`(?<=[A-Za-z])[${letters}]|[${letters}](?=[A-Za-z])|[${quotes}]`, 'g'));
const quotes = '\u00a0«»–—‘’‚“”„•…€£§©°';

/** Their first byte is in `rows`. */
const shareOfRows =
  (rows: readonly (readonly [number, number])[], leastTrail: number, isSingle = (_: number) => false) =>
  (_: string, bytes: Uint8Array): number => {
    let [all, usual] = [0, 0];
    for (let at = 0; at < bytes.length; at += 1) {
      const [lead = 0, trail = 0] = [bytes[at], bytes[at + 1]];
      if (lead < 0x81) continue;
      all += 1;
      if (isSingle(lead)) continue;
      at += 1;
      if (trail >= leastTrail && rows.some(([from, to]) => lead >= from && lead <= to)) usual += 1;
    }
    return usual / Math.max(1, all);
  };
/** Kana, and at most three Chinese characters for each kana. */
const japanese = (text: string): number => {
  const kana = text.match(/[\u3001-\u30ff]/g)?.length ?? 0;
  const han = text.match(/[\u4e00-\u9fff]/g)?.length ?? 0;
  return (kana + Math.min(han, kana * 3)) / Math.max(1, foreign(text));
};
const isHalfKana = (byte: number): boolean => byte >= 0xa1 && byte <= 0xdf;

/** Of encodings with an equal share, the first wins. */
const candidates: readonly Candidate[] = [
  { encoding: 'euc-kr', share: (text) => shareOf(/[\uac00-\ud7a3\u3131-\u318e]/g)(text) ** 3 },
  {
    encoding: 'shift_jis',
    share: shareOfRows(
      [
        [0x81, 0x84],
        [0x88, 0x97],
        [0xfa, 0xfc],
      ],
      0x40,
      isHalfKana,
    ),
  },
  { encoding: 'euc-jp', share: japanese },
  {
    encoding: 'gb18030',
    share: shareOfRows(
      [
        [0xa1, 0xa3],
        [0xb0, 0xd7],
      ],
      0xa1,
    ),
  },
  { encoding: 'big5', share: shareOfRows([[0xa1, 0xc6]], 0x40) },
  { encoding: 'windows-1251', share: alphabet('оеаинтсрвлкмдпуязьы№') },
  { encoding: 'koi8-r', share: alphabet('оеаинтсрвлкмдпуязьы') },
  { encoding: 'windows-1253', share: alphabet('αοιετνσηυρπκμλςάίόέή') },
  { encoding: 'windows-1255', share: alphabet('א-ת') },
  { encoding: 'windows-1256', share: alphabet('ا-ي،؛؟') },
  { encoding: 'windows-1252', share: latin('à-ïñ-öø-üÿÀ-ÏÑ-ÖØ-Ü\u00df') },
  { encoding: 'windows-1250', share: latin('ąćęłńóśźżčěřšžťďňýáíéůúőűöüĄĆĘŁŃÓŚŹŻČŘŠŽ') },
  { encoding: 'windows-1254', share: latin('ıişğüöçİŞĞÜÖÇâî') },
];

/** The last resort is windows-1252, where each byte means something. */
function likeliest(bytes: Uint8Array): Decoded {
  const sample = bytes.subarray(0, sampleBytes);
  let best: Decoded & { share: number } = { encoding: 'windows-1252', text: '', share: 0 };
  for (const { encoding, share } of candidates) {
    const text = strictly(bytes, encoding);
    if (text === undefined) continue;
    const own = share(text.slice(0, sampleBytes), sample);
    if (own > best.share + 0.005) best = { encoding, text, share: own };
  }
  if (best.share >= 0.3) return { text: best.text, encoding: best.encoding };
  return { encoding: 'windows-1252', text: withoutControls(new TextDecoder('windows-1252').decode(bytes)) };
}
