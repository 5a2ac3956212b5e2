import { describe, expect, it } from 'vitest';
import { misfit } from '../../../machines/documents.ts';
import { readCsv } from './plain.ts';
import { decoded } from './encoding.ts';
import { readHtml } from './html.ts';

/** Encodes a text with the table of its encoding, which is read out of `TextDecoder`; Node encodes UTF-8 only. */
function encoded(text: string, encoding: string): Uint8Array {
  const table = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(encoding, { fatal: true });
  const learn = (...bytes: number[]): void => {
    try {
      const letter = decoder.decode(Uint8Array.from(bytes));
      if (letter.length === 1 && !table.has(letter)) table.set(letter, bytes);
    } catch {
      // Bytes without a meaning.
    }
  };
  for (let lead = 0; lead < 256; lead += 1) learn(lead);
  for (let lead = 0x81; lead < 255; lead += 1)
    for (let trail = 0x40; trail < 255; trail += 1) learn(lead, trail);
  return Uint8Array.from(text.split('').flatMap((letter) => table.get(letter) ?? [0x3f]));
}
const utf16 = (text: string, isBigEndian: boolean): Uint8Array => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
};

describe('the encoding of a text file', () => {
  it.each([
    ['gb18030', '姓名,城市\n张三,北京\n'],
    ['gb18030', '关于浙江菲达环保科技股份有限公司的审计报告'],
    ['big5', '姓名,城市,備註\n王小明,臺北,今天天氣很好\n'],
    ['shift_jis', '名前,年齢,住所\n佐藤太郎,30,東京\n'],
    ['shift_jis', 'これはテストです。'],
    ['euc-jp', '名前は山田です。住所は東京です。'],
    ['euc-kr', '이름,도시\n김철수,서울\n'],
    ['windows-1251', 'Имя,Город\nПривет мир\n'],
    ['koi8-r', 'Имя,Город\nПривет мир\n'],
    ['windows-1253', 'Όνομα,Πόλη\nκαλημέρα κόσμε\n'],
    ['windows-1255', 'שלום עולם\n'],
    ['windows-1256', 'مرحبا بالعالم\n'],
    ['windows-1252', 'café, Größe, à la plage'],
    ['windows-1250', 'Zażółć gęślą jaźń'],
    ['windows-1254', 'ışık güneş İstanbul'],
  ])('%s is found by its letters: %s', (encoding, text) => {
    expect(decoded(encoded(text, encoding))).toEqual({ text, encoding });
  });

  it('is windows-1252 with its quotation marks when it is nothing else', () => {
    expect(decoded(Uint8Array.of(0x93, 0x61, 0x94, 0x20, 0x80))).toEqual({
      text: '“a” €',
      encoding: 'windows-1252',
    });
  });

  it('is UTF-16 by its mark, or by its NULs', () => {
    for (const [isBig, encoding] of [
      [false, 'utf-16le'],
      [true, 'utf-16be'],
    ] as const)
      for (const mark of ['\ufeff', '']) {
        const bytes = utf16(`${mark}name;city`, isBig);
        expect(misfit('txt', bytes)).toBe(undefined);
        expect(decoded(bytes)).toEqual({ text: 'name;city', encoding });
      }
    expect(misfit('txt', Uint8Array.of(0, 1, 2, 3, 0, 0))).toBe('it is not what its name says');
  });

  it('is UTF-8 without its mark, also when the file was cut within a character', () => {
    expect(decoded(Buffer.from('\ufeffäöü'))).toEqual({ text: 'äöü', encoding: 'utf-8' });
    const cut = Buffer.from('日本語の文章です。これ').subarray(0, -1);
    expect(decoded(cut)).toEqual({ text: '日本語の文章です。こ\ufffd', encoding: 'utf-8' });
  });

  it('is the declared one when the bytes are valid in it', async () => {
    const page = '<meta http-equiv="Content-Type" content="text/html; charset=gbk"><h1>一</h1>';
    const source = { name: 'a.html', fileType: 'html', from: 0, to: 9 };
    const read = await readHtml({ ...source, bytes: encoded(page, 'gbk') });
    expect(read).toMatchObject({ title: '一', metadata: { encoding: 'gbk' } });
    const wrong = await readHtml({ ...source, bytes: Buffer.from(page.replace('一', '日')) });
    expect(wrong).toMatchObject({ title: '日', metadata: { encoding: 'utf-8' } });
    expect(
      decoded(encoded('<?xml version="1.0" encoding="Shift_JIS"?><a>亜</a>', 'shift_jis')).encoding,
    ).toBe('shift_jis');
  });

  it('is told in the metadata of the document', async () => {
    const bytes = encoded('姓名,城市\n张三,北京\n', 'gb18030');
    const read = await readCsv({ bytes, name: 'a.csv', fileType: 'csv', from: 0, to: 1 });
    expect(read.metadata).toEqual({ encoding: 'gb18030' });
    expect(read.pages[0]?.drafts[0]?.content).toEqual({
      columns: ['姓名', '城市'],
      rows: [['张三', '北京']],
    });
  });
});
