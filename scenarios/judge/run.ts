import PQueue from 'p-queue';
import { helloOf, settle, type Cases, type Cell, type Players } from './judge.ts';
import type { Report } from './report.ts';

export interface JudgeOptions {
  /** Played at once; most cases wait for something. */
  readonly atOnce: number;
  readonly onHello?: (host: Report['host']) => void;
  readonly onCell?: (name: string, cell: Cell) => void;
}

/** Rejects with a `DriverError` when the driver is at fault; all that was started has ended by then. */
export async function judgeAll(players: Players, cases: Cases, options: JudgeOptions): Promise<Report> {
  const { name, version, can } = await helloOf(players);
  const host = { name, version, can };
  options.onHello?.(host);
  const stop = new AbortController();
  const signal = players.signal ? AbortSignal.any([players.signal, stop.signal]) : stop.signal;
  const queue = new PQueue({ concurrency: options.atOnce });
  const found = new Map<string, Cell>();
  const played = Object.entries(cases).map(([title, one]) =>
    queue.add(async () => {
      const cell = await settle({ ...players, signal }, one);
      found.set(title, cell);
      options.onCell?.(title, cell);
    }),
  );
  // One that fails ends the others, which end what they have started.
  for (const each of played) each.catch((error: unknown) => stop.abort(error));
  await Promise.allSettled(played);
  signal.throwIfAborted();
  return {
    host,
    date: new Date().toISOString().slice(0, 10),
    platform: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
    cells: Object.fromEntries(Object.keys(cases).map((title) => [title, found.get(title) as Cell])),
  };
}
