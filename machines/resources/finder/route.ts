import { byRecency, type ServerHistory } from '../../call/history.ts';
import { parseDpeUri, type DpeUri } from './dpe-uri.ts';

/** What one server lists, so far as it decides who is asked for a document. */
export interface Claim {
  readonly server: string;
  /** Each once, in lower case. */
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
}
export const claimOf = (server: string, uris: readonly string[]): Claim => ({
  server,
  uris,
  hosts: [...new Set(uris.flatMap((uri) => hostOf(uri)))],
});
const hostOf = (raw: string): readonly string[] => {
  const read = parseDpeUri(raw);
  return read.ok ? [read.uri.host] : [];
};

/** Who is asked for a document, and who else says that its host is theirs: worth one warning. */
export interface Route {
  readonly server: string;
  readonly rivals: readonly string[];
}

/**
 * The server that is asked to read this. Of several with this host it is the one that lists the URI, then one that lists its
 * document, then whose tool was called last. Undefined: no server has this host.
 */
export function routeOf(
  raw: string,
  uri: DpeUri,
  claims: readonly Claim[],
  history: ServerHistory,
): Route | undefined {
  const able = claims.filter(({ hosts }) => hosts.includes(uri.host));
  const listing = (isMeant: (listed: string) => boolean): readonly Claim[] =>
    able.length > 1 ? able.filter(({ uris }) => uris.some(isMeant)) : [];
  const best = [listing((listed) => listed === raw), listing((listed) => isOfDocument(listed, uri)), able];
  const chosen = best.find((claimants) => claimants.length > 0) ?? [];
  const [server] = byRecency(
    chosen.map((claim) => claim.server),
    history,
  );
  if (server === undefined) return undefined;
  return { server, rivals: able.map((claim) => claim.server).filter((each) => each !== server) };
}

function isOfDocument(listed: string, uri: DpeUri): boolean {
  const read = parseDpeUri(listed);
  if (!read.ok || read.uri.level === 0 || uri.level === 0) return false;
  return read.uri.host === uri.host && read.uri.docRef === uri.docRef;
}
