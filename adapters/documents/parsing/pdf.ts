import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { Draft, DraftPage } from '../../../machines/documents/index.ts';
import { paragraphsOf, type Glyphs } from './pdf-lines.ts';
import { Unreadable, type Reader } from './reader.ts';

/** PDF, page by page: of 500 only those that are wanted are read. Nothing in it is run. */
export const readPdf: Reader = async ({ bytes, from, to }) => {
  const task = getDocument({
    data: bytes,
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    stopAtErrors: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
  });
  try {
    const pdf = await task.promise;
    const info = (await pdf.getMetadata()).info as Readonly<Record<string, unknown>>;
    const text = (key: string): string => (typeof info[key] === 'string' ? info[key].trim() : '');
    const [title, subject, keywords] = [text('Title'), text('Subject'), text('Keywords')];
    const pages: Record<number, DraftPage> = {};
    for (let index = from; index < Math.min(to, pdf.numPages); index += 1)
      pages[index] = await pageOf(pdf, index);
    return {
      ...(title && { title }),
      ...(subject && { summary: subject }),
      ...(keywords && {
        keywords: keywords
          .split(/[,;]/)
          .map((each) => each.trim())
          .filter(Boolean),
      }),
      pageCount: pdf.numPages,
      pages,
    };
  } catch (error) {
    throw inWords(error);
  } finally {
    await task.destroy();
  }
};

type Pdf = Awaited<ReturnType<typeof getDocument>['promise']>;
async function pageOf(pdf: Pdf, index: number): Promise<DraftPage> {
  const page = await pdf.getPage(index + 1);
  const { items } = await page.getTextContent();
  const glyphs = items.flatMap((item): Glyphs[] => {
    if (!('str' in item)) return [];
    const [, , c = 0, d = 0, x = 0, y = 0] = item.transform as number[];
    return [{ text: item.str, x, y, width: item.width, size: Math.hypot(c, d), endsLine: item.hasEOL }];
  });
  const drafts: Draft[] = [...paragraphsOf(glyphs)];
  for (const note of (await page.getAnnotations()) as Readonly<Record<string, unknown>>[]) {
    const { url, subtype, contentsObj } = note as {
      url?: string;
      subtype?: string;
      contentsObj?: { str?: string };
    };
    const said = contentsObj?.str ?? '';
    if (subtype === 'Link' && url !== undefined)
      drafts.push({ category: 'link', content: { text: said || url, url } });
    else if (subtype === 'Widget') {
      const { fieldName = '', fieldValue = '' } = note as { fieldName?: string; fieldValue?: unknown };
      drafts.push({
        category: 'form',
        content: { name: fieldName, value: fieldValue ?? '' },
        summary: fieldName,
      });
    } else if (said !== '') drafts.push({ category: 'annotation', content: { text: said } });
  }
  page.cleanup();
  const heading = drafts.find(({ category }) => category === 'heading')?.content['text'];
  return { title: typeof heading === 'string' ? heading : `Page ${index + 1}`, drafts };
}

function inWords(error: unknown): Error {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') return new Unreadable('it needs a password');
  if (name === 'InvalidPDFException') return new Unreadable('it is not a whole PDF');
  return error instanceof Error ? error : new Unreadable('it cannot be read as a PDF');
}
