/**
 * An office of three nodes behind nginx, each on a machine of its own (network namespaces), while nodes and Redis are killed and
 * paused and the network is cut between them. A2C_CHAOS_SEED draws another order and other victims.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { breaksOf, type Break } from '../../scenarios/fixtures/chaos/breaks.ts';
import { isContested, type CrowdState } from '../../scenarios/fixtures/chaos/crowd.ts';
import type { Measured } from '../../scenarios/fixtures/chaos/nodes.ts';
import { World, type Registered } from '../../scenarios/fixtures/chaos/world.ts';
import { tell } from '../../scenarios/fixtures/started-host.ts';
import { streamOf } from '../../scenarios/simulator/drawing/streams.ts';

const seed = Number(process.env['A2C_CHAOS_SEED'] ?? 1);
const leaseMs = 1_500;
const rooms = 30;
const ownRooms = 10;
const computers = 4;
const places = (rooms + ownRooms) * (computers + 1);
/** For what takes a moment; only what never comes takes so long. */
const patience = { timeout: 90_000, interval: 100 };
/** So many seats that two peers want are at each node; of as many at least one has its other peer elsewhere. */
const fewContested = 10;
/** Calls of each agent, of which there are 40. */
const first = { calls: 250, held: 90 };
const before = { calls: 25, held: 80 };
const during = { calls: 5, held: 50 };

let world: World | undefined;
afterEach(() => world?.close());

const rowOf = (what: string, calls: unknown, overtaken: unknown, seconds: string): string =>
  `${what.padEnd(40)} ${String(calls).padStart(6)} ${String(overtaken).padStart(9)} ${seconds.padStart(6)}`;

class Run {
  readonly #world: World;
  readonly #rows: string[] = [];

  constructor(opened: World) {
    this.#world = opened;
  }
  state(): Promise<CrowdState> {
    return this.#world.crowd.ask('state');
  }
  async measure(): Promise<Measured[]> {
    return Promise.all(this.#world.nodes.map((node) => node.measure()));
  }
  /** Everybody sits, reaches everybody, and no call or seat is left of what was. */
  async calm(): Promise<void> {
    const { crowd } = this.#world;
    await expect.poll(async () => (await this.state()).unsettled, patience).toEqual([]);
    await expect.poll(async () => (await this.state()).pending, patience).toBe(0);
    await expect.poll(() => crowd.ask('reach'), patience).toEqual([]);
    await expect.poll(() => this.#leftovers(), patience).toMatchObject({ ...nothing });
    expect((await this.state()).wrong).toEqual([]);
  }
  /** An office notices after 45 s that somebody who polled is gone, whom nginx has sent to another node. */
  async quiet(): Promise<void> {
    await expect.poll(() => this.#leftovers(), patience).toEqual({ ...nothing, socketsThatNobodyHas: 0 });
  }
  /** What nodes, Redis and peers hold, and should not or not alike. */
  async #leftovers(): Promise<typeof nothing & { readonly socketsThatNobodyHas: number }> {
    const [register, state, measured] = [
      await this.#world.register(),
      await this.state(),
      await this.measure(),
    ];
    const sum = (of: (one: Measured) => number): number => measured.reduce((all, one) => all + of(one), 0);
    const sockets = Object.fromEntries(
      Object.entries(register?.seats ?? {}).map(([place, { socket }]) => [place, socket]),
    );
    // Those of our own agents are known to Redis alone.
    const others = Object.keys(sockets).filter((place) => sockets[place] !== state.seats[place]);
    const held = Object.values(register?.seats ?? {});
    return {
      seatsOfOthers: others.filter((place) => !/^own \d+\/agent$/.test(place)),
      seatsOfTheDead: held.filter(({ node }) => register?.nodes.includes(node) !== true).length,
      nodesWithoutALease: this.#world.nodes.length - (register?.nodes.length ?? 0),
      seatsTooMany: [sum(({ seats }) => seats) - places, held.length - places],
      socketsThatNobodyHas: sum(({ connections }) => connections) - state.connections,
      callsInFlight: sum(({ inFlight }) => inFlight),
    };
  }
  async break(one: Break, wave = before): Promise<void> {
    const { crowd } = this.#world;
    const [began, was] = [performance.now(), await this.state()];
    const seats = await this.#spread();
    await crowd.ask('hold');
    await crowd.ask('wave', wave);
    await one.strike();
    await crowd.ask('wave', during);
    await this.#felt(one, seats);
    await crowd.ask('wave', during);
    await one.heal();
    await crowd.ask('wave', during);
    await crowd.ask('release');
    await this.calm();
    const is = await this.state();
    this.row(one.name, is.calls - was.calls, is.overtaken - was.overtaken, began);
  }
  row(what: string, calls: number, overtaken: number, began: number): void {
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    this.#rows.push(rowOf(what, calls, overtaken, seconds));
  }
  /** So that a person sees what happened. */
  tell(calls: number, atOnce: number, outcomes: CrowdState['outcomes']): void {
    const counted = Object.entries(outcomes).toSorted(([, a], [, b]) => b - a);
    tell(
      [
        `seed ${seed}: ${calls} calls, ${atOnce} of them at once`,
        rowOf('what broke', 'calls', 'overtaken', 's'),
        ...this.#rows,
        ...counted.map(([outcome, count]) => `${String(count).padStart(7)} ${outcome}`),
      ].join('\n'),
    );
  }
  /** So many calls of each agent, all of which are answered at once; then what the nodes hold. */
  async load(calls: number): Promise<Measured[]> {
    await this.#world.crowd.ask('wave', { calls, held: 0 });
    await expect.poll(async () => (await this.state()).pending, patience).toBe(0);
    return this.measure();
  }
  /** Each node has some of the seats that two peers want: nginx sends peers to one that is back after a moment. Who sits where. */
  async #spread(): Promise<Registered['seats']> {
    const { crowd, nodes } = this.#world;
    let seats: Registered['seats'] = {};
    const fewest = async (): Promise<number> => {
      await crowd.ask('shuffle');
      await this.calm();
      ({ seats } = (await this.#world.register()) ?? unread);
      const counts = new Map<string, number>();
      for (const [place, { node }] of Object.entries(seats))
        if (isContested(place)) counts.set(node, (counts.get(node) ?? 0) + 1);
      return counts.size < nodes.length ? 0 : Math.min(...counts.values());
    };
    await expect.poll(fewest, { ...patience, interval: 500 }).toBeGreaterThanOrEqual(fewContested);
    return seats;
  }
  async #felt({ felt }: Break, held: Registered['seats']): Promise<void> {
    if (felt === 'a node is given up') return this.#givenUp(held);
    const outcome = felt === 'others go on' ? 'succeeded' : '503 register failed';
    const count = async (): Promise<number> => (await this.state()).outcomes[outcome] ?? 0;
    const was = await count();
    await expect
      .poll(async () => {
        await this.#world.crowd.ask('wave', { calls: 1, held: 0 });
        return (await count()) - was;
      }, patience)
      .toBeGreaterThan(rooms);
  }
  /**
   * Its seats are free within its lease, of which this allows twenty, and of those that two peers want some are taken by the other one,
   * who may be at the same node, too.
   */
  async #givenUp(before: Registered['seats']): Promise<void> {
    const within = { timeout: 20 * leaseMs, interval: 100 };
    const told = async (): Promise<object> => {
      const { nodes, seats } = (await this.#world.register()) ?? unread;
      const ofTheDead = (of: Registered['seats']): string[] =>
        Object.keys(of).filter((place) => !nodes.includes(of[place]?.node ?? ''));
      const wanted = ofTheDead(before).filter(isContested);
      const taken = wanted.filter((place) => seats[place] !== undefined).length;
      return {
        nodes: nodes.length,
        ofTheDead: ofTheDead(seats),
        isTaken: taken >= Math.floor(wanted.length / fewContested),
      };
    };
    await expect
      .poll(told, within)
      .toEqual({ nodes: this.#world.nodes.length - 1, ofTheDead: [], isTaken: true });
  }
}
const unread: Registered = { nodes: [], seats: {}, keys: [] };
const nothing = {
  seatsOfOthers: [] as string[],
  seatsOfTheDead: 0,
  nodesWithoutALease: 0,
  seatsTooMany: [0, 0],
  callsInFlight: 0,
};

/** So much may be left of one call after everything was collected: less than the smallest call weighs. */
const bytesPerCall = 400;
const loads = { warm: 25, more: 200 };
/** What a node holds open beside its connections may vary by so many files. */
const fileSlack = 10;
/** News, lists and code that was compiled meanwhile; a leak of what the chaos moves is many times that. */
const heapSlack = 24_000_000;

describe('an office of three nodes behind nginx, with 10,000 calls running', () => {
  it('keeps its rules while nodes, Redis and the network break, and is as before when they are back', async () => {
    const began = performance.now();
    world = await World.open(leaseMs, { seed, rooms, ownRooms, computers });
    const run = new Run(world);
    await run.calm();
    run.row('nothing yet', 0, 0, began);
    const fresh = await run.measure();
    const breaks = breaksOf(world, streamOf(seed, 'breaks', 'chance'));
    for (const [n, one] of breaks.entries()) await run.break(one, n === 0 ? first : before);
    const { calls, mostPending, outcomes, overtaken } = await run.state();
    await run.quiet();
    const after = await run.measure();
    // What is left of a call: nothing, however many there were.
    const [, few, many] = [
      await run.load(loads.warm),
      await run.load(loads.warm),
      await run.load(loads.more),
    ];
    run.tell(calls, mostPending, outcomes);
    expect(calls).toBeGreaterThan(10_000);
    expect(mostPending).toBeGreaterThan(10_000);
    expect(overtaken).toBeGreaterThan(10);
    expect(outcomes).toMatchObject({ succeeded: expect.any(Number), '404 left unknown': expect.any(Number) });
    const moreCalls = (rooms + ownRooms) * loads.more;
    expect(
      many.map(({ heap }, n) => Math.max(0, heap - (few[n]?.heap ?? 0)) / moreCalls < bytesPerCall),
    ).toEqual([true, true, true]);
    const base = Math.min(...fresh.map(({ files, connections }) => files - connections));
    for (const { files, connections, heap } of after) {
      expect(files - connections).toBeLessThanOrEqual(base + fileSlack);
      expect(heap).toBeLessThan(Math.max(...fresh.map((one) => one.heap)) + heapSlack);
    }
    const register = await world.register();
    const kept = register?.keys.filter((key) => !/^\{a2c\}:(node|office):/.test(key));
    expect(kept).toEqual(['{a2c}:fence', '{a2c}:offices', '{a2c}:since']);
    expect(register?.keys).toHaveLength(3 + rooms + ownRooms + world.nodes.length);
  });
});
