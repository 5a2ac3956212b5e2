/** Answers of the servers of a login: metadata, registrations and tokens, checked before use. */
import {
  buildDiscoveryUrls,
  LATEST_PROTOCOL_VERSION,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { Refusal, type Fetch, withinOrigin } from './guarded-fetch.ts';
import { toldAs } from './login-options.ts';
import { jsonIn, isObject, type Fields } from '../../machines/protocol/json.ts';

const text = z.string();
const texts = z.array(text);
const address = z.url({ protocol: /^https?$/ });
/** A member that counts as absent when it is wrong. */
const other = <Kind extends z.ZodType>(kind: Kind) => kind.optional().catch(undefined);

interface Shape {
  readonly what: string;
  readonly of: z.ZodObject;
}
/** Optional members refuse the answer when ignoring a wrong one could send the login to another place. */
const shapes = {
  /** Metadata of the protected resource (RFC 9728). */
  resource: {
    what: 'resource metadata',
    of: z.object({
      resource: address,
      authorization_servers: z.array(address).optional(),
      dpop_bound_access_tokens_required: z.boolean().optional(),
      scopes_supported: other(texts),
    }),
  },
  /** Metadata of the authorization server (RFC 8414 and OpenID Connect Discovery). */
  authority: {
    what: 'authorization server metadata',
    of: z.object({
      issuer: text,
      authorization_endpoint: address,
      token_endpoint: address,
      authorization_response_iss_parameter_supported: z.boolean().optional(),
      code_challenge_methods_supported: texts.optional(),
      registration_endpoint: other(address),
      revocation_endpoint: other(address),
      device_authorization_endpoint: other(address),
      revocation_endpoint_auth_methods_supported: other(texts),
      response_types_supported: other(texts),
      scopes_supported: other(texts),
      token_endpoint_auth_methods_supported: other(texts),
      dpop_signing_alg_values_supported: other(texts),
      client_id_metadata_document_supported: other(z.boolean()),
    }),
  },
  /** Answer to the registration of a client (RFC 7591). */
  registration: {
    what: 'registration answer',
    of: z.object({
      client_id: text,
      client_secret: other(text),
      client_id_issued_at: other(z.coerce.number()),
      client_secret_expires_at: other(z.coerce.number()),
      token_endpoint_auth_method: other(text),
      scope: other(text),
    }),
  },
  /** Answer with the code for a person (RFC 8628 §3.2). */
  code: {
    what: 'device authorization answer',
    of: z.object({
      device_code: text,
      user_code: text.regex(/^[\w -]{1,40}$/),
      verification_uri: address,
      interval: other(z.coerce.number().positive().max(60)),
    }),
  },
  /** Answer of the token endpoint (RFC 6749 §5.1). */
  token: {
    what: 'token answer',
    of: z.object({
      access_token: text,
      token_type: other(text),
      refresh_token: other(text),
      id_token: other(text),
      expires_in: other(z.coerce.number()),
      scope: other(text),
    }),
  },
} satisfies Readonly<Record<string, Shape>>;

const placeOf = ({ what }: Shape, from: string | URL): string => `${what} of ${toldAs(from)}`;

const isThere = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => isThere(value)));
/** Null and empty texts count as absent. Throws a `Refusal` that names the answer and the bad member. */
function read(shape: Shape, from: string | URL, said: Fields): Fields {
  const found = shape.of.safeParse(present(said));
  if (found.success) return present(found.data);
  const name = String(found.error.issues[0]?.path[0]);
  const why = isThere(said[name]) ? 'is not as the standard has it' : 'is missing';
  throw new Refusal(`${placeOf(shape, from)}: ${name} ${why}`);
}

function objectIn(body: string, type: string | null): Fields | undefined {
  const said = jsonIn(body);
  if (isObject(said)) return said;
  const isForm = type?.includes('form-urlencoded') === true || /^[\w.-]+=[^\s<]*$/.test(body);
  return isForm ? Object.fromEntries(new URLSearchParams(body)) : undefined;
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

/** The person has not entered the code yet (RFC 8628 §3.5). */
export class Unentered extends Refusal {
  readonly isTooOften: boolean;

  constructor(code: string, message: string) {
    super(message);
    this.isTooOften = code === 'slow_down';
  }
}

/** Requests other than POST get 404, because the metadata were already found. */
export function reading(fetch: Fetch): Fetch {
  return async (to, init = {}) => {
    if (init.method !== 'POST') return new Response(null, { status: 404 });
    const answer = await fetch(to, init);
    // Returns a redirect unchanged, because the SDK and `withinOrigin` follow those within one origin.
    if (answer.status >= 300 && answer.status < 400) return answer;
    const body = await answer.text();
    const said = objectIn(body, answer.headers.get('content-type'));
    const isToken = init.body instanceof URLSearchParams;
    const shape = shapes[shapeFor(init.body)];
    const place = placeOf(shape, to);
    const code = said && codeIn(said);
    const isGiven = ['access_token', 'client_id', 'device_code'].some(
      (name) => typeof said?.[name] === 'string',
    );
    if (!answer.ok || (code !== undefined && !isGiven)) {
      const error = isToken && isOfClient(answer.status, code, body) ? 'invalid_client' : code;
      const why = code ?? `HTTP ${answer.status}`;
      const words = `${place}: ${why}${code !== undefined && !answer.ok ? ` (HTTP ${answer.status})` : ''}`;
      if (isToken && error !== undefined && mendable.includes(error)) throw new TokenRefused(error, words);
      if (code === 'authorization_pending' || code === 'slow_down') throw new Unentered(code, words);
      throw new Refusal(words, !isToken && answer.status < 500 ? 'clientId' : undefined);
    }
    if (!said) throw new Refusal(`${place}: it is no JSON object`);
    const found = read(shape, to, said);
    return Response.json(isToken ? { token_type: 'Bearer', ...found } : registered(found, init.body));
  };
}
const shapeFor = (asked: RequestInit['body']): 'registration' | 'token' | 'code' => {
  if (!(asked instanceof URLSearchParams)) return 'registration';
  return asked.has('grant_type') ? 'token' : 'code';
};
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
  { fetch, named }: Discovering,
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
    if (said && signs.some((name) => Object.hasOwn(said, name))) return read(shape, url, said);
  }
  return undefined;
}
