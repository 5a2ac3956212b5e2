import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { RedisServer } from '../../fixtures/redis.ts';
import { OfficeChild, type Kind, type Used } from './office-child.ts';
import { pageOf, type Carried, type Crowded, type Disturbed, type Loaded, type Spread } from './page.ts';
import { readAnew } from './read-anew.ts';
import { Rooms, type Calls } from './rooms.ts';

const [rooms, perRoom, calls, inFlight] = [200, 10, 20_000, 200];
const rounds = 5;
const [crowdRounds, crowdInFlight] = [9, 4];
const progress = (text: string): void => void process.stderr.write(`${text}\n`);
const cpuPerCall = (before: readonly Used[], after: readonly Used[], count: number): number =>
  after.reduce((sum, { cpuUs }, n) => sum + cpuUs - (before[n]?.cpuUs ?? 0), 0) / count;
const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
/** Each figure is the one in the middle of all rounds. */
const medianOf = <T extends { readonly [Key in keyof T]: number }>(all: readonly T[]): T =>
  Object.fromEntries(
    Object.keys(all[0] ?? {}).map((key) => [key, middle(all.map((one) => one[key as keyof T]))]),
  ) as T;

async function round(offices: readonly OfficeChild[], all: Rooms): Promise<Loaded> {
  const usedBy = (): Promise<Used[]> => Promise.all(offices.map((one) => one.used()));
  const before = await usedBy();
  const done = await all.call(calls, inFlight);
  if (done.refused > 0) throw new Error(`${done.refused} calls were refused`);
  return { ...done, cpuUs: cpuPerCall(before, await usedBy(), calls) };
}

async function disturbed(office: OfficeChild, all: Rooms): Promise<Disturbed> {
  const script = fileURLToPath(new URL('troublemakers.js', import.meta.url));
  const child = execFile(process.execPath, [script, office.url]);
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('a process without pipes');
  try {
    await once(stdout, 'data');
    const done = await all.call(calls, inFlight);
    const { residentBytes, refusals } = await office.used();
    const line = once(stdout, 'data');
    stdin.end();
    const said = JSON.parse(String((await line)[0])) as Pick<Disturbed, 'answered' | 'refused' | 'greedyCut'>;
    return {
      ...done,
      ...said,
      residentBytes,
      slowCut: (refusals['unreadBytes'] ?? 0) > 0,
      others: done.refused,
    };
  } finally {
    child.kill('SIGKILL');
  }
}

/** A room of 500 in a process of its own, which tells as much as it may between one `turn` and the next. */
async function crowd(url: string): Promise<{ readonly turn: () => Promise<void>; readonly end: () => void }> {
  const script = fileURLToPath(new URL('crowd.js', import.meta.url));
  const child = execFile(process.execPath, [script, url]);
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('a process without pipes');
  child.stderr?.pipe(process.stderr);
  await once(stdout, 'data');
  const turn = async (): Promise<void> => {
    const line = once(stdout, 'data');
    stdin.write('\n');
    await line;
  };
  return { turn, end: () => void child.kill('SIGKILL') };
}
/** Calls in turns: nobody tells anything; a crowd tells at another office of this machine; a crowd tells in another room of theirs. */
export async function crowded(): Promise<Crowded> {
  const offices = [await OfficeChild.start('limited'), await OfficeChild.start('limited')] as const;
  const crowds = [await crowd(offices[0].url), await crowd(offices[1].url)] as const;
  const at = { agents: offices[0].url, computers: offices[0].url };
  const all = await Rooms.open(at, { rooms: 20, perRoom });
  const found: readonly [silent: Calls[], elsewhere: Calls[], here: Calls[]] = [[], [], []];
  try {
    await all.call(calls / 4, crowdInFlight);
    for (let n = 0; n < crowdRounds; n += 1)
      for (const [turn, teller] of [undefined, crowds[1], crowds[0]].entries()) {
        await teller?.turn();
        found[turn]?.push(await all.call(calls / 10, crowdInFlight));
        await teller?.turn();
      }
    progress('beside a crowd');
    const { refusals } = await offices[0].used();
    const [silent, elsewhere, here] = found.map(medianOf) as [Calls, Calls, Calls];
    return { silent, elsewhere, here, waited: (refusals['deliveriesPerOffice'] ?? 0) > 0 };
  } finally {
    all.close();
    for (const one of crowds) one.end();
    for (const office of offices) await office.close();
  }
}

interface Seated extends Pick<Carried, 'kind' | 'seats' | 'seatMs' | 'heapKb' | 'residentKb'> {
  readonly office: OfficeChild;
  readonly all: Rooms;
}
async function seated(kind: Kind): Promise<Seated> {
  const office = await OfficeChild.start(kind);
  const at = { agents: office.url, computers: office.url };
  // What is loaded and made once is no cost of a seat.
  const first = await Rooms.open(at, { rooms: 10, perRoom, prefix: 'first' });
  await first.call(2_000, 10);
  first.close();
  const empty = await office.used(true);
  const since = performance.now();
  const all = await Rooms.open(at, { rooms, perRoom });
  const seatMs = (performance.now() - since) / all.seats;
  const full = await office.used(true);
  progress(`${kind}: ${all.seats} seats`);
  const per = (bytes: number): number => bytes / all.seats / 1024;
  const heapKb = per(full.heapBytes - empty.heapBytes);
  const residentKb = per(full.residentBytes - empty.residentBytes);
  return { kind, office, all, seats: all.seats, seatMs, heapKb, residentKb };
}
/** Both stand at once, and take turns: what else this machine does befalls both. */
async function carried(kinds: readonly Kind[]): Promise<readonly Carried[]> {
  const found: Seated[] = [];
  try {
    for (const kind of kinds) found.push(await seated(kind));
    const loads = found.map((): Loaded[] => []);
    for (const { all } of found) await all.call(calls / 4, inFlight);
    for (let n = 0; n < rounds; n += 1)
      for (const [at, { office, all }] of found.entries()) loads[at]?.push(await round([office], all));
    progress('under load');
    const done: Carried[] = [];
    for (const [at, { office, all, ...seats }] of found.entries())
      done.push({ ...seats, load: medianOf(loads[at] ?? []), trouble: await disturbed(office, all) });
    progress('beside trouble');
    return done;
  } finally {
    for (const { office, all } of found) {
      all.close();
      await office.close();
    }
  }
}

/** Calls between peers of one node, and between those of two. */
async function spread(): Promise<Spread | undefined> {
  const redis = await RedisServer.start().catch((error: unknown) => void progress(String(error)));
  if (!redis) return undefined;
  const anew = await readAnew(redis.url, [10_000, 100_000]);
  await redis.forget();
  progress('100,000 seats read anew');
  const nodes = [await OfficeChild.start('node', redis.url), await OfficeChild.start('node', redis.url)];
  const [a, b] = nodes.map(({ url }) => url) as [string, string];
  try {
    const across = await Rooms.open({ agents: a, computers: b }, { rooms, perRoom, prefix: 'across' });
    const within = await Rooms.open({ agents: a, computers: a }, { rooms, perRoom, prefix: 'within' });
    const ways = { within, across };
    const alone = { within: await within.call(2_000, 1), across: await across.call(2_000, 1) };
    const loads: Readonly<Record<keyof typeof ways, Loaded[]>> = { within: [], across: [] };
    const sent = { within: 0, across: 0 };
    for (let n = 0; n < rounds; n += 1)
      for (const way of ['within', 'across'] as const) {
        const before = await redis.published();
        loads[way].push(await round(nodes, ways[way]));
        sent[way] += (await redis.published()) - before;
      }
    for (const all of [within, across]) all.close();
    const of = (way: keyof typeof ways): Spread['within'] => ({
      alone: alone[way],
      load: medianOf(loads[way]),
      messages: sent[way] / (calls * rounds),
    });
    progress('two nodes');
    return { within: of('within'), across: of('across'), anew };
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
    await redis.kill();
  }
}

/** The whole page. */
export async function measured(): Promise<string> {
  const [bare, ours] = (await carried(['bare', 'limited'])) as [Carried, Carried];
  return pageOf({ bare, ours, crowd: await crowded(), nodes: await spread(), calls, inFlight });
}
