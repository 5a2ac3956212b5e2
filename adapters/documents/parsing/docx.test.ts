import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../machines/documents.ts';
import {
  brief,
  diagram,
  read,
  relations,
  root,
  zipped,
  type Parts,
} from '../../../scenarios/fixtures/office-parts.ts';
import { readDocx } from './docx.ts';
import { readPptx } from './pptx.ts';

const docx = (body: string, parts: Parts = {}, own = relations()): Promise<Draft[]> =>
  read(readDocx, {
    '_rels/.rels': relations(['r1', 'officeDocument', 'word/document.xml']),
    'word/document.xml': root('w:document', `<w:body>${body}</w:body>`),
    'word/_rels/document.xml.rels': own,
    ...parts,
  });
const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

describe('DOCX', () => {
  it('may have its main part under any name', async () => {
    const parts = {
      '_rels/.rels': relations(['r1', 'officeDocument', '/word/document2.xml']),
      'word/document2.xml': root('w:document', `<w:body>${paragraph('Hello')}</w:body>`),
    };
    expect(brief(await read(readDocx, parts))).toEqual([['text', { text: 'Hello' }]]);
    await expect(read(readPptx, parts)).rejects.toThrow('another kind than pptx');
  });

  it('keeps soft breaks, superscripts and cells that span others', async () => {
    const run = (inner: string, properties = ''): string => `<w:r><w:rPr>${properties}</w:rPr>${inner}</w:r>`;
    const cell = (text: string, properties = ''): string =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
    const body =
      `<w:p>${run('<w:t>first</w:t><w:br/><w:t>second</w:t>')}</w:p>` +
      `<w:p>${run('<w:t>10</w:t>')}${run('<w:t>6</w:t>', '<w:vertAlign w:val="superscript"/>')}</w:p>` +
      `<w:tbl><w:tr>${cell('Year')}${cell('Q1')}${cell('Q2')}</w:tr>` +
      `<w:tr>${cell('2023', '<w:vMerge w:val="restart"/>')}${cell('1')}${cell('2')}</w:tr>` +
      `<w:tr>${cell('', '<w:vMerge/>')}${cell('3', '<w:gridSpan w:val="2"/>')}</w:tr></w:tbl>`;
    expect(brief(await docx(body))).toEqual([
      ['text', { text: 'first\nsecond' }],
      ['text', { text: '10⁶' }],
      [
        'table',
        {
          columns: ['Year', 'Q1', 'Q2'],
          rows: [
            ['2023', '1', '2'],
            ['2023', '3', '3'],
          ],
        },
      ],
    ]);
  });

  it('has its comments with author and place', async () => {
    const comment = `<w:comment w:id="7" w:author="Ada" w:initials="A">${paragraph('Is it so?')}</w:comment>`;
    const drafts = await docx(
      '<w:p><w:r><w:t>It is</w:t></w:r><w:r><w:commentReference w:id="7"/></w:r></w:p>',
      { 'word/comments.xml': root('w:comments', comment) },
      relations(['r1', 'comments', 'comments.xml']),
    );
    expect(brief(drafts)).toEqual([
      ['text', { text: 'It is[A1]' }],
      ['annotation', { text: 'Is it so?', kind: 'comment', name: 'A1', author: 'Ada' }],
    ]);
  });

  it('has headers and footers once', async () => {
    const drafts = await docx(
      paragraph('Body'),
      {
        'word/header1.xml': root('w:hdr', paragraph('Secret')),
        'word/header2.xml': root('w:hdr', paragraph('Secret')),
        'word/footer1.xml': root('w:ftr', paragraph('Page 1')),
      },
      relations(
        ['r1', 'header', 'header1.xml'],
        ['r2', 'header', 'header2.xml'],
        ['r3', 'footer', 'footer1.xml'],
      ),
    );
    expect(brief(drafts)).toEqual([
      ['header', { text: 'Secret' }],
      ['text', { text: 'Body' }],
      ['footer', { text: 'Page 1' }],
    ]);
  });

  it('has the words under a reading, and the chosen entries of forms', async () => {
    const part = (tag: string, text: string): string => `<w:${tag}><w:r><w:t>${text}</w:t></w:r></w:${tag}>`;
    const ruby = `<w:r><w:ruby>${part('rt', 'とうきょう')}${part('rubyBase', '東京')}</w:ruby></w:r>`;
    const entries = ['Tea', 'Coffee'].map((each) => `<w:listEntry w:val="${each}"/>`).join('');
    const choice =
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/>${entries}</w:ddList></w:ffData></w:fldChar></w:r>` +
      '<w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>';
    expect(brief(await docx(`<w:p>${ruby}</w:p><w:p><w:r><w:t>I take </w:t></w:r>${choice}</w:p>`))).toEqual([
      ['text', { text: '東京(とうきょう)' }],
      ['text', { text: 'I take Coffee' }],
    ]);
  });

  it('has files of other formats that are put into it, in their places', async () => {
    const inner = zipped({
      '_rels/.rels': relations(['r1', 'officeDocument', 'word/document.xml']),
      'word/document.xml': root(
        'w:document',
        `<w:body>${paragraph('inner')}<w:altChunk r:id="r1"/></w:body>`,
      ),
      'word/_rels/document.xml.rels': relations(['r1', 'aFChunk', 'a.txt']),
      'word/a.txt': 'too deep',
    });
    const drafts = await docx(
      ['r1', 'r2', 'r3', 'r4', 'r5'].map((id) => `<w:altChunk r:id="${id}"/>`).join(paragraph('between')),
      {
        'word/a.html': '<h2>Tea</h2><p>Boil <b>water</b>',
        'word/b.docx': inner,
        'word/c.rtf': '{\\rtf1 rich\\par}',
        'word/d.bin': 'no text',
        'word/e.docx': 'broken',
      },
      relations(
        ['r1', 'aFChunk', 'a.html'],
        ['r2', 'aFChunk', '/word/b.docx'],
        ['r3', 'aFChunk', 'c.rtf'],
        ['r4', 'aFChunk', 'd.bin'],
        ['r5', 'aFChunk', 'e.docx'],
      ),
    );
    expect(drafts.map(({ content }) => content['text'])).toEqual([
      ...['Tea', 'Boil water', 'between', 'inner', 'between', 'rich', 'between', 'between'],
    ]);
  });

  it('has charts, diagrams and text boxes in their places', async () => {
    const drawing = (inner: string): string => `<w:p><w:r><w:drawing>${inner}</w:drawing></w:r></w:p>`;
    const drafts = await docx(
      paragraph('before') +
        drawing('<c:chart r:id="r1"/>') +
        paragraph('between') +
        drawing('<dgm:relIds r:dm="r2"/>') +
        drawing(`<wps:txbx><w:txbxContent>${paragraph('in a box')}</w:txbxContent></wps:txbx>`) +
        paragraph('after'),
      {
        'word/charts/chart1.xml': root(
          'c:chartSpace',
          '<c:plotArea><c:barChart><c:ser><c:cat><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt></c:strCache></c:cat>' +
            '<c:val><c:numRef><c:numCache><c:pt idx="1"><c:v>4</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea>',
        ),
        'word/diagrams/data1.xml': diagram,
      },
      relations(['r1', 'chart', 'charts/chart1.xml'], ['r2', 'diagramData', 'diagrams/data1.xml']),
    );
    expect(brief(drafts)).toMatchObject([
      ['text', { text: 'before' }],
      ['chart', { kind: 'bar', series: [{ categories: ['May', 'June'], values: [null, 4] }] }],
      ['text', { text: 'between' }],
      ['diagram', { items: ['plan', 'build', 'ship'] }],
      ['text', { text: 'in a box' }],
      ['text', { text: 'after' }],
    ]);
  });
});

describe('an equation', () => {
  const r = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
  const e = (text: string): string => `<m:e>${r(text)}</m:e>`;
  it.each([
    ['a fraction', `<m:f><m:num>${r('a+b')}</m:num><m:den>${r('2')}</m:den></m:f>`, '(a+b)/2'],
    ['a power', `<m:sSup>${e('x')}<m:sup>${r('2')}</m:sup></m:sSup>`, 'x^2'],
    ['an index', `<m:sSub>${e('α')}<m:sub>${r('i')}</m:sub></m:sSub>`, 'α_i'],
    ['a root', `<m:rad><m:deg>${r('3')}</m:deg>${e('x')}</m:rad>`, '√_3(x)'],
    [
      'a sum',
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=1')}</m:sub><m:sup>${r('n')}</m:sup>${e('i')}</m:nary>`,
      '∑_(i=1)^n i',
    ],
    ['brackets', `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>${e('x')}</m:d>`, '[x]'],
    ['a function', `<m:func><m:fName>${r('sin')}</m:fName>${e('x')}</m:func>`, 'sin x'],
    ['a matrix', `<m:m><m:mr>${e('1')}${e('0')}</m:mr><m:mr>${e('0')}${e('1')}</m:mr></m:m>`, '1, 0; 0, 1'],
  ])('%s is one line of text, in a paragraph of its own and in a sentence', async (_, omml, line) => {
    const body = `<w:p><m:oMathPara><m:oMath>${omml}</m:oMath></m:oMathPara></w:p><w:p><w:r><w:t>so </w:t></w:r><m:oMath>${omml}</m:oMath></w:p>`;
    expect(brief(await docx(body))).toEqual([
      ['formula', { expression: line }],
      ['text', { text: `so $${line}$` }],
    ]);
  });
});
