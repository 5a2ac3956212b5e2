import {
  buildDiscoveryUrls,
  LATEST_PROTOCOL_VERSION,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { Refusal, withinOrigin, type Fetch } from '../guarded-fetch.ts';
import { objectIn, placeOf, read, shapes, type Noted, type Shape } from './reader.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

export interface Discovering {
  readonly server: URL;
  /** Where the server says that its metadata stand. */
  readonly named: string | undefined;
  readonly fetch: Fetch;
  readonly noted: Noted | undefined;
}
/**
 * Finds the authorization server of a server, and the metadata of both. An error or a web page in their place means that there are
 * none; metadata that cannot be used are refused, or the login would go elsewhere. A server without any is its own
 * authorization server (MCP 2025-03-26).
 */
export async function discovered(options: Discovering): Promise<OAuthDiscoveryState> {
  const { server, named } = options;
  const places = [...(named === undefined ? [] : [new URL(named)]), ...resourcePlaces(server)];
  const resource = await firstOf(shapes.resource, places, ['resource', 'authorization_servers'], options);
  const resourceMetadata = resource as OAuthDiscoveryState['resourceMetadata'];
  const authorizationServerUrl = resourceMetadata?.authorization_servers?.[0] ?? new URL('/', server).href;
  const authorityPlaces = buildDiscoveryUrls(authorizationServerUrl).map(({ url }) => url);
  const authority = await firstOf(
    shapes.authority,
    authorityPlaces,
    ['issuer', 'authorization_endpoint', 'token_endpoint'],
    options,
  );
  // All who have an authorization endpoint give codes.
  const authorizationServerMetadata = authority && { response_types_supported: ['code'], ...authority };
  return { authorizationServerUrl, resourceMetadata, authorizationServerMetadata } as OAuthDiscoveryState;
}
/** RFC 9728 §3.1: the path behind the well-known one; else the whole host. */
function resourcePlaces(server: URL): readonly URL[] {
  const root = new URL('/.well-known/oauth-protected-resource', server);
  const path = server.pathname.replace(/\/$/, '');
  const below = new URL(root.pathname + path, server);
  below.search = server.search;
  return path === '' ? [below] : [below, root];
}

/** The first that holds one of the signs. */
async function firstOf(
  shape: Shape,
  places: readonly URL[],
  signs: readonly string[],
  { fetch, named, noted }: Discovering,
): Promise<Fields | undefined> {
  for (const url of places) {
    const headers = { 'mcp-protocol-version': LATEST_PROTOCOL_VERSION, accept: 'application/json' };
    const isNamed = shape === shapes.authority || url.href === named;
    const answer = await withinOrigin(fetch)(url, { headers }).catch((error: unknown) => {
      if (isNamed) throw error;
      return new Response(null, { status: 404 });
    });
    if (answer.status >= 500 && isNamed) throw new Refusal(`${placeOf(shape, url)}: HTTP ${answer.status}`);
    const said = answer.ok ? objectIn(await answer.text(), answer.headers.get('content-type')) : undefined;
    if (said && signs.some((name) => Object.hasOwn(said, name))) return read(shape, url, said, noted);
  }
  return undefined;
}
