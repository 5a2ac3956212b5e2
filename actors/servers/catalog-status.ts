import {
  lastChangeOf,
  type CatalogList,
  type History,
  type Prompt,
  type Resource,
  type ResourceTemplate,
} from '../../machines/catalog/index.ts';
import { keyOf } from '../../machines/kernel/address.ts';
import type { CatalogStatus, ServerPrompts, ServerResources, ServerStatus } from './server-handle.ts';
import type { Directory } from '../runtime/directory.ts';
import type { Root } from '../runtime/root.ts';

interface Snapshot {
  readonly value: unknown;
  readonly context: {
    readonly server: string;
    readonly list: CatalogList;
    readonly entries: readonly object[];
    readonly revision: number;
    readonly failures: number;
    readonly history: History;
    readonly failure: { readonly message: string } | null;
  };
}
const stateOf = (value: unknown): CatalogStatus['state'] =>
  (typeof value === 'string' ? value : Object.keys(value as object)[0]) as CatalogStatus['state'];

/** Where each list of each server stands, and why each of its entries last changed; read from the machines. */
export function catalogsOf(directory: Directory, times: ReadonlyMap<string, number>): CatalogStatus[] {
  const catalogs = [...directory.roots].filter(({ kind }) => kind === 'catalog');
  return catalogs.map(({ ref }) => {
    const { value, context: c } = ref.getSnapshot() as unknown as Snapshot;
    const keys = [...Object.keys(c.history.present), ...c.history.gone.map(({ key }) => key)];
    const changes = keys.flatMap((key) => {
      const last = lastChangeOf(c.history, key);
      if (!last) return [];
      // What went with its server has no revision of its own.
      const at = times.get(`${c.server}/${c.list}@${last.revision}`);
      const left = last.change === 'removed' ? times.get(c.server) : undefined;
      const ms = Math.max(at ?? 0, left ?? 0);
      return [{ key, ...last, ...(ms > 0 && { at: new Date(ms).toISOString() }) }];
    });
    return {
      server: c.server,
      list: c.list,
      state: stateOf(value),
      revision: c.revision,
      entries: c.entries.length,
      failures: c.failures,
      changes,
    };
  });
}

/** Once it has been asked for the first time, which has a time limit of its own, or has ended. */
const listedFirst = (ref: Root['ref']): Promise<Snapshot> =>
  new Promise((resolve) => {
    if (!ref.getSnapshot().matches('connecting')) return resolve(ref.getSnapshot());
    const over = (): void => {
      following.unsubscribe();
      resolve(ref.getSnapshot());
    };
    const next = (): void => void (ref.getSnapshot().matches('connecting') || over());
    const following = ref.subscribe({ next, complete: over, error: over });
  });
/** What a server lists, once its first answer is there; of one that has no such list: nothing. */
async function listOf<T>(
  directory: Directory,
  server: string,
  list: CatalogList,
): Promise<{ readonly entries: readonly T[]; readonly failure: string | null }> {
  const root = directory.find(`computer/client:${keyOf(server)}/catalog:${list}`);
  const none = { entries: [], failure: null };
  if (!root) return none;
  const { entries, failure } = (await listedFirst(root.ref)).context;
  return { entries: entries as readonly unknown[] as readonly T[], failure: failure?.message ?? null };
}
const whyNot = ({ state, reason }: ServerStatus): string | null =>
  state === 'ready' ? null : (reason ?? `it is ${state}`);

export const resourcesOf = (
  directory: Directory,
  servers: readonly ServerStatus[],
): Promise<readonly ServerResources[]> =>
  Promise.all(
    servers.map(async (status) => {
      const { name } = status;
      const [resources, templates] = await Promise.all([
        listOf<Resource>(directory, name, 'resources'),
        listOf<ResourceTemplate>(directory, name, 'resourceTemplates'),
      ]);
      const failure = whyNot(status) ?? resources.failure ?? templates.failure;
      return { server: name, resources: resources.entries, templates: templates.entries, failure };
    }),
  );
export const promptsOf = (
  directory: Directory,
  servers: readonly ServerStatus[],
): Promise<readonly ServerPrompts[]> =>
  Promise.all(
    servers.map(async (status) => {
      const { entries, failure } = await listOf<Prompt>(directory, status.name, 'prompts');
      return { server: status.name, prompts: entries, failure: whyNot(status) ?? failure };
    }),
  );
