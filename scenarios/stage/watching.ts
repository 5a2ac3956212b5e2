/** Helpers with which scenarios inspect the harness. */
import type { CatalogContext } from '../../machines/catalog/catalog.rules.ts';
import {
  lastChangeOf,
  type LastChange,
  type CatalogList,
  type Tool,
} from '../../machines/catalog/entries.ts';
import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import type { Capabilities } from '../../machines/kernel/ports.ts';
import { toolOf } from './scripted/script.ts';
import type { Harness } from './harness.ts';

export const hello = { content: [{ type: 'text', text: 'hello' }] };
export const client = 'computer/client:fs';
export const fsProcess = `${client}/process`;
/** Capabilities of a server that declares everything and announces changes. */
export const everything: Capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: true,
  logging: true,
};
/** Tools of the last good run, kept by the client. */
export const kept = (...names: readonly string[]): { readonly tools: readonly Tool[] } => ({
  tools: names.map(toolOf),
});

/** Returns the stages of a server as its host heard of them, with repetitions in a row merged. */
export function stagesOf(s: Harness, server = 'fs'): string[] {
  const all = s.heard('computer', 'client.changed').filter((e) => e.server === server);
  return all.map((e) => String(e.stage)).filter((stage, i, told) => stage !== told[i - 1]);
}
/** Returns the times in ms at which a request of this method went to a session of the server. */
export const asksOf = (s: Harness, method: string, server = 'fs'): number[] =>
  s.seen.flatMap(({ at, record: r }) =>
    r.k === 'out' &&
    r.ev.type === 'ask' &&
    (r.ev as { method?: string }).method === method &&
    [`/client:${server}/`, `/client:${server}#`].some((part) => r.a.includes(part))
      ? [at]
      : [],
  );
/**
 * Returns the times in ms at which processes (by default) or sessions of a server were opened; of all servers without
 * a name.
 */
export const opensOf = (s: Harness, server?: string, port: 'process' | 'session' = 'process'): number[] =>
  s.seen.flatMap(({ at, record: r }) =>
    r.k === 'out' &&
    r.port === port &&
    r.ev.type === 'leaf.open' &&
    (server === undefined || (r.ev as unknown as { input: { server: string } }).input.server === server)
      ? [at]
      : [],
  );
export const contextOf = <T>(s: Harness, address: string): T | undefined =>
  (s.directory.find(address)?.ref.getSnapshot() as { context: T } | undefined)?.context;
export const catalogOf = (
  s: Harness,
  server = 'fs',
  list: CatalogList = 'tools',
): CatalogContext | undefined => contextOf(s, `computer/client:${server}/catalog:${list}`);
/** Returns the last state of one entry of a list, with its reason. */
export function lastOf(
  s: Harness,
  key: string,
  server = 'fs',
  list: CatalogList = 'tools',
): LastChange | undefined {
  const catalog = catalogOf(s, server, list);
  return catalog && lastChangeOf(catalog.history, key);
}
/** Returns the names of the tools that agents are shown. */
export const offeredBy = (s: Harness): string[] =>
  contextOf<ComputerContext>(s, 'computer')?.offered.map(({ name }) => name) ?? [];
/** Returns the changes of the tools that the host heard of: `+read`, `-read`. */
export const toldOf = (s: Harness): string[] =>
  s
    .heard('computer', 'tools.changed')
    .flatMap((e) => [
      ...e.added.map((name: string) => `+${name}`),
      ...e.removed.map((name: string) => `-${name}`),
    ]);
/** Returns the times in ms at which the link sent this event to the office. */
export const announcedBy = (s: Harness, event = 'server:update_tool_list'): number[] =>
  s.seen.flatMap(({ at, record: r }) =>
    r.k === 'out' && r.ev.type === 'link.announce' && (r.ev as { event?: string }).event === event
      ? [at]
      : [],
  );
/** Advances time until the condition holds; fails when it never does. */
export async function until(s: Harness, isSo: () => boolean, limitMs = 60_000): Promise<void> {
  if (!(await s.until(isSo, limitMs))) throw new Error(`${String(isSo)} never became so`);
}
/** Advances time until a machine is in a state whose path contains this text. */
export const meets = (s: Harness, address: string, state: string): Promise<void> =>
  until(s, () => s.state(address)?.includes(state) === true);
export const order = (s: Harness, type: 'server.start' | 'server.stop', server = 'fs'): void =>
  s.order('computer', { type, server });
/** Starts office, computer and agent and waits until all have joined. */
export async function everybody(s: Harness): Promise<void> {
  await s.office();
  s.computer({ linked: true });
  s.agent();
  await s.run(100);
}
/** Builds a script for each start with a call counter of its own. */
export const counting = <T>(make: (n: number) => T): (() => T) => {
  let n = 0;
  return () => make((n += 1));
};
