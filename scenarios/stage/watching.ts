/** What scenarios in the harness look at again and again. */
import type { CatalogContext } from '../../machines/catalog/catalog.rules.ts';
import { lastChangeOf, type LastChange } from '../../machines/catalog/changes.ts';
import type { CatalogList, Tool } from '../../machines/catalog/entries.ts';
import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import type { Capabilities } from '../../machines/kernel/ports.ts';
import { toolOf } from './scripted/script.ts';
import type { Harness } from './harness.ts';

export const hello = { content: [{ type: 'text', text: 'hello' }] };
export const client = 'computer/client:fs';
export const fsProcess = `${client}/process`;
/** A server that declares everything, and says when it changes. */
export const everything: Capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: true,
  logging: true,
};
/** The tools of the last good run. */
export const kept = (...names: readonly string[]): { readonly tools: readonly Tool[] } => ({
  tools: names.map(toolOf),
});

/** Stages of a server as its host heard of them, each once until another comes. */
export function stagesOf(s: Harness, server = 'fs'): string[] {
  const all = s.heard('computer', 'client.changed').filter((e) => e.server === server);
  return all.map((e) => String(e.stage)).filter((stage, i, told) => stage !== told[i - 1]);
}
/** When a question of this method went out to a session of the server. */
export const asksOf = (s: Harness, method: string, server = 'fs'): number[] =>
  s.seen.flatMap(({ at, record: r }) =>
    r.k === 'out' &&
    r.ev.type === 'ask' &&
    (r.ev as { method?: string }).method === method &&
    [`/client:${server}/`, `/client:${server}#`].some((part) => r.a.includes(part))
      ? [at]
      : [],
  );
/** When a process (by default) or a session of a server was opened; of all servers without a name. */
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
/** What last became of one entry of a list, and why. */
export function lastOf(
  s: Harness,
  key: string,
  server = 'fs',
  list: CatalogList = 'tools',
): LastChange | undefined {
  const catalog = catalogOf(s, server, list);
  return catalog && lastChangeOf(catalog.history, key);
}
/** Names of the tools that agents are shown. */
export const offeredBy = (s: Harness): string[] =>
  contextOf<ComputerContext>(s, 'computer')?.offered.map(({ name }) => name) ?? [];
/** What the host heard of the tools: `+read`, `-read`. */
export const toldOf = (s: Harness): string[] =>
  s
    .heard('computer', 'tools.changed')
    .flatMap((e) => [
      ...e.added.map((name: string) => `+${name}`),
      ...e.removed.map((name: string) => `-${name}`),
    ]);
/** What the link told the office. */
export const announcedBy = (s: Harness, event = 'server:update_tool_list'): number[] =>
  s.seen.flatMap(({ at, record: r }) =>
    r.k === 'out' && r.ev.type === 'link.announce' && (r.ev as { event?: string }).event === event
      ? [at]
      : [],
  );
/** Time goes on until this is so; says so when it never is. */
export function until(s: Harness, isSo: () => boolean, limitMs = 60_000): void {
  const end = s.clock.now() + limitMs;
  while (!isSo()) if (!s.clock.step(end)) throw new Error(`${String(isSo)} never became so`);
}
/** Until a machine is in a state whose path contains this. */
export const meets = (s: Harness, address: string, state: string): void =>
  until(s, () => s.state(address)?.includes(state) === true);
export const order = (s: Harness, type: 'server.start' | 'server.stop', server = 'fs'): void =>
  s.order('computer', { type, server });
/** Office, computer and agent, all joined. */
export function everybody(s: Harness): void {
  s.office();
  s.computer({ linked: true });
  s.agent();
  s.run(100);
}
/** Until it is chosen otherwise: a new script for each start, with a count of its own. */
export const counting = <T>(make: (n: number) => T): (() => T) => {
  let n = 0;
  return () => make((n += 1));
};
