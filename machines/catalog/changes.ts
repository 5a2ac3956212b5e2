/** The lists that a server may have. */
export type CatalogList = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
export const catalogLists = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;
export type Entry = Readonly<Record<string, unknown>>;
export interface Changes {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}
export type History = Readonly<
  Record<string, { readonly change: keyof Changes; readonly revision: number; readonly why: string }>
>;
const keys: Readonly<Record<CatalogList, string>> = {
  tools: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
  prompts: 'name',
};
export const keyOfEntry = (list: CatalogList, entry: object): string => String((entry as Entry)[keys[list]]);
export const isNoChange = (c: Changes): boolean => c.added.length + c.removed.length + c.changed.length === 0;
export function changesOf<E extends object>(
  before: readonly E[],
  after: readonly E[],
  keyOf: (e: E) => string,
): Changes {
  const was = new Map(before.map((e) => [keyOf(e), JSON.stringify(e)]));
  const is = new Map(after.map((e) => [keyOf(e), JSON.stringify(e)]));
  return {
    added: [...is.keys()].filter((k) => !was.has(k)),
    removed: [...was.keys()].filter((k) => !is.has(k)),
    changed: [...is].filter(([k, v]) => was.has(k) && was.get(k) !== v).map(([k]) => k),
  };
}
export function remember(history: History, changes: Changes, revision: number, why: string): History {
  const next: Record<string, History[string]> = { ...history };
  for (const change of ['added', 'removed', 'changed'] as const)
    for (const key of changes[change]) next[key] = { change, revision, why };
  return next;
}
