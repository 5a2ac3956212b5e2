import { describe, expect, it } from 'vitest';
import { renderElement } from '../../../machines/documents.ts';
import { draftsOfHtml } from './html.ts';
import { readMarkdown } from './markdown.ts';

const markdownOf = (html: string): string =>
  draftsOfHtml(html)
    .drafts.map((draft) => renderElement({ element_id: 'e', ...draft }, 'markdown'))
    .join('\n\n');
const contentsOf = (html: string): unknown[] => draftsOfHtml(html).drafts.map(({ content }) => content);

describe('text of HTML', () => {
  it.each([
    ['keeps line breaks', '<p>a1<br>b1</p>', 'a1\nb1'],
    ['keeps superscripts and subscripts', '10<sup>6</sup> of H<sub>2</sub>O', '10⁶ of H₂O'],
    ['writes other superscripts with a sign', '1<sup>st</sup>, x<sup>k</sup>', '1^(st), x^k'],
    ['keeps marks of notes', 'so<sup>[1]</sup>', 'so[1]'],
    [
      'writes the targets of links',
      'see <a href="https://e.com/a b">it</a>',
      'see [it](https://e.com/a%20b)',
    ],
    ['writes no target within the page', 'see <a href="#b">it</a>', 'see it'],
    ['leaves the target of a heading out', '<h2><a href="/x">It</a></h2>', '## It'],
    ['writes the target around a block below it', '<a href="/x"><p>It</p></a>', 'It\n\n[It](/x)'],
    ['does not divide a sentence by an image', '<p>a <img src="i.png" alt="I"> b</p>', 'a b\n\n![I](i.png)'],
    ['divides options', '<select><option>a</option><option>b</option></select>', 'a\n\nb'],
    ['keeps formulas', '<p>so <math alttext="a^2">a2</math></p>', 'so $a^2$'],
    [
      'writes MathML in one line',
      '<p>so <math><mfrac><mi>a</mi><msqrt><mi>π</mi></msqrt></mfrac><mo>≤</mo><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup></math></p>',
      'so $a/(√(π))≤x_1^2$',
    ],
    ['forgets soft hyphens', 'inter&shy;national', 'international'],
    [
      'knows the language of code',
      '<pre class="language-js"><code>a\n  b</code></pre>',
      '```js\na\n  b\n```',
    ],
  ])('%s', (_, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it('is kept below any number of levels', () => {
    const [only, ...others] = contentsOf(`${'<div>'.repeat(5000)}deep <b>down</b>`);
    expect([only, others]).toEqual([{ text: 'deep down' }, []]);
  });
});

describe('a list of HTML', () => {
  it.each([
    [
      'keeps lists within its items',
      '<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>',
      '- a\n  - b\n    1. c\n- d',
    ],
    ['keeps lists beside its items', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    ['keeps where it begins', '<ol start="9"><li>a<li>b</ol>', '9. a\n10. b'],
    ['keeps paragraphs and code of an item', '<ul><li><p>a</p><pre>x  y</pre></li></ul>', '- a\n  x  y'],
    ['keeps check marks', '<ul><li><input type="checkbox" checked>a</ul>', '- [x] a'],
    ['keeps targets of links', '<ul><li><a href="/x">a</a></ul>', '- [a](/x)'],
  ])('%s', (_, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });
});

describe('a table of HTML', () => {
  it('repeats a cell in all the cells that it spans', () => {
    const html =
      '<table><tr><th>Year<th>Q1<th>Q2<tr><td rowspan="2">2023<td>1<td>2<tr><td>3<td>4<tr><td colspan="3">end</table>';
    expect(contentsOf(html)).toEqual([
      {
        columns: ['Year', 'Q1', 'Q2'],
        rows: [
          ['2023', '1', '2'],
          ['2023', '3', '4'],
          ['end', 'end', 'end'],
        ],
      },
    ]);
  });
  it('has an end, whatever its spans are', () => {
    const html = `<table>${'<tr><td colspan="1000" rowspan="65534">x</td></tr>'.repeat(1000)}</table>`;
    const [table] = contentsOf(html) as { rows: string[][] }[];
    expect(table?.rows.flat().length).toBeLessThan(500_000);
  });
  it('keeps lists and tables in its cells apart, once each', () => {
    const html =
      '<table><tr><th>a<th>b<tr><td><ul><li>one<li>two</ul><td>x<table><tr><td>1<td>2<tr><td>3<td>4</table></table>';
    expect(contentsOf(html)).toEqual([{ columns: ['a', 'b'], rows: [['- one\n- two', 'x\n1, 2\n3, 4']] }]);
  });
  it('keeps targets of links', () => {
    expect(contentsOf('<table><tr><th>a<tr><td><a href="/x">b</a></table>')).toEqual([
      { columns: ['a'], rows: [['[b](/x)']] },
    ]);
  });
  it('has its caption before it', () => {
    const html = '<table><caption>Costs</caption><tr><th>a<tr><td>1</table>';
    expect(markdownOf(html)).toBe('Costs\n\n| a |\n| --- |\n| 1 |');
  });
  it('is none when it only arranges a page', () => {
    const html = '<table><tr><td>menu<td><h1>Title</h1><p>text</p></table>';
    expect(markdownOf(html)).toBe('menu\n\n# Title\n\ntext');
  });
});

it('Markdown has its nested lists without their indent, targets in cells, and its HTML as text', async () => {
  const source =
    '# [T](/t)\n\n1) a\n   - b\n\n| x |\n|---|\n| [c](/c) |\n\n<p align="center"><b>bold</b></p>\n';
  const bytes = Buffer.from(source);
  const read = await readMarkdown({ bytes, name: 'a.md', fileType: 'md', from: 0, to: 1 });
  expect(read.pages[0]?.drafts.map(({ content }) => content)).toEqual([
    { text: 'T', level: 1 },
    { items: ['a\n- b'], ordered: true },
    { columns: ['x'], rows: [['[c](/c)']] },
    { text: 'bold' },
  ]);
});
