import {
  claimOf,
  documentsTouched,
  dpeUrisIn,
  finderQueryOf,
  hostNotFound,
  organizeFinder,
  parseDpeUri,
  readCatalogue,
  readRefusal,
  readSummary,
  refusedDocumentsIn,
  routeOf,
  urisOfLevel,
} from '../finder/index.ts';
import { remembered } from '../../kernel/objects.ts';
import type { DPEDocumentSummary, GetFinder } from '../../protocol/messages/collections.ts';
import type { Listed, Notice, CollectionRules } from './collection.ts';

/** A server that lists documents has them read; one that lists its catalogue only, that (a2c-wire §3.13). */
const toRead = remembered((uris: readonly string[]): readonly string[] => {
  const documents = urisOfLevel(uris, 1);
  return documents.length > 0 ? documents : urisOfLevel(uris, 0);
});

/** Its hosts are taken from its URIs once, as long as the list stays what it is. */
/** Documents say of themselves what counts. */
const none = {};
const claimIn = remembered(({ server, uris }: Listed) => claimOf(server, uris));

function rivalNotice(host: string, server: string, rivals: readonly string[]): Notice | null {
  if (rivals.length === 0) return null;
  const all = [server, ...rivals].toSorted().map((name) => `'${name}'`);
  return {
    about: host,
    mark: all.join(' '),
    text: `Servers ${all.join(' and ')} have documents of the host '${host}': who lists a document is asked for it`,
  };
}

export const finder: CollectionRules = {
  urisIn: dpeUrisIn,
  standingsIn: () => none,
  refusedIn: refusedDocumentsIn,
  toRead,
  touchedBy: documentsTouched,
  isListed: (uri, listed) => listed.includes(uri) || documentsTouched(uri, urisOfLevel(listed, 1)).length > 0,
  /** Its total counts the documents of all. */
  neededBy: (_query, _history, parts) => parts.map(({ server }) => server),
  onlyOf: () => null,
  itemsOf: (contents, uri, server) => {
    const read = parseDpeUri(uri);
    if (!read.ok) return read;
    if (read.uri.level === 0) {
      const catalogue = readCatalogue(contents, server);
      if (!catalogue.ok) return catalogue;
      const { documents, refused } = catalogue.body;
      return { ok: true, body: { items: documents, refused } };
    }
    const summary = readSummary(contents, server);
    return summary.ok ? { ok: true, body: { items: [summary.body], refused: [] } } : summary;
  },
  noticesOf: () => [],
  answerOf: (items, query, history) => {
    const page = organizeFinder(
      items as readonly DPEDocumentSummary[],
      finderQueryOf(query as GetFinder),
      history,
    );
    return { documents: page.documents, total_count: page.totalCount };
  },
  routeOf: (raw, listed, history) => {
    const read = parseDpeUri(raw);
    if (!read.ok) return read;
    const route = routeOf(raw, read.uri, listed.map(claimIn), history);
    if (!route) return { ok: false, failure: hostNotFound(read.uri.host) };
    const { server, rivals } = route;
    return { ok: true, body: { server, notice: rivalNotice(read.uri.host, server, rivals) } };
  },
  refusalOf: (refused, raw) => {
    const read = parseDpeUri(raw);
    return read.ok ? readRefusal(refused, read.uri) : refused;
  },
};
