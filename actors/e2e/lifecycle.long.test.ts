import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../scenarios/fixtures/${name}`, import.meta.url));
const [server, living] = [fixture('shutdown-server.mjs'), fixture('living-processes.mjs')];
const mark = crypto.randomUUID();

/** Number of rounds; `soak.full.test.ts` runs a thousand. */
const rounds = 3;
const servers = Array.from({ length: 10 }, (_, i) => i);

/** Config of ten servers in all four combinations: with or without a shell as parent, and with or without a reaction to SIGTERM. */
function configOf(round: number): object {
  const entries = servers.map((i) => {
    const isWrapped = i % 2 === 0;
    const manners = (Math.floor(i / 2) + round) % 2 === 0 ? 'stubborn' : 'polite';
    const words = [process.execPath, server, manners];
    return [
      `s${i}`,
      isWrapped
        ? { command: 'sh', args: ['-c', '"$0" "$@"; true', ...words], env: { MARK: mark } }
        : { command: words[0], args: words.slice(1), env: { MARK: mark } },
    ];
  });
  return {
    mcpServers: Object.fromEntries(entries),
    a2c: { timeouts: { stdinGraceMs: 30, termGraceMs: 60 } },
  };
}
const look = (pgids: Iterable<number> = []): { pid: number; pgid: number }[] =>
  JSON.parse(
    execFileSync(process.execPath, [living, mark, '0', ...[...pgids].map(String)], { encoding: 'utf8' }),
  );

/** Counts everything that keeps Node from exiting (timers, sockets, pipes, processes) by kind. */
function held(): Record<string, number> {
  const counts: Record<string, number> = { fd: readdirSync('/proc/self/fd').length };
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
/** Starts ten servers, checks that they live, ends them, and returns the ids of their process groups. */
async function startAndStop(round: number): Promise<Set<number>> {
  const computer = await bootedComputer({ config: foreign(configOf(round)), timing: { bootMs: 60_000 } });
  const ready = computer.status().servers.filter((s) => s.state === 'ready');
  const alive = look();
  await computer.close();
  expect(ready).toHaveLength(servers.length);
  // Five of the ten servers have a shell as an additional process.
  expect(alive).toHaveLength(servers.length * 1.5);
  return new Set(alive.map(({ pgid }) => pgid));
}

it(
  'thirty starts and stops leave no process of any group, no descriptor, no timer and no handle',
  { timeout: 300_000 },
  async () => {
    // The first round opens handles that Node keeps for good, so the count begins after it.
    await startAndStop(0);
    const before = held();
    const groups = new Set<number>();
    for (let round = 0; round < rounds; round++)
      for (const pgid of await startAndStop(round)) groups.add(pgid);
    expect(groups.size).toBe(rounds * servers.length);
    expect(look(groups)).toEqual([]);
    // Handles of the first round may be closed by now, so only growth counts. Node closes pipes a moment after their process ends.
    const more = () => Object.entries(held()).filter(([kind, count]) => count > (before[kind] ?? 0));
    // Turns of the event loop, because a timer of a wait is itself one more handle.
    for (const until = performance.now() + 60_000; more().length > 0 && performance.now() < until;)
      await new Promise((resolve) => void setImmediate(resolve));
    expect(more()).toEqual([]);
  },
);
