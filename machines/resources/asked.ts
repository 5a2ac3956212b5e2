/** What agents ask of Desktop and Finder, and how they compare what they get. */
import { differenceOf, type Difference } from '../kernel/difference.ts';
import { remembered } from '../kernel/objects.ts';
import type { DPEDocumentSummary, GetDesktop, GetFinder } from '../protocol/messages/collections.ts';
import { canonical } from '../trace/canonical.ts';

/** Query of an agent for a Desktop. */
export interface DesktopQuery {
  /** Largest number of windows; null for all. */
  readonly size: number | null;
  /** URI of the only wanted window, exactly as listed; null for any. */
  readonly window: string | null;
  /** True to read the windows of all servers again instead of answering from the cache. */
  readonly fresh?: boolean;
}

export const desktopQueryOf = ({ desktop_size: size, window, fresh }: GetDesktop): DesktopQuery => ({
  size: size ?? null,
  window: window ?? null,
  ...(fresh === true && { fresh: true }),
});

/** Default values are left out. */
export const desktopQuestion = ({ size = null, window = null, fresh = false }: Partial<DesktopQuery>) => ({
  ...(size !== null && { desktop_size: size }),
  ...(window !== null && { window }),
  ...(fresh && { fresh }),
});

/** Query for documents, with the part of the result to return. */
export interface FinderQuery {
  /**
   * Words of which at least one must occur in title, keywords or summary, in any case; none matches all
   * documents.
   */
  readonly keywords?: readonly string[] | undefined;
  /** Exact file type; empty matches all. */
  readonly fileType?: string | undefined;
  /** Number of documents to skip; 0 by default. */
  readonly offset?: number | undefined;
  /** Largest number of documents to return: 20 by default, at most 100; 0 or less returns none. */
  readonly limit?: number | undefined;
  /** True to read the documents of all servers again instead of answering from the cache. */
  readonly fresh?: boolean | undefined;
}
export const defaultLimit = 20;
export const mostLimit = 100;

export const finderQueryOf = (asked: GetFinder): FinderQuery => ({
  ...(asked.keywords && { keywords: asked.keywords }),
  ...(typeof asked.file_type === 'string' && { fileType: asked.file_type }),
  ...(typeof asked.offset === 'number' && { offset: asked.offset }),
  ...(typeof asked.limit === 'number' && { limit: asked.limit }),
  ...(asked.fresh === true && { fresh: true }),
});

export const finderQuestion = ({
  keywords,
  fileType,
  offset = 0,
  limit = defaultLimit,
  fresh = false,
}: FinderQuery) => ({
  ...(keywords !== undefined && { keywords: [...keywords] }),
  ...(fileType !== undefined && { file_type: fileType }),
  ...(offset !== 0 && { offset }),
  ...(limit !== defaultLimit && { limit }),
  ...(fresh && { fresh }),
});

/** Between the URI of a rendered window and its text. */
export const gap = '\n\n';

/** Rendered window, split into URI and text again. */
export interface ShownWindow {
  /** URI of the window (`window://`), as its server lists it. */
  readonly uri: string;
  /** Text of the window; empty when there is only a URI. */
  readonly text: string;
}
export function readWindow(rendered: string): ShownWindow {
  const at = rendered.indexOf(gap);
  return at < 0
    ? { uri: rendered, text: '' }
    : { uri: rendered.slice(0, at), text: rendered.slice(at + gap.length) };
}

/** Windows are matched by URI and compared by text. */
export const desktopDifference = (
  before: readonly string[],
  after: readonly string[],
): Difference<ShownWindow> =>
  differenceOf(
    before.map(readWindow),
    after.map(readWindow),
    ({ uri }) => uri,
    (a, b) => a.text === b.text,
  );

/** Documents are matched by URI and compared by all fields. */
export const finderDifference = (
  before: readonly DPEDocumentSummary[],
  after: readonly DPEDocumentSummary[],
): Difference<DPEDocumentSummary> =>
  differenceOf(
    before,
    after,
    ({ uri }) => uri,
    (a, b) => canonicalOf(a) === canonicalOf(b),
  );
/** The whole document, because many have no time of change. */
const canonicalOf = remembered((document: DPEDocumentSummary) => canonical(document));
