import { checkResourceAllowed, type OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { asLine } from '../../machines/text.ts';
import { Refusal } from './guarded-fetch.ts';

/** A URL with and without its last slash is one: its metadata stand at one address (RFC 8414 §3.1). */
export const plain = (text: string): string => text.replace(/\/$/, '');
const shown = (text: string): string => asLine(text.slice(0, 200));
/** An address as it may be told: its query may hold a secret. */
export const toldAs = (url: string | URL): string => {
  const { origin, pathname } = new URL(url);
  return plain(origin + pathname);
};

/** Microsoft Entra for people of any tenant. */
const entra =
  /^https:\/\/login\.(?:microsoftonline\.(?:com|us)|partner\.microsoftonline\.cn)\/(?:common|organizations|consumers)\/v2\.0$/;
/** The issuer is a template, and the address is it with the name of a tenant in its place. */
function isOfTemplate(address: string, issuer: string): boolean {
  const [before = '', after, ...more] = issuer.split('{tenantid}');
  if (after === undefined || more.length > 0 || !/^https?:\/\/[^/]+\//.test(before)) return false;
  const tenant = address.slice(before.length, address.length - after.length);
  return address === before + tenant + after && /^\w[\w.-]*$/.test(tenant);
}

/**
 * Metadata speak for the address that they were read from (RFC 8414 §3.3), or somebody else could answer for it. A server
 * that names no authorization server is one itself (MCP 2025-03-26): then its origin is what counts.
 */
export function mustBeOfIssuer(found: OAuthDiscoveryState, wanted?: string): void {
  const { authorizationServerUrl: asked, authorizationServerMetadata, resourceMetadata } = found;
  const issuer = authorizationServerMetadata?.issuer;
  const isWanted = wanted !== undefined && plain(wanted) === plain(issuer ?? asked);
  if (wanted !== undefined && !isWanted)
    throw new Refusal(
      `the server names another authorization server than the issuer of its config: ${shown(issuer ?? asked)}, and not ${wanted}`,
    );
  if (issuer === undefined || plain(issuer) === plain(asked)) return;
  const isItself = (resourceMetadata?.authorization_servers ?? []).length === 0;
  if (isItself && URL.canParse(issuer) && new URL(issuer).origin === new URL(asked).origin) return;
  const isTemplate = isOfTemplate(plain(asked), plain(issuer));
  if (isTemplate && (isWanted || entra.test(plain(asked)))) return;
  throw new Refusal(
    `the metadata of its authorization server are those of another: at ${shown(asked)} the issuer is ${shown(issuer)}`,
    isTemplate ? 'issuer' : undefined,
  );
}
/**
 * The server, by the name that its metadata give it, which may have a last slash more. Throws where they are those of another
 * resource: a token for that one would be asked for.
 */
export function resourceServer(server: URL, { resourceMetadata }: OAuthDiscoveryState): URL {
  const resource = resourceMetadata?.resource;
  const named = resource === `${server.href}/` ? new URL(resource) : server;
  if (
    resource === undefined ||
    checkResourceAllowed({ requestedResource: named, configuredResource: resource })
  )
    return named;
  throw new Refusal(`the resource metadata of ${toldAs(server)} are those of another: ${shown(resource)}`);
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
  const issuer = metadata?.issuer ?? '';
  if (iss !== null && iss !== issuer && !isOfTemplate(iss, issuer))
    throw new Refusal('the redirect is from another authorization server');
  const error = query.get('error');
  const isOfClient = error === 'unauthorized_client' || error === 'invalid_client';
  if (error !== null)
    throw new Refusal(
      `the login was refused${word.test(error) ? ` (${error})` : ''}`,
      isOfClient ? 'again' : undefined,
    );
  const code = query.get('code');
  if (code === null || code === '') throw new Refusal('the redirect holds no code');
  return code;
}
