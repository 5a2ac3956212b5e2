import { remembered } from '../../kernel/objects.ts';
import { parseDpeUri } from './dpe-uri.ts';

/** What is listed of one host. */
interface Host {
  readonly all: string[];
  readonly catalogues: string[];
  /** By `doc_ref`: a document, its pages and its elements. */
  readonly documents: Map<string, string[]>;
}
/** Of a list, once as long as it stays what it is. */
const hostsIn = remembered((listed: readonly string[]): ReadonlyMap<string, Host> => {
  const hosts = new Map<string, Host>();
  for (const raw of listed) {
    const read = parseDpeUri(raw);
    if (!read.ok) continue;
    let host = hosts.get(read.uri.host);
    if (!host) hosts.set(read.uri.host, (host = { all: [], catalogues: [], documents: new Map() }));
    host.all.push(raw);
    if (read.uri.level === 0) host.catalogues.push(raw);
    else {
      const others = host.documents.get(read.uri.docRef);
      if (others) others.push(raw);
      else host.documents.set(read.uri.docRef, [raw]);
    }
  }
  return hosts;
});

/**
 * What is another when this URI has changed, whatever its query: its document, of which a page or an element is a part,
 * and the catalogue of its host; of a catalogue all documents of its host. Empty where it is of none that is listed.
 */
export function documentsTouched(uri: string, listed: readonly string[]): readonly string[] {
  const changed = parseDpeUri(uri);
  const host = changed.ok ? hostsIn(listed).get(changed.uri.host) : undefined;
  if (!changed.ok || !host) return [];
  if (changed.uri.level === 0) return host.all;
  return host.catalogues.concat(host.documents.get(changed.uri.docRef) ?? []);
}
