import type { Annotations, Resource } from '../catalog/entries.ts';
import type { AddressFor } from '../kernel/effects.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { withoutUndefined, jsonBytes } from '../protocol/json.ts';
import type { Read } from '../protocol/messages/lists.ts';
import type { ShownResource } from '../protocol/messages/collections.ts';

/** `server` is the bundle id or the name of the server. */
export interface ResourcesWanted {
  readonly type: 'resources.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly server: string;
  readonly cursor?: string;
  readonly replyTo: AddressFor<ResourcesShown>;
}
/** `nextCursor` is null on the last page. */
export interface ResourcesShown {
  readonly type: 'resources.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly resources: readonly ShownResource[];
  readonly nextCursor: string | null;
  readonly failure: Failure | null;
}

/** Bytes stay far below the smallest message limit of an office; a larger resource gets a page of its own. */
const [mostOnPage, pageBytes] = [100, 256 * 1024];

const shownAnnotations = ({ audience, priority, lastModified }: Annotations) =>
  withoutUndefined({ audience, priority, last_modified: lastModified });
/** The wire has no title and icons. */
const shown = ({ uri, name, description, mimeType, size, annotations, meta }: Resource): ShownResource => ({
  uri,
  name,
  ...withoutUndefined({
    description,
    mime_type: mimeType,
    size,
    annotations: annotations && shownAnnotations(annotations),
    _meta: meta,
  }),
});

const given = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
const isText = (value: unknown): value is string => typeof value === 'string';
function annotationsOf(raw: Readonly<Record<string, unknown>>): Annotations {
  const { audience, priority, last_modified: lastModified } = raw;
  return {
    ...(Array.isArray(audience) && { audience: audience.filter(isText) }),
    ...(typeof priority === 'number' && { priority }),
    ...(isText(lastModified) && { lastModified }),
  };
}
export const resourceOf = (raw: ShownResource): Resource => ({
  uri: raw.uri,
  name: raw.name,
  ...withoutUndefined({
    description: given(raw.description),
    mimeType: given(raw.mime_type),
    size: given(raw.size),
    annotations: raw.annotations ? annotationsOf(raw.annotations) : undefined,
    meta: given(raw._meta),
  }),
});

const staleCursor = (server: string): Failure => ({
  code: wireCodes.badRequest,
  message: `The cursor does not belong to the list of '${server}', or its resource is gone`,
  details: { mcp_server: server, reason: 'invalid_cursor' },
  remedy: 'Ask for the first page again, without a cursor',
});
interface Page {
  readonly resources: readonly ShownResource[];
  readonly nextCursor: string | null;
}
/** The cursor is the URI of the last resource before the page, so that changes elsewhere hide no entry. */
export function pageOf(server: string, all: readonly Resource[], cursor: string | undefined): Read<Page> {
  const from = cursor === undefined ? 0 : all.findLastIndex(({ uri }) => uri === cursor) + 1;
  if (cursor !== undefined && from === 0) return { ok: false, failure: staleCursor(server) };
  const resources: ShownResource[] = [];
  let bytes = 0;
  for (const entry of all.slice(from, from + mostOnPage)) {
    const next = shown(entry);
    bytes += jsonBytes(next);
    if (resources.length > 0 && bytes > pageBytes) break;
    resources.push(next);
  }
  const isLast = from + resources.length >= all.length;
  return { ok: true, body: { resources, nextCursor: isLast ? null : (resources.at(-1)?.uri ?? null) } };
}
