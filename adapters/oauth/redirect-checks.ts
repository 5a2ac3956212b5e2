import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import { Refusal } from './guarded-fetch.ts';

/** A URL without a path is written with and without its slash. */
export const plain = (text: string): string => text.replace(/^([a-z]+:\/\/[^/]+)\/$/, '$1');

/**
 * Metadata speak for the address that they were read from (RFC 8414 §3.3), or somebody else could answer for it. A server
 * that names no authorization server is one itself (MCP 2025-03-26): then its origin is what counts.
 */
export function mustBeOfIssuer(found: OAuthDiscoveryState, wanted?: string): void {
  const { authorizationServerUrl: asked, authorizationServerMetadata, resourceMetadata } = found;
  const issuer = authorizationServerMetadata?.issuer;
  if (wanted !== undefined && plain(wanted) !== plain(issuer ?? asked))
    throw new Refusal('the server names another authorization server than the issuer of its config');
  if (issuer === undefined || plain(issuer) === plain(asked)) return;
  const isItself = (resourceMetadata?.authorization_servers ?? []).length === 0;
  if (isItself && URL.canParse(issuer) && new URL(issuer).origin === new URL(asked).origin) return;
  throw new Refusal('the metadata of its authorization server are those of another');
}
/** A browser opens whatever it is given: a page is a web page, and over TLS where the server is. */
export function mustBeFrom(page: URL, server: URL): void {
  const isWeb = page.protocol === 'https:' || (page.protocol === 'http:' && server.protocol === 'http:');
  if (!isWeb || page.username !== '')
    throw new Refusal('its authorization server names a page that is no https:// page');
}

const word = /^[\w.-]{1,60}$/;

/**
 * The code in a redirect, when it is the answer to what we asked: to our address, with our state, and from the
 * authorization server that we asked (`iss`, RFC 9207), or a code of one could be given to another.
 */
export function codeIn(
  back: URL,
  { redirectUri, state, found }: { redirectUri: string; state: string; found: OAuthDiscoveryState },
): string {
  const query = back.searchParams;
  if (back.origin + back.pathname !== redirectUri || query.get('state') !== state)
    throw new Refusal('the redirect does not belong to this login');
  const metadata = found.authorizationServerMetadata as
    | { readonly issuer?: string; readonly authorization_response_iss_parameter_supported?: boolean }
    | undefined;
  const iss = query.get('iss');
  if (iss === null && metadata?.authorization_response_iss_parameter_supported === true)
    throw new Refusal('the redirect does not say which authorization server it is from');
  if (iss !== null && iss !== metadata?.issuer)
    throw new Refusal('the redirect is from another authorization server');
  const error = query.get('error');
  if (error !== null) throw new Refusal(`the login was refused${word.test(error) ? ` (${error})` : ''}`);
  const code = query.get('code');
  if (code === null || code === '') throw new Refusal('the redirect holds no code');
  return code;
}
