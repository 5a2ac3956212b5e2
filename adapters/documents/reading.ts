import { ProtocolError } from '@modelcontextprotocol/server';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { readablePages } from './documents.ts';
import { linesOf, locate, partOf, Refusal, startOf, type Part, type ServedPath } from './files.ts';
import { Unreadable } from './parsing/reader.ts';
import type { Shared } from './sharing.ts';
import { limits, sizeText } from '../../machines/document-files.ts';
import { formatOf, isWritten } from '../../machines/documents.ts';
import { parseDpeUri } from '../../machines/resources/dpe-uri.ts';

export interface Wanted {
  readonly page?: number | undefined;
  readonly pages?: number | undefined;
  readonly fromLine?: number | undefined;
  readonly lines?: number | undefined;
}
export interface Answer {
  readonly block: CallToolResult['content'][number];
  /** What part it is, and how to go on. */
  readonly advice?: string | undefined;
}

/** Other errors may name paths outside. */
export const reasonOf = (error: unknown): string =>
  error instanceof Refusal || error instanceof ProtocolError ? error.message : 'it cannot be read';

const mostPages = 100;
const said = (text: string, ...advice: readonly string[]): Answer => ({
  block: { type: 'text', text },
  advice: advice.filter((each) => each !== '').join(' ') || undefined,
});

/** A path or a `dpe://` URI. `room` is the number of characters, which one page or line may exceed. */
export async function readOne(shared: Shared, name: string, wanted: Wanted, room: number): Promise<Answer> {
  if (!/^dpe:/i.test(name)) return readPath(shared, name, wanted, room);
  const parsed = parseDpeUri(name);
  if (!parsed.ok) throw new Refusal(parsed.failure.message);
  const { uri } = parsed;
  if (uri.level === 0 || uri.host !== shared.host)
    throw new Refusal(`name a document of dpe://${shared.host}; list_files and search show them`);
  if (uri.level === 3) {
    const place = `${name.replace(/\?.*$/s, '')}?format=markdown`;
    return said((await shared.documents.read(place)).text);
  }
  const [first, many] = uri.level === 2 ? [uri.pageIndex, 1] : [uri.offset, uri.limit];
  const { page = first, pages = many } = wanted;
  return readPath(shared, uri.docRef, { ...wanted, page, pages }, room);
}

async function readPath(shared: Shared, name: string, wanted: Wanted, room: number): Promise<Answer> {
  const place = await locate(shared.library.folders, name);
  const { path, facts } = place;
  if (facts.isDirectory()) throw new Refusal(`"${path}" is a folder; list_files shows what is in it`);
  if (!facts.isFile()) throw new Refusal(`"${path}" is not a regular file`);
  const { page, pages, fromLine, lines } = wanted;
  const format = formatOf(path);
  const isByPage = page !== undefined || pages !== undefined;
  const isByLine = fromLine !== undefined || lines !== undefined;
  if (format !== undefined && (isByPage || !isWritten(format, isByLine)))
    return readDocument(shared, path, wanted, room);
  const part = await linesOf(place, { fromLine, lines, room });
  const encoding = part?.encoding === 'utf-8' ? '' : `Encoding: ${part?.encoding}.`;
  if (part) return said(part.text, aboutLines(part), encoding);
  if (format !== undefined) return readDocument(shared, path, wanted, room);
  return readImage(place);
}

async function readDocument(shared: Shared, path: string, wanted: Wanted, room: number): Promise<Answer> {
  const { page = 0, pages = 20, fromLine, lines } = wanted;
  const range = { from: page, to: page + Math.min(pages, mostPages) };
  const read = await shared.library.read(path, range).catch((error: unknown) => {
    throw error instanceof Unreadable ? new Refusal(`"${path}" cannot be read: ${error.message}`) : error;
  });
  const { pageCount } = read;
  if (page >= pageCount && page > 0)
    throw new Refusal(`"${path}" has ${pageCount} pages, counted from 0, so there is no page ${page}`);
  const { texts, next } = readablePages(read, range, 'markdown', room);
  const [first = ''] = texts;
  if (fromLine !== undefined || lines !== undefined || first.length > room) {
    const part = partOf(path, first, { fromLine, lines, room });
    const more = part.isCut || page + 1 >= pageCount ? '' : `Page ${page + 1} is next.`;
    return said(
      part.text,
      `This is of page ${page} of ${pageCount}, counted from 0.`,
      aboutLines(part, page),
      more,
    );
  }
  const text = texts.join('\n\n---\n\n') || 'There is no text in it.';
  if (pageCount <= 1) return said(text);
  const where = next - page > 1 ? `These are the pages ${page} to ${next - 1}` : `This is page ${page}`;
  return said(text, `${where} of ${pageCount}, counted from 0.`, goesOn(next < pageCount && `page ${next}`));
}

const goesOn = (where: string | false): string => (where ? `It goes on: read ${where}.` : 'It ends here.');
/** Empty for the whole of a text. */
function aboutLines(part: Part, page?: number): string {
  const { fromLine, toLine, totalLines, isCut, isInsideLine } = part;
  if (toLine < fromLine) return 'It is empty.';
  if (!isCut && fromLine === 1) return '';
  const where = `Lines ${fromLine} to ${toLine}${totalLines === null ? '' : ` of ${totalLines}`}.`;
  const cut = isInsideLine
    ? ` Line ${fromLine} is longer than ${sizeText(limits.fileBytes)} and was cut.`
    : '';
  const place = page === undefined ? '' : `page ${page}, `;
  return `${where}${cut} ${goesOn(isCut && `${place}from_line ${toLine + 1}`)}`;
}

const images = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46]],
] as const;
async function readImage(place: ServedPath): Promise<Answer> {
  const { path, facts } = place;
  const size = sizeText(facts.size);
  const bytes = await startOf(place, limits.imageBytes);
  const [mimeType] = images.find(([, start]) => start.every((byte, at) => bytes[at] === byte)) ?? [];
  if (mimeType === undefined)
    throw new Refusal(
      `"${path}" (${size}) is neither a text nor an image nor a document of a format that is read`,
    );
  if (facts.size > limits.imageBytes)
    throw new Refusal(`the image "${path}" has ${size}; at most ${sizeText(limits.imageBytes)} are read`);
  return { block: { type: 'image', data: bytes.toString('base64'), mimeType } };
}
