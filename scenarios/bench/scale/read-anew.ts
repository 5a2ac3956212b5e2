import { redisRegister } from '../../../adapters/index.ts';
import type { Holder, Told, Wanted } from '../../../machines/office/rooms/register.ts';
import { RemoteSeats } from '../../../adapters/connections/nodes/remote-seats.ts';

/** What it costs a node to read all seats of the other nodes anew. */
export interface ReadAnew {
  readonly seats: number;
  /** Of claiming one, client and Redis. */
  readonly claimUs: number;
  readonly cpuMs: number;
  /** So long nothing else ran in the process. */
  readonly longestBlockMs: number;
  readonly heapKb: number;
}
const leaseMs = 600_000;
/** So many claims wait for their answer. */
const atOnce = 500;
const answered = <T>(ask: (told: Told<T>) => void): Promise<T> =>
  new Promise((resolve, reject) =>
    ask((answer) => (answer === undefined ? reject(new Error('Redis did not answer')) : resolve(answer))),
  );
const wanted = (n: number): Wanted => ({
  socket: `socket ${n}`,
  seat: { office: `office ${Math.floor(n / 10)}`, role: n % 10 ? 'computer' : 'agent', name: `name ${n}` },
  minAgeMs: 0,
});

/** Fills the Redis of this URL with so many seats of one node, and reads them at another. */
export async function readAnew(url: string, counts: readonly number[]): Promise<readonly ReadAnew[]> {
  const [a, b] = [await redisRegister({ place: url, leaseMs }), await redisRegister({ place: url, leaseMs })];
  try {
    for (const node of [a, b]) await answered((told) => node.renew(told));
    const found: ReadAnew[] = [];
    const claimed = { count: 0 };
    for (const seats of counts) {
      const since = performance.now();
      const more = seats - claimed.count;
      for (let left = more; left > 0; left -= atOnce) {
        const some = Array.from({ length: Math.min(atOnce, left) }, () => wanted(claimed.count++));
        await Promise.all(some.map((one) => answered((told) => a.claim(one, told))));
      }
      const claimUs = ((performance.now() - since) / more) * 1_000;
      const read = (): Promise<readonly Holder[]> => answered((told) => b.seats(told));
      found.push({ seats, claimUs, ...(await costOf(read)) });
    }
    return found;
  } finally {
    for (const node of [a, b]) await node.close();
  }
}
async function costOf(read: () => Promise<readonly Holder[]>): Promise<Omit<ReadAnew, 'seats' | 'claimUs'>> {
  const remote = new RemoteSeats(() => {});
  globalThis.gc?.();
  const [heap, cpu] = [process.memoryUsage().heapUsed, process.cpuUsage()];
  let [last, longestBlockMs] = [performance.now(), 0];
  const look = (): void => {
    const now = performance.now();
    longestBlockMs = Math.max(longestBlockMs, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  const all = await read();
  for (const holder of all) remote.take(holder);
  look();
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const heapKb = (process.memoryUsage().heapUsed - heap) / remote.all().length / 1024;
  return { cpuMs: (user + system) / 1_000, longestBlockMs, heapKb };
}
