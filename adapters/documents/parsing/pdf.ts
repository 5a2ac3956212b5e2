import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { headingIn, toldOf, Unreadable, type Reader } from './reader.ts';
import type { Draft, DraftPage } from '../../../machines/documents.ts';

/** PDF itself has no words, lines or paragraphs. */
export interface Glyphs {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly endsLine: boolean;
}
interface Line {
  text: string;
  y: number;
  size: number;
  /** Of its last glyphs. */
  start: number;
  end: number;
}

/** A gap of one and a half lines or another letter size ends a paragraph; a fifth larger is a heading. */
export function paragraphsOf(glyphs: readonly Glyphs[]): Draft[] {
  const lines = linesOf(glyphs);
  const usual = usualSize(lines);
  const drafts: Draft[] = [];
  let open: Line[] = [];
  const close = (): void => {
    const [first] = open;
    if (!first) return;
    const text = open.map((line) => line.text.trim()).join('\n');
    const level = first.size >= usual * 1.6 ? 1 : 2;
    drafts.push(
      first.size > usual * 1.19 && open.length <= 3
        ? { category: 'heading', content: { text: text.replaceAll('\n', ' '), level } }
        : { category: 'text', content: { text } },
    );
    open = [];
  };
  for (const line of lines) {
    const last = open.at(-1);
    if (last) {
      const gap = last.y - line.y;
      if (Math.abs(line.size - last.size) > 0.6 || gap > last.size * 1.5 || gap < 0) close();
    }
    open.push(line);
  }
  close();
  return drafts;
}

function linesOf(glyphs: readonly Glyphs[]): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  for (const { text, x, y, width, size, endsLine } of glyphs) {
    if (text !== '') {
      const isSame = line !== undefined && Math.abs(line.y - y) < Math.max(size, line.size) * 0.5;
      if (line && isSame) {
        const gap = Math.max(x - line.end, line.start - x - width);
        const isApart = gap > size * 0.2 || isTurn(line.text, text);
        line.text += (isApart && !/\s$/.test(line.text) && !/^\s/.test(text) ? ' ' : '') + text;
        [line.start, line.end] = [x, x + width];
        line.size = Math.max(line.size, size);
      } else {
        line = { text, y, size, start: x, end: x + width };
        lines.push(line);
      }
    }
    if (endsLine) line = undefined;
  }
  return lines.filter((each) => each.text.trim() !== '');
}

/** From letters that run to the left to others, or back. */
const isTurn = (before: string, after: string): boolean => {
  const [last = '', first = ''] = [before.at(-1), after[0]];
  const isLeft = (each: string): boolean => /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(each);
  return /\p{L}/u.test(last) && /\p{L}/u.test(first) && isLeft(last) !== isLeft(first);
};

function usualSize(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { text, size } of lines) {
    const round = Math.round(size * 2) / 2;
    letters.set(round, (letters.get(round) ?? 0) + text.length);
  }
  return [...letters].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** PDF.js wants a slash at the end, on Windows, too. */
const folderOf = (name: string): string =>
  `${join(dirname(fileURLToPath(import.meta.resolve('pdfjs-dist/package.json'))), name)}/`;

/** Reads only the requested pages. No script in it is run. */
export const readPdf: Reader = async ({ bytes, from, to }) => {
  const task = getDocument({
    data: bytes,
    cMapUrl: folderOf('cmaps'),
    cMapPacked: true,
    standardFontDataUrl: folderOf('standard_fonts'),
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
    const pages: Record<number, DraftPage> = {};
    for (let index = from; index < Math.min(to, pdf.numPages); index += 1)
      pages[index] = await pageOf(pdf, index);
    return {
      ...toldOf({ title: text('Title'), summary: text('Subject'), keywords: text('Keywords') }),
      pageCount: pdf.numPages,
      pages,
    };
  } catch (error) {
    throw inWords(error);
  } finally {
    await task.destroy();
  }
};

const noText = 'This page has no text: it is empty, or an image such as a scan.';

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
  if (drafts.length === 0) drafts.push({ category: 'annotation', content: { text: noText } });
  return { title: headingIn(drafts) ?? `Page ${index + 1}`, drafts };
}

function inWords(error: unknown): Error {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') return new Unreadable('it needs a password');
  if (name === 'InvalidPDFException') return new Unreadable('it is not a whole PDF');
  return error instanceof Error ? error : new Unreadable('it cannot be read as a PDF');
}
