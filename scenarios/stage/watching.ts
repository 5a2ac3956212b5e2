import { catalogsOf } from '../../actors/servers/catalogs.ts';
import type { CatalogStatus } from '../../actors/servers/server-handle.ts';
import type { CatalogList, Tool } from '../../machines/catalog/entries.ts';
import type { ComputerContext } from '../../machines/computer/computer.machine.ts';
import type { Capabilities } from '../../machines/ports/session.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import type { PortRequest } from '../../machines/kernel/effects.ts';
import { toolOf } from './scripted/script.ts';
import { observe, type ServerSeen } from './plan/observations.ts';
import type { Harness, HarnessOptions } from './harness.ts';

export const hello = { content: [{ type: 'text', text: 'hello' }] };
export const client = 'computer/client:fs';
export const everything: Capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: true,
  logging: true,
};
export const kept = (...names: readonly string[]): { readonly tools: readonly Tool[] } => ({
  tools: names.map(toolOf),
});

/** As its host heard of them, with repetitions in a row merged. */
export function stagesOf(s: Harness, server = 'fs'): string[] {
  const all = s.heard('computer', 'client.changed').filter((e) => e.server === server);
  return all.map((e) => String(e.stage)).filter((stage, i, told) => stage !== told[i - 1]);
}
type Seen = Pick<Harness, 'seen'>;
export const asksOf = (s: Seen, method: string, server = 'fs'): number[] =>
  s.seen.flatMap(({ at, record: r }) =>
    r.k === 'out' &&
    r.ev.type === 'ask' &&
    (r.ev as { method?: string }).method === method &&
    [`/client:${server}/`, `/client:${server}#`].some((part) => r.a.includes(part))
      ? [at]
      : [],
  );
/** Times in ms; of all servers without a name. */
export const opensOf = (s: Seen, server?: string, port: 'process' | 'session' = 'process'): number[] =>
  s.seen.flatMap(({ at, record: r }) =>
    r.k === 'out' &&
    r.port === port &&
    r.ev.type === 'leaf.open' &&
    (server === undefined || (r.ev as unknown as { input: { server: string } }).input.server === server)
      ? [at]
      : [],
  );
export const catalogOf = (
  s: Harness,
  server = 'fs',
  list: CatalogList = 'tools',
): CatalogStatus | undefined =>
  catalogsOf(s.directory).find((each) => each.server === server && each.list === list);
export const offeredBy = (s: Harness): string[] => {
  const snapshot = s.directory.find('computer')?.ref.getSnapshot() as
    | { context: ComputerContext }
    | undefined;
  return snapshot?.context.offered.map(({ name }) => name) ?? [];
};
/** As the host heard of them: `+read`, `-read`. */
export const toldOf = (s: Harness): string[] =>
  s
    .heard('computer', 'tools.changed')
    .flatMap((e) => [
      ...e.added.map((name: string) => `+${name}`),
      ...e.removed.map((name: string) => `-${name}`),
    ]);
export const announcedBy = (s: Harness, event = 'server:update_tool_list'): number[] =>
  s.seen.flatMap(({ at, record: r }) =>
    r.k === 'out' && r.ev.type === 'link.announce' && (r.ev as { event?: string }).event === event
      ? [at]
      : [],
  );
/** Fails when the condition never holds. */
export async function until(s: Harness, isSo: () => boolean, limitMs = 60_000): Promise<void> {
  if (!(await s.until(isSo, limitMs))) throw new Error(`${String(isSo)} never became so`);
}
/** As its host heard last; undefined when it heard of none. */
export const stageOf = (s: Harness, server = 'fs'): string | undefined =>
  s.news.findLast(({ event: e }) => e.type === 'client.changed' && e['server'] === server)?.event['stage'];
/** After so many ms. */
export const stageAfter = async (s: Harness, ms: number, server = 'fs'): Promise<unknown> => {
  await s.run(ms);
  return stageOf(s, server);
};
/** As its host heard last; undefined while the computer boots. */
export const computerStage = (s: Harness): string | undefined =>
  s.heard('computer', 'computer.changed').at(-1)?.['stage'];
export const linkStage = (s: Harness, who = 'computer'): string | undefined =>
  s.heard(who, 'link.changed').at(-1)?.['stage'];
/** Tells `connecting` apart by what was opened or asked: `queued`, `launching`, `handshaking`, `listing`. */
export function stepOf(s: Harness, server = 'fs'): string | undefined {
  const last = s.news.findLast(({ event: e }) => e.type === 'client.changed' && e['server'] === server);
  if (last?.event['stage'] !== 'connecting') return last?.event['stage'];
  const since = { seen: s.seen.filter(({ at }) => at >= last.at) };
  if (asksOf(since, 'tools/list', server).length > 0) return 'listing';
  if (opensOf(since, server, 'session').length > 0) return 'handshaking';
  return opensOf(since, server).length > 0 ? 'launching' : 'queued';
}
export const reaches = (s: Harness, step: string, server = 'fs'): Promise<void> =>
  until(s, () => stepOf(s, server) === step);
export const seenOf = (s: Harness, server = 'fs'): ServerSeen => observe(s.seen).server(server);
/** `stdin`, `SIGTERM`, `SIGKILL`, `force`. */
export const signalsTo = (s: Harness, server = 'fs'): string[] =>
  seenOf(s, server).signals.map(({ name }) => name);
export const order = (s: Harness, type: 'server.start' | 'server.stop', server = 'fs'): void =>
  s.order('computer', { type, server });
/** Waits until its host hears of it, and with `recovering` until its process was told to end. */
export function breaks(s: Harness, state: 'disconnected' | 'recovering', server = 'fs'): Promise<void> {
  s.servers.breakStream(server);
  const isTold = state === 'disconnected';
  return until(s, () => stageOf(s, server) === 'recovering' && (isTold || signalsTo(s, server).length > 0));
}
/** Refuses a kind of questions of machines to their ports. */
export const refusing =
  (
    isIt: (asked: PortRequest) => boolean,
    failure: Failure,
    sent = true,
  ): NonNullable<HarnessOptions['mend']> =>
  (ports) => ({
    ...ports,
    request: (from, asked, emit) => {
      if (!isIt(asked)) return ports.request(from, asked, emit);
      emit({ type: 'ask.refused', id: asked.id, sent, failure });
      return () => {};
    },
  });
/** What was asked or called, so many ms later. */
export async function after<T>(s: Harness, ms: number, asked: T): Promise<T> {
  await s.run(ms);
  return asked;
}
export async function everybody(s: Harness, ms = 100): Promise<void> {
  await s.office();
  s.computer({ linked: true });
  s.agent();
  await s.run(ms);
}
/** Each start has a call counter of its own. */
export const counting = <T>(make: (n: number) => T): (() => T) => {
  let n = 0;
  return () => make((n += 1));
};
