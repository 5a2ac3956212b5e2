/** Throws on the first mistake, with a remedy. */
export function readConfig(
  text: string,
  asked?: object,
): {
  readonly base: { readonly faults: readonly object[] };
  readonly later: readonly object[];
  readonly http: { readonly port: number; readonly kind: 'streamable' | 'sse' } | undefined;
};
