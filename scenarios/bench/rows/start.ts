import { performance } from 'node:perf_hooks';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createComputer } from '../../../actors/index.ts';
import { echoed, textOf } from '../chain.ts';
import { connected, echoTool, optionsOver, served, textFrom } from '../inside.ts';
import { collector, cpuMsOf, heapAfterGc, more, pairs, ratio, type Pair } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

const namesOf = (servers: number): string[] => Array.from({ length: servers }, (_, n) => `s${n}`);
const endOf = async (name: string, isMute: boolean): Promise<InMemoryTransport> =>
  isMute ? InMemoryTransport.createLinkedPair()[0] : (await served([echoTool(`${name}.echo`)])).end;

interface Standing {
  call(n: number): Promise<string>;
  close(): Promise<void>;
}
type Stand = (servers: number, isOneMute: boolean) => Promise<Standing>;

const byHand: Stand = async (servers, isOneMute) => {
  const names = namesOf(servers);
  const clients = new Map<string, Client>();
  const connect = async (name: string): Promise<void> =>
    void clients.set(name, await connected(await endOf(name, false)));
  if (isOneMute) {
    const mute = new Client({ name: 'bench', version: '1' });
    clients.set('s0', mute);
    mute.connect(await endOf('s0', true)).catch(() => {});
  }
  await Promise.all((isOneMute ? names.slice(1) : names).map(connect));
  return {
    call: async (n) => {
      const name = names[n % servers] ?? '';
      return echoed(
        await clients.get(name)?.callTool({ name: `${name}.echo`, arguments: { text: textOf(n) } }),
      );
    },
    close: async () => void (await Promise.all([...clients.values()].map((client) => client.close()))),
  };
};
const ours: Stand = async (servers, isOneMute) => {
  const names = namesOf(servers);
  const ready = new Set<string>();
  const wanted = servers - (isOneMute ? 1 : 0);
  let whole = (): void => {};
  const all = new Promise<void>((resolve) => (whole = resolve));
  const ends = Object.fromEntries(names.map((name, n) => [name, () => endOf(name, isOneMute && n === 0)]));
  const computer = await createComputer({
    ...optionsOver(ends),
    onEvent: (_, value) => {
      const { name, state } = value as { name?: string; state?: string };
      if (name === undefined || state !== 'ready') return;
      if (ready.add(name).size === wanted) whole();
    },
  });
  await all;
  return {
    call: (n) => textFrom(computer, `${names[n % servers]}.echo`, textOf(n)),
    close: () => computer.close(),
  };
};

const many = 50;
type Measure = (begin: () => Promise<void>) => Promise<number>;
const wallMsOf: Measure = async (begin) => {
  const start = performance.now();
  await begin();
  return performance.now() - start;
};
const started = (stand: Stand, isOneMute: boolean, by: Measure) => async (): Promise<number> => {
  const standing: Standing[] = [];
  const took = await by(async () => void standing.push(await stand(many, isOneMute)));
  for (const each of standing) {
    const text = await each.call(1);
    if (text !== textOf(1)) throw new Error(`a server answered: ${text.slice(0, 80)}`);
    await each.close();
  }
  return took;
};
export const measureStart: Row['measure'] = async ({ rounds, isQuick }, tell) => {
  const compared = async (isOneMute: boolean, by: Measure): Promise<Pair[]> => {
    const both = [started(byHand, isOneMute, by), started(ours, isOneMute, by)] as const;
    for (let n = 0; n < (isQuick ? 1 : 20); n += 1) for (const start of both) await start();
    return pairs(rounds * 2 - 1, ...both);
  };
  tell(ratio(`start of ${many} servers, CPU`, await compared(false, cpuMsOf), 'ms', atMost(2)));
  tell(
    ratio(`start of ${many - 1} beside a mute one, time`, await compared(true, wallMsOf), 'ms', atMost(4)),
  );
};

const idle = 200;
/** The server's own part is included. */
export const measureIdle: Row['measure'] = async ({ isQuick }, tell) => {
  const gc = collector();
  const held = (stand: Stand) => async (): Promise<number> => {
    const before = await heapAfterGc(gc);
    const standing = await stand(idle, false);
    const after = await heapAfterGc(gc);
    await standing.close();
    return (after - before) / idle / 1024;
  };
  const both = [held(byHand), held(ours)] as const;
  // The first start loads and compiles code, which is charged to no server.
  for (const each of both) await each();
  const found = await pairs(isQuick ? 1 : 3, ...both);
  tell(more('heap of an idle server, more than by hand', found, 'KB', atMost(200)));
};
