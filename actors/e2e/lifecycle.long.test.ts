import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../scenarios/fixtures/${name}`, import.meta.url));
const [server, living] = [fixture('shutdown-server.mjs'), fixture('living-processes.mjs')];
const mark = crypto.randomUUID();

/** A thousand are those of `soak.long.test.ts`. */
const rounds = 3;
const servers = Array.from({ length: 10 }, (_, i) => i);

/** Half behind a shell that stays their leader, half deaf to SIGTERM, all four combinations. */
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

/** Timers, sockets, pipes, processes: everything that keeps Node from ending, one word each. */
function held(): Record<string, number> {
  const counts: Record<string, number> = { fd: readdirSync('/proc/self/fd').length };
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
/** Starts ten servers, sees them live, ends them. Answers the groups that they led. */
async function startAndStop(round: number): Promise<Set<number>> {
  const computer = await bootedComputer({ config: configOf(round), timing: { bootMs: 60_000 } });
  const ready = computer.servers().filter((s) => s.state === 'ready');
  const alive = look();
  await computer.close();
  expect(ready).toHaveLength(servers.length);
  // Five of them have a shell above them.
  expect(alive).toHaveLength(servers.length * 1.5);
  return new Set(alive.map(({ pgid }) => pgid));
}

it(
  'thirty starts and stops leave no process of any group, no descriptor, no timer and no handle',
  { timeout: 300_000 },
  async () => {
    // What Node opens once, at its first child, is no growth.
    await startAndStop(0);
    const before = held();
    const groups = new Set<number>();
    for (let round = 0; round < rounds; round++)
      for (const pgid of await startAndStop(round)) groups.add(pgid);
    expect(groups.size).toBe(rounds * servers.length);
    expect(look(groups)).toEqual([]);
    // Of what the first one left some is closed by now. Node closes pipes a moment after their process is gone.
    const more = () => Object.entries(held()).filter(([kind, count]) => count > (before[kind] ?? 0));
    await expect.poll(more, { timeout: 60_000 }).toEqual([]);
  },
);
