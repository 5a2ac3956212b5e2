/** Reads a config. Throws a refusal with advice at the first mistake. */
export function readConfig(
  text: string,
  asked?: object,
): {
  readonly base: { readonly faults: readonly object[] };
  readonly later: readonly object[];
  readonly http: { readonly port: number; readonly kind: 'streamable' | 'sse' } | undefined;
};
