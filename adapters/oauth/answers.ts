import {
  buildDiscoveryUrls,
  LATEST_PROTOCOL_VERSION,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { Refusal, type Fetch, withinOrigin } from './guarded-fetch.ts';
import { toldAs } from './login-options.ts';
import { isObject, type Fields } from '../../machines/protocol/json.ts';

type Noted = (text: string) => void;

interface Kind {
  readonly name: string;
  readonly read: (value: unknown) => unknown;
}
const asText = (value: unknown): string | undefined => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? value : undefined;
};
const asAddress = (value: unknown): string | undefined =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
    ? value
    : undefined;
/** A text is split into words; a list keeps its readable elements, and is refused when it has none. */
const asList =
  (each: (value: unknown) => string | undefined) =>
  (value: unknown): readonly string[] | undefined => {
    const all: unknown = typeof value === 'string' ? value.trim().split(/\s+/) : value;
    if (!Array.isArray(all)) return undefined;
    const found = all.flatMap((one) => each(one) ?? []);
    return found.length > 0 || all.length === 0 ? found : undefined;
  };
const asNumber = (value: unknown): number | undefined => {
  const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
};
const asFlag = (value: unknown): boolean | undefined =>
  new Map([
    ['true', true],
    ['false', false],
  ]).get(String(value).toLowerCase());

const text: Kind = { name: 'text', read: asText };
const address: Kind = { name: 'web address', read: asAddress };
const number: Kind = { name: 'number', read: asNumber };
const flag: Kind = { name: 'true or false', read: asFlag };
const texts: Kind = { name: 'list of texts', read: asList(asText) };
const addresses: Kind = { name: 'list of web addresses', read: asList(asAddress) };
const scope: Kind = { name: 'text', read: (value) => asList(asText)(value)?.join(' ') };

interface Shape {
  readonly what: string;
  readonly needed: Readonly<Record<string, Kind>>;
  /** Optional members; the answer is refused when one is wrong, because ignoring it could send the login to another place. */
  readonly strict?: Readonly<Record<string, Kind>>;
  /** Optional members that count as absent when they are wrong. */
  readonly other: Readonly<Record<string, Kind>>;
}
const shapes = {
  /** Metadata of the protected resource (RFC 9728). */
  resource: {
    what: 'resource metadata',
    needed: { resource: address },
    strict: { authorization_servers: addresses, dpop_bound_access_tokens_required: flag },
    other: { scopes_supported: texts },
  },
  /** Metadata of the authorization server (RFC 8414 and OpenID Connect Discovery). */
  authority: {
    what: 'authorization server metadata',
    needed: { issuer: text, authorization_endpoint: address, token_endpoint: address },
    strict: { authorization_response_iss_parameter_supported: flag, code_challenge_methods_supported: texts },
    other: {
      registration_endpoint: address,
      revocation_endpoint: address,
      revocation_endpoint_auth_methods_supported: texts,
      response_types_supported: texts,
      scopes_supported: texts,
      token_endpoint_auth_methods_supported: texts,
      dpop_signing_alg_values_supported: texts,
      client_id_metadata_document_supported: flag,
    },
  },
  /** Answer to the registration of a client (RFC 7591). */
  registration: {
    what: 'registration answer',
    needed: { client_id: text },
    other: {
      client_secret: text,
      client_id_issued_at: number,
      client_secret_expires_at: number,
      token_endpoint_auth_method: text,
      scope,
    },
  },
  /** Answer of the token endpoint (RFC 6749 §5.1). */
  token: {
    what: 'token answer',
    needed: { access_token: text },
    other: { token_type: text, refresh_token: text, id_token: text, expires_in: number, scope },
  },
} satisfies Readonly<Record<string, Shape>>;

const isThere = (said: Fields, name: string): boolean =>
  Object.hasOwn(said, name) && said[name] !== undefined && said[name] !== null && said[name] !== '';

const placeOf = ({ what }: Shape, from: string | URL): string => `${what} of ${toldAs(from)}`;

/** Null and empty texts count as absent. Throws a `Refusal` that names the answer and the bad member. */
function read(shape: Shape, from: string | URL, said: Fields, noted: Noted | undefined): Fields {
  const { needed, strict = {}, other } = shape;
  const place = placeOf(shape, from);
  const found: [string, unknown][] = [];
  for (const [name, kind] of Object.entries({ ...needed, ...strict, ...other })) {
    const isNeeded = Object.hasOwn(needed, name);
    if (!isThere(said, name)) {
      if (isNeeded) throw new Refusal(`${place}: ${name} is missing`);
      continue;
    }
    const value = kind.read(said[name]);
    if (value !== undefined) found.push([name, value]);
    else if (isNeeded || Object.hasOwn(strict, name))
      throw new Refusal(`${place}: ${name} is no ${kind.name}`);
    else noted?.(`${place}: ${name} is no ${kind.name}; it is not used`);
  }
  return Object.fromEntries(found);
}

function objectIn(body: string, type: string | null): Fields | undefined {
  try {
    const said: unknown = JSON.parse(body.replace(/^\uFEFF/, ''));
    return isObject(said) ? said : undefined;
  } catch {
    const isForm = type?.includes('form-urlencoded') === true || /^[\w.-]+=[^\s<]*$/.test(body);
    return isForm ? Object.fromEntries(new URLSearchParams(body)) : undefined;
  }
}

const word = /^[\w.-]{1,60}$/;
/** Error codes of a token endpoint after which another try may succeed, with another client or without the old tokens. */
const mendable: readonly (string | undefined)[] = ['invalid_client', 'unauthorized_client', 'invalid_grant'];

export class TokenRefused extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Requests other than POST get 404, because the metadata were already found. */
export function reading(fetch: Fetch, noted: Noted | undefined): Fetch {
  return async (to, init = {}) => {
    if (init.method !== 'POST') return new Response(null, { status: 404 });
    const answer = await fetch(to, init);
    // Returns a redirect unchanged, because the SDK and `withinOrigin` follow those within one origin.
    if (answer.status >= 300 && answer.status < 400) return answer;
    const body = await answer.text();
    const said = objectIn(body, answer.headers.get('content-type'));
    const isToken = init.body instanceof URLSearchParams;
    const shape = isToken ? shapes.token : shapes.registration;
    const place = placeOf(shape, to);
    const code = said && codeIn(said);
    const isGiven = Object.keys(shape.needed).some((name) => typeof said?.[name] === 'string');
    if (!answer.ok || (code !== undefined && !isGiven)) {
      const error = isToken && isOfClient(answer.status, code, body) ? 'invalid_client' : code;
      const why = code ?? `HTTP ${answer.status}`;
      const words = `${place}: ${why}${code !== undefined && !answer.ok ? ` (HTTP ${answer.status})` : ''}`;
      if (isToken && error !== undefined && mendable.includes(error)) throw new TokenRefused(error, words);
      throw new Refusal(words, !isToken && answer.status < 500 ? 'clientId' : undefined);
    }
    if (!said) throw new Refusal(`${place}: it is no JSON object`);
    const found = read(shape, to, said, noted);
    return Response.json(isToken ? { token_type: 'Bearer', ...found } : registered(found, init.body));
  };
}
function codeIn({ error }: Fields): string | undefined {
  if (error === undefined || error === null || error === '' || error === false) return undefined;
  return typeof error === 'string' && word.test(error) ? error : 'an error without a code';
}
function isOfClient(status: number, code: string | undefined, body: string): boolean {
  if (code === 'unauthorized_client' || code === 'invalid_grant') return false;
  if (code !== undefined && /client/i.test(code)) return true;
  const isUnnamed = code === undefined || code.includes(' ');
  return isUnnamed && status >= 400 && status < 500 && (status === 401 || /\bclient/i.test(body));
}
/**
 * Completes a registration answer with members that the SDK requires, and drops an authentication method that
 * needs a secret when there is none.
 */
function registered(found: Fields, asked: RequestInit['body']): Fields {
  const { token_endpoint_auth_method: method, ...rest } = found;
  const isPossible = method === 'none' || found['client_secret'] !== undefined;
  const { redirect_uris } = JSON.parse(typeof asked === 'string' ? asked : '{}') as Fields;
  return {
    redirect_uris,
    ...rest,
    ...(isPossible && method !== undefined && { token_endpoint_auth_method: method }),
  };
}

interface Discovering {
  readonly server: URL;
  readonly named: string | undefined;
  readonly fetch: Fetch;
  readonly noted: Noted | undefined;
}
/** An error or a web page means no metadata; unusable ones are refused, as the login could go elsewhere. */
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
  // Adds the response type `code` when it is not listed, because every server with an authorization endpoint supports it.
  const authorizationServerMetadata = authority && { response_types_supported: ['code'], ...authority };
  return { authorizationServerUrl, resourceMetadata, authorizationServerMetadata } as OAuthDiscoveryState;
}
/** RFC 9728 §3.1: the well-known one with the path of the server, then the one of the whole host. */
function resourcePlaces(server: URL): readonly URL[] {
  const root = new URL('/.well-known/oauth-protected-resource', server);
  const path = server.pathname.replace(/\/$/, '');
  const below = new URL(root.pathname + path, server);
  below.search = server.search;
  return path === '' ? [below] : [below, root];
}

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
