/** Throws on the first mistake, with a remedy. */
export function readConfig(text: string): {
  readonly base: { readonly faults: readonly object[] };
  readonly later: readonly object[];
};
