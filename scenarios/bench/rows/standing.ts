import { performance } from 'node:perf_hooks';
import type { Chain, Contender } from './chain.ts';
import { quantile } from '../measure.ts';
import { collector, heapAfterGc } from './weight.ts';

/** What servers inside the host cost before anybody calls them. */
export interface Stood {
  readonly group: string;
  readonly name: string;
  /** Medians: until all of `many` serve; until all but one do, which never answers. */
  readonly startMs: number | undefined;
  readonly besideMuteMs: number | undefined;
  /** Heap for each of `idle` servers, the server's own included. */
  readonly heldBytes: number | undefined;
}
export const many = 50;
const idle = 200;
const rounds = 9;

type Standing = readonly [Contender, Required<Pick<Chain, 'stand'>>];

/** In turns, like everything else: ratios survive what the machine does besides. */
export async function measureStanding(
  open: ReadonlyMap<Contender, Chain>,
  signal?: AbortSignal,
): Promise<Stood[]> {
  const all = [...open].flatMap(([contender, { stand }]): Standing[] =>
    stand ? [[contender, { stand }]] : [],
  );
  const times = new Map(
    all.map(([contender]) => [contender, { start: [] as number[], beside: [] as number[] }]),
  );
  for (let round = 0; round < rounds; round += 1)
    for (const [contender, chain] of round % 2 ? all : all.toReversed()) {
      signal?.throwIfAborted();
      if (contender.group !== 'lifecycle') continue;
      times.get(contender)?.start.push(await msOf(chain, false));
      times.get(contender)?.beside.push(await msOf(chain, true));
    }
  const stood: Stood[] = [];
  for (const [contender, chain] of all) {
    signal?.throwIfAborted();
    const { group, name } = contender;
    const { start = [], beside = [] } = times.get(contender) ?? {};
    const heldBytes = group === 'memory' ? await bytesOf(chain) : undefined;
    const mid = (values: readonly number[]): number | undefined =>
      values.length === 0 ? undefined : quantile(values, 0.5);
    stood.push({ group, name, startMs: mid(start), besideMuteMs: mid(beside), heldBytes });
  }
  return stood;
}

async function msOf({ stand }: Standing[1], isOneMute: boolean): Promise<number> {
  const start = performance.now();
  const standing = await stand(many, isOneMute);
  const tookMs = performance.now() - start;
  await standing.close();
  return tookMs;
}
/** The second time: what is loaded and compiled with the first server is no server's. */
async function bytesOf({ stand }: Standing[1]): Promise<number> {
  const gc = collector();
  await (await stand(idle, false)).close();
  const before = await heapAfterGc(gc);
  const standing = await stand(idle, false);
  const held = await heapAfterGc(gc);
  await standing.close();
  return (held - before) / idle;
}
