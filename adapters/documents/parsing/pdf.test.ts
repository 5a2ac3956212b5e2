import { expect, it } from 'vitest';
import { paragraphsOf, readPdf } from './pdf.ts';

/** Makes a PDF of one page with this content stream. `font` is the dictionary of its font, `more` has further objects from number 6. */
function pdfOf(content: string, font: string, more: readonly string[] = []): Uint8Array {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    font,
    ...more,
  ];
  const body = objects.map((each, at) => `${at + 1} 0 obj${each}endobj\n`).join('');
  return Uint8Array.from(Buffer.from(`%PDF-1.4\n${body}trailer<</Root 1 0 R>>\n%%EOF`, 'latin1'));
}
const textsOf = async (bytes: Uint8Array): Promise<unknown[]> => {
  const { pages } = await readPdf({ bytes, name: 'a.pdf', fileType: 'pdf', from: 0, to: 1 });
  return (pages[0]?.drafts ?? []).map(({ content }) => content['text']);
};

it.each([
  ['90ms-RKSJ-H', 'Japan1', '<82a082a282a4>', 'あいう'],
  ['GBK-EUC-H', 'GB1', '<b9d8d3da>', '关于'],
  ['ETen-B5-H', 'CNS1', '<a540a9fa>', '世明'],
  ['KSCms-UHC-H', 'Korea1', '<b0a1>', '가'],
])('a PDF in %s without its font keeps its text', async (encoding, set, written, text) => {
  const system = `<</Registry(Adobe)/Ordering(${set})/Supplement 0>>`;
  const inner = `<</Type/Font/Subtype/CIDFontType0/BaseFont/Any/CIDSystemInfo${system}/FontDescriptor 7 0 R>>`;
  const descriptor =
    '<</Type/FontDescriptor/FontName/Any/Flags 4/FontBBox[0 0 9 9]/ItalicAngle 0/Ascent 9/Descent 0/CapHeight 9/StemV 1>>';
  const font = `<</Type/Font/Subtype/Type0/BaseFont/Any/Encoding/${encoding}/DescendantFonts[6 0 R]>>`;
  const bytes = pdfOf(`BT /F1 12 Tf 20 200 Td ${written} Tj ET`, font, [inner, descriptor]);
  expect(await textsOf(bytes)).toEqual([text]);
});

it('a page without text says so', async () => {
  const text = 'This page has no text: it is empty, or an image such as a scan.';
  expect(await textsOf(pdfOf('0 0 9 9 re f', '<<>>'))).toEqual([text]);
});

it('words that run to the left are apart from those before them, and from Latin ones', () => {
  const glyphs = (rows: readonly (readonly [text: string, x: number, width: number])[]) =>
    rows.map(([text, x, width]) => ({ text, x, width, y: 700, size: 12, endsLine: false }));
  const line = glyphs([
    ['بلغة', 100, 40],
    ['R', 88, 8],
    ['و', 79, 5],
    ['Python', 45, 34],
    ['.', 42, 3],
  ]);
  expect(paragraphsOf(line)).toMatchObject([{ content: { text: 'بلغة R و Python.' } }]);
  expect(
    paragraphsOf(
      glyphs([
        ['ke', 10, 20],
        ['ttle', 30, 30],
        ['boils', 70, 30],
      ]),
    ),
  ).toMatchObject([{ content: { text: 'kettle boils' } }]);
});
