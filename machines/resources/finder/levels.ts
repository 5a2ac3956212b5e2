import type { z } from 'zod';
import { wireCodes, type Failure } from '../../protocol/failure.ts';
import {
  dpeCatalogue,
  dpeDocumentMetadata,
  dpeDocumentPages,
  dpeElementDetail,
  dpePage,
  type DPEDocumentMetadata,
  type DPEDocumentPages,
  type DPEDocumentSummary,
  type DPEElementDetail,
  type DPEPage,
  type ResourceContents,
} from '../../protocol/messages/collections.ts';
import type { Read } from '../../protocol/messages/lists.ts';
import { problemsIn } from '../../protocol/messages/answers.ts';

/** What a read of a document gave: the JSON of its first text, by the level that was read (a2c-wire §3.13). */
type Contents = readonly Pick<ResourceContents, 'text'>[];

const unreadable = (message: string): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { code: wireCodes.internal, message },
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

function readAs<T>(contents: Contents, schema: z.ZodType<T>, what: string): Read<T> {
  const text = contents.find((item) => typeof item.text === 'string')?.text;
  if (typeof text !== 'string') return unreadable(`The server gave no text where ${what} was to be`);
  const read = schema.safeParse(parsed(text));
  if (read.success) return { ok: true, body: read.data };
  return unreadable(`What the server gave is not ${what}: ${problemsIn(read.error).join('; ')}`);
}

/** Level 1. */
export const readMetadata = (contents: Contents): Read<DPEDocumentMetadata> =>
  readAs(contents, dpeDocumentMetadata, 'a document');
/** Level 1 with `depth=pages`. */
export const readPages = (contents: Contents): Read<DPEDocumentPages> =>
  readAs(contents, dpeDocumentPages, 'a document with its pages');
/** Level 2 with `format=json`. */
export const readPage = (contents: Contents): Read<DPEPage> => readAs(contents, dpePage, 'a page');
/** Level 3 with `format=json`. */
export const readElement = (contents: Contents): Read<DPEElementDetail> =>
  readAs(contents, dpeElementDetail, 'an element');

/** One document of the computer's catalogue: its Level 1, and whose it is. */
export function readSummary(contents: Contents, server: string): Read<DPEDocumentSummary> {
  const read = readMetadata(contents);
  return read.ok ? { ok: true, body: { ...read.body, server } } : read;
}

export interface CatalogueRead {
  readonly documents: readonly DPEDocumentSummary[];
  /** Entries that are no document, and were left out. */
  readonly refused: readonly { readonly uri?: string; readonly reason: string }[];
}
/** Level 0, of a server that lists its catalogue instead of its documents: an entry that is no document falls alone. */
export function readCatalogue(contents: Contents, server: string): Read<CatalogueRead> {
  const read = readAs(contents, dpeCatalogue, 'a catalogue');
  if (!read.ok) return read;
  const documents: DPEDocumentSummary[] = [];
  const refused = read.body.documents.flatMap((entry, at): CatalogueRead['refused'] => {
    const document = dpeDocumentMetadata.safeParse(entry);
    if (document.success) documents.push({ ...document.data, server });
    if (document.success) return [];
    const { uri } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const reason = `documents.${at} of its catalogue is not a document: ${problemsIn(document.error).join('; ')}`;
    return [{ reason, ...(typeof uri === 'string' && { uri }) }];
  });
  return { ok: true, body: { documents, refused } };
}
