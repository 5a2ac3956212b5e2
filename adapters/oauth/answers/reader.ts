import { Refusal } from '../guarded-fetch.ts';
import { toldAs } from '../redirect-checks.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';

/** Hears of members that cannot be read and are not needed. */
export type Noted = (text: string) => void;

/** One kind of member. `read` gives undefined for what is not of this kind. */
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
/** A text is a list of its words. A list keeps what can be read; one of which nothing can be read is none. */
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
/** Scopes as OAuth writes them: one text. */
const scope: Kind = { name: 'text', read: (value) => asList(asText)(value)?.join(' ') };

/** One kind of answer: the members that a login reads. All others are left out. */
export interface Shape {
  readonly what: string;
  /** Without one of them the answer cannot be used. */
  readonly needed: Readonly<Record<string, Kind>>;
  /** May be absent; there and wrong, the answer cannot be used: to ignore one would change where a login goes. */
  readonly strict?: Readonly<Record<string, Kind>>;
  /** There and wrong, they count as absent. */
  readonly other: Readonly<Record<string, Kind>>;
}
export const shapes = {
  /** RFC 9728. */
  resource: {
    what: 'resource metadata',
    needed: { resource: address },
    strict: { authorization_servers: addresses, dpop_bound_access_tokens_required: flag },
    other: { scopes_supported: texts },
  },
  /** RFC 8414 and OpenID Connect Discovery. */
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
  /** RFC 7591. */
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
  /** RFC 6749 §5.1. */
  token: {
    what: 'token answer',
    needed: { access_token: text },
    other: { token_type: text, refresh_token: text, id_token: text, expires_in: number, scope },
  },
} satisfies Readonly<Record<string, Shape>>;

const isThere = (said: Fields, name: string): boolean =>
  Object.hasOwn(said, name) && said[name] !== undefined && said[name] !== null && said[name] !== '';

/** Names an answer in a sentence. */
export const placeOf = ({ what }: Shape, from: string | URL): string => `${what} of ${toldAs(from)}`;

/** Reads an answer: null and empty texts are absent. Throws a `Refusal` that names the answer and its member. */
export function read(shape: Shape, from: string | URL, said: Fields, noted: Noted | undefined): Fields {
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

/** The object that an answer holds: JSON, or a form; undefined: neither. */
export function objectIn(body: string, type: string | null): Fields | undefined {
  try {
    const said: unknown = JSON.parse(body.replace(/^\uFEFF/, ''));
    return isObject(said) ? said : undefined;
  } catch {
    const isForm = type?.includes('form-urlencoded') === true || /^[\w.-]+=[^\s<]*$/.test(body);
    return isForm ? Object.fromEntries(new URLSearchParams(body)) : undefined;
  }
}
