import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../machines/documents.ts';
import {
  brief,
  diagram,
  read,
  relations,
  root,
  type Parts,
} from '../../../scenarios/fixtures/office-parts.ts';
import { readPptx } from './pptx.ts';

describe('PPTX', () => {
  const pptx = (shapes: string, parts: Parts = {}, own = relations()): Promise<Draft[]> =>
    read(readPptx, {
      '_rels/.rels': relations(['r1', 'officeDocument', 'ppt/presentation.xml']),
      'ppt/presentation.xml': root('p:presentation', '<p:sldIdLst><p:sldId id="1" r:id="r1"/></p:sldIdLst>'),
      'ppt/_rels/presentation.xml.rels': relations(
        ['r1', 'slide', 'slide.xml'],
        ['r2', 'commentAuthors', 'authors.xml'],
      ),
      'ppt/slide.xml': root('p:sld', `<p:spTree>${shapes}</p:spTree>`),
      'ppt/_rels/slide.xml.rels': own,
      ...parts,
    });
  const shape = (inner: string, kind = ''): string => `<p:sp>${kind}<p:txBody>${inner}</p:txBody></p:sp>`;
  const t = (text: string): string => `<a:r><a:t>${text}</a:t></a:r>`;

  it('repeats a merged cell of a table in the cells that it covers', async () => {
    const cell = (text: string, how = '') =>
      `<a:tc ${how}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
    const drafts = await pptx(
      '<p:graphicFrame><a:graphic><a:graphicData><a:tbl>' +
        `<a:tr>${cell('Year')}${cell('Quarters', 'gridSpan="2"')}${cell('', 'hMerge="1"')}</a:tr>` +
        `<a:tr>${cell('2023', 'rowSpan="2"')}${cell('1')}${cell('2')}</a:tr>` +
        `<a:tr>${cell('', 'vMerge="1"')}${cell('3')}${cell('4')}</a:tr>` +
        '</a:tbl></a:graphicData></a:graphic></p:graphicFrame>',
    );
    expect(brief(drafts)).toEqual([
      [
        'table',
        {
          columns: ['Year', 'Quarters', 'Quarters'],
          rows: [
            ['2023', '1', '2'],
            ['2023', '3', '4'],
          ],
        },
      ],
    ]);
  });
  it('keeps line breaks, levels, equations and targets of links', async () => {
    const drafts = await pptx(
      shape(`<a:p>${t('Internet Explorer 9')}<a:br/>${t('HTML5')}</a:p>`) +
        shape(
          `<a:p>${t('one')}</a:p><a:p><a:pPr lvl="1"/>${t('below')}</a:p><a:p>${t('two')}</a:p>`,
          '<p:nvSpPr><p:nvPr><p:ph/></p:nvPr></p:nvSpPr>',
        ) +
        shape('<a:p><a:r><a:rPr><a:hlinkClick r:id="r9"/></a:rPr><a:t>rules</a:t></a:r></a:p>') +
        `<mc:AlternateContent><mc:Choice>${shape('<a:p><a14:m><m:oMath><m:r><m:t>π</m:t></m:r></m:oMath></a14:m></a:p>')}</mc:Choice><mc:Fallback>${shape('')}</mc:Fallback></mc:AlternateContent>`,
      {},
      relations(['r9', 'hyperlink', 'https://example.com/']),
    );
    expect(brief(drafts)).toMatchObject([
      ['text', { text: 'Internet Explorer 9\nHTML5' }],
      ['list', { items: ['one\n- below', 'two'] }],
      ['text', { text: '[rules](https://example.com/)' }],
      ['text', { text: '$π$' }],
    ]);
  });

  it('has its diagrams and its comments', async () => {
    const drafts = await pptx(
      '<p:graphicFrame><dgm:relIds r:dm="r1"/></p:graphicFrame>',
      {
        'ppt/data.xml': diagram,
        'ppt/authors.xml': root('p:cmAuthorLst', '<p:cmAuthor id="3" name="Ada"/>'),
        'ppt/comments.xml': root('p:cmLst', '<p:cm authorId="3"><p:text>Too many words</p:text></p:cm>'),
      },
      relations(['r1', 'diagramData', 'data.xml'], ['r2', 'comments', 'comments.xml']),
    );
    expect(brief(drafts)).toEqual([
      ['diagram', { items: ['plan', 'build', 'ship'] }],
      ['annotation', { text: 'Too many words', kind: 'comment', author: 'Ada' }],
    ]);
  });
});
