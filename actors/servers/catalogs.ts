/** Lists of servers as hosts see them, and the lists of the last run on disk. */
import type { Directory, Root } from '../runtime/directory.ts';
import type {
  CatalogStatus,
  ListedServer,
  ServerPrompts,
  ServerResources,
  ServerStatus,
} from './server-handle.ts';
import { encode } from '../../adapters/mcp/messages/codec.ts';
import { keep, readCached } from '../../adapters/storage/catalogs.ts';
import { systemClock } from '../../adapters/clock.ts';
import type { CatalogNews } from '../../machines/catalog/catalog.machine.ts';
import type { CatalogContext } from '../../machines/catalog/catalog.rules.ts';
import {
  catalogLists,
  type CatalogList,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Lists,
} from '../../machines/catalog/entries.ts';
import { offeredTools } from '../../machines/catalog/tool-table.ts';
import type { ToolEntry } from '../../machines/catalog/tool.ts';
import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import { tableOf } from '../../machines/computer/computer.rules.ts';
import { keyOf } from '../../machines/kernel/effects.ts';
import { remembered } from '../../machines/kernel/objects.ts';

interface Snapshot {
  readonly value: unknown;
  readonly context: CatalogContext;
}
function stateOf({ value, context: { awaits, standing } }: Snapshot): CatalogStatus['state'] {
  if (value === 'asking') return awaits === 'first' ? 'connecting' : 'refreshing';
  const { between } = value as { readonly between?: unknown };
  if (between === 'waiting') return standing === 'withdrawn' ? 'withdrawn' : 'failing';
  return between === undefined ? 'standby' : 'ready';
}

export function catalogsOf(directory: Directory): CatalogStatus[] {
  const catalogs = [...directory.roots].filter(({ kind }) => kind === 'catalog');
  return catalogs.map(({ ref }) => {
    const snapshot = ref.getSnapshot() as unknown as Snapshot;
    const { context: c } = snapshot;
    return {
      server: c.server,
      list: c.list,
      state: stateOf(snapshot),
      revision: c.revision,
      entries: c.entries.length,
      failures: c.failures,
    };
  });
}

/** Its first read has its own time limit. Resolves at the end of the list, too. */
const listedFirst = (ref: Root['ref']): Promise<Snapshot> =>
  new Promise((resolve) => {
    const now = (): Snapshot => ref.getSnapshot();
    if (stateOf(now()) !== 'connecting') return resolve(now());
    const over = (): void => {
      following.unsubscribe();
      resolve(now());
    };
    const next = (): void => void (stateOf(now()) === 'connecting' || over());
    const following = ref.subscribe({ next, complete: over, error: over });
  });
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

/** The same entry gives the same object, because clients list often. */
const encoded = remembered(encode);
const offeredAs = remembered(({ shown, server, tool, renamed }: ToolEntry): ListedServer['tools'][number] => {
  const entry = encoded(tool) as { readonly description?: string };
  const told = renamed ? { description: `[${server}] ${entry.description ?? ''}`.trimEnd() } : {};
  const isSame = shown === tool.name && !renamed;
  return {
    name: shown,
    original: tool.name,
    entry: isSame ? { ...entry } : { ...entry, ...told, name: shown },
  };
});
export interface KnownLists {
  readonly server: string;
  /** Of the last run, or news of this one. */
  readonly lists: Lists | null;
}
type Listing = Pick<ComputerContext, 'servers' | 'catalogs' | 'stages' | 'table'>;
const catalogIn = (
  { stages }: Listing,
  directory: Directory,
  server: string,
  list: CatalogList,
): CatalogContext | 'undeclared' | undefined => {
  const root = directory.find(`computer/client:${keyOf(server)}/catalog:${list}`);
  if (root) return (root.ref.getSnapshot() as unknown as Snapshot).context;
  // A server that is ready has no machine for a list that it does not declare.
  return stages[server] === 'ready' ? 'undeclared' : undefined;
};
/** All lists of a server, as it has given them in its present session; undefined until then. */
export function listsRead(context: Listing, directory: Directory, server: string): Lists | undefined {
  if (context.stages[server] !== 'ready') return undefined;
  const read = catalogLists.map((list): [CatalogList, CatalogContext | 'undeclared' | undefined] => [
    list,
    catalogIn(context, directory, server, list),
  ]);
  const isRead = read.every(
    ([, c]) => c === 'undeclared' || (c && c.awaits !== 'first' && c.awaits !== 'lost' && c.failure === null),
  );
  if (!isRead) return undefined;
  return Object.fromEntries(read.map(([list, c]) => [list, typeof c === 'object' ? c.entries : []]));
}
export function listedOf(
  context: Listing,
  directory: Directory,
  known: readonly KnownLists[],
): readonly ListedServer[] {
  const now = ({ server }: KnownLists, list: CatalogList): readonly object[] | undefined => {
    const c = catalogIn(context, directory, server, list);
    if (c === 'undeclared') return [];
    const isRead = c && (c.revision > 0 || (c.awaits !== 'first' && c.failure === null));
    return isRead ? c.entries : undefined;
  };
  const unread = known.flatMap((each) =>
    each.lists?.tools && !Object.hasOwn(context.catalogs, each.server) && !now(each, 'tools')
      ? [[each.server, each.lists.tools] as const]
      : [],
  );
  const catalogs = { ...context.catalogs, ...Object.fromEntries(unread) };
  const table = unread.length > 0 ? tableOf({ ...context, catalogs }, context.table) : context.table;
  return known.map((each) => {
    const { server, lists } = each;
    const entriesOf = (list: CatalogList): readonly object[] | undefined => now(each, list) ?? lists?.[list];
    const of = (list: CatalogList): readonly object[] =>
      (entriesOf(list) ?? []).map((entry) => encoded(entry));
    return {
      server,
      unread: catalogLists.filter((list) => entriesOf(list) === undefined),
      tools: offeredTools(table, (name) => name === server).map(offeredAs),
      resources: of('resources'),
      resourceTemplates: of('resourceTemplates'),
      prompts: of('prompts'),
    };
  });
}

/** Delay in ms before lists are written, so that lists which change often are written once. */
const quietMs = 1_000;

/** For servers that start only when they are needed. `close` writes the remaining lists. */
export class CachedCatalogs {
  readonly #stateDir: string | undefined;
  readonly #notice: (text: string) => void;
  /** Lists that are not written yet, by fingerprint. */
  readonly #due = new Map<string, Lists>();
  /** Lists given once: one that is too large to keep is not tried at each look. */
  readonly #kept = new WeakSet<object>();
  #timer: unknown;
  #writing: Promise<void> = Promise.resolve();

  /** Without a folder nothing is kept. */
  constructor(stateDir: string | undefined, notice: (text: string) => void) {
    this.#stateDir = stateDir;
    this.#notice = notice;
  }
  async of(fingerprint: string): Promise<Lists | null> {
    if (this.#stateDir === undefined) return null;
    const cached = await readCached(this.#stateDir, fingerprint);
    const due = this.#due.get(fingerprint);
    return cached || due ? { ...cached?.lists, ...due } : null;
  }
  /** Also keeps what no news told of: lists that were empty, or as under another config. */
  complete(fingerprint: string, known: Lists | null, read: Lists): void {
    const others = catalogLists.filter((list) => {
      const { [list]: entries = [] } = read;
      const isTold = known?.[list] && (known[list].length === 0 || entries.length > 0);
      return !isTold && !this.#kept.has(entries);
    });
    for (const list of others) this.#kept.add(read[list] ?? []);
    if (others.length > 0)
      this.#keep(fingerprint, Object.fromEntries(others.map((list) => [list, read[list]])));
  }
  /** Ignores a list that was withdrawn because it could not be read. */
  hear(fingerprint: string, { list, entries, isWithdrawn }: CatalogNews): void {
    if (!isWithdrawn) this.#keep(fingerprint, { [list]: entries });
  }
  #keep(fingerprint: string, lists: Lists): void {
    if (this.#stateDir === undefined) return;
    this.#due.set(fingerprint, { ...this.#due.get(fingerprint), ...lists });
    this.#timer ??= systemClock.setTimeout(() => this.#write(), quietMs);
  }
  #write(): void {
    systemClock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const { due, dir } = { due: [...this.#due], dir: this.#stateDir };
    if (dir === undefined) return;
    this.#writing = this.#writing.then(async () => {
      for (const [fingerprint, lists] of due) {
        const done = await keep(dir, fingerprint, (await this.of(fingerprint)) ?? lists);
        if (this.#due.get(fingerprint) === lists) this.#due.delete(fingerprint);
        if (!done.cached) this.#notice(`a list of tools was not kept for the next start: ${done.because}`);
      }
    });
  }
  async close(): Promise<void> {
    this.#write();
    await this.#writing;
  }
}
