import type { Changes } from './changes.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from './entries.ts';

/** One of the lists that a server may have. */
export type CatalogList = 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
export const catalogLists = ['tools', 'resources', 'resourceTemplates', 'prompts'] as const;
export type Entry = Tool | Resource | ResourceTemplate | Prompt;

const keys: Readonly<Record<CatalogList, string>> = {
  tools: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
  prompts: 'name',
};
/** What tells an entry from the others of its list. */
export const keyOfEntry = (list: CatalogList, entry: Entry): string =>
  String((entry as unknown as Readonly<Record<string, unknown>>)[keys[list]]);
export const isNoChange = ({ added, removed, changed }: Changes): boolean =>
  added.length + removed.length + changed.length === 0;
