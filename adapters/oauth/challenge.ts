/** What a `WWW-Authenticate` header says of a login (RFC 6750, RFC 9728, RFC 9449). */
export interface Challenge {
  /** Where the metadata of the protected resource stand. */
  readonly resourceMetadata?: string;
  readonly scope?: string;
  readonly error?: string;
  /** It takes tokens that are bound to a key (DPoP). */
  readonly isBound?: true;
}
const param = /([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g;

/** Of its first Bearer or DPoP challenge; empty where there is none. */
export function challengeIn(header: string | undefined): Challenge {
  const start = header?.search(/(?:^|,\s*)(?:bearer|dpop)(?:\s|$)/i) ?? -1;
  if (header === undefined || start < 0) return {};
  const said = header.slice(start).slice(0, 8_192);
  const found = new Map<string, string>();
  for (const [, name = '', quoted, plain] of said.matchAll(param)) {
    const key = name.toLowerCase();
    if (!found.has(key)) found.set(key, quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '');
  }
  const [resourceMetadata, scope, error] = ['resource_metadata', 'scope', 'error'].map((key) =>
    found.get(key),
  );
  return {
    ...(resourceMetadata !== undefined && URL.canParse(resourceMetadata) && { resourceMetadata }),
    ...(scope !== undefined && scope.trim() !== '' && { scope: scope.trim() }),
    ...(error !== undefined && { error }),
    ...(/(?:^|,\s*)dpop(?:\s|$)/i.test(said) && { isBound: true }),
  };
}
