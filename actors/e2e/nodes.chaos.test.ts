/**
 * An office of three nodes behind nginx, each on a machine of its own (network namespaces), while nodes and Redis are killed and
 * paused and the network is cut between them. A2C_CHAOS_SEED draws another order and other victims.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { breaksOf, type Break } from '../../scenarios/fixtures/chaos/breaks.ts';
import type { CrowdState } from '../../scenarios/fixtures/chaos/crowd.ts';
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
/** So many seats of a node that is given up are taken by others at least; a third of those that others want are there. */
const fewTaken = 3;
/** Calls of each agent, of which there are 40. */
const first = { calls: 250, held: 90 };
const before = { calls: 25, held: 80 };
const during = { calls: 5, held: 50 };

let world: World | undefined;
afterEach(() => world?.close());

class Run {
  readonly #world: World;
  readonly rows: string[] = [];

  constructor(opened: World) {
    this.#world = opened;
  }
  state(): Promise<CrowdState> {
    return this.#world.crowd.ask('state');
  }
  async measure(): Promise<Measured[]> {
    return Promise.all(this.#world.nodes.map((node) => node.measure()));
  }
  /** Everybody sits, reaches everybody, and nothing is left of what was. */
  async calm(): Promise<void> {
    const { crowd } = this.#world;
    await expect.poll(async () => (await this.state()).unsettled, patience).toEqual([]);
    await expect.poll(async () => (await this.state()).pending, patience).toBe(0);
    await expect.poll(() => crowd.ask('reach'), patience).toEqual([]);
    await expect.poll(() => this.#leftovers(), patience).toEqual({ ...nothing });
    expect((await this.state()).wrong).toEqual([]);
  }
  /** What nodes, Redis and peers hold, and should not or not alike. */
  async #leftovers(): Promise<typeof nothing> {
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
    await crowd.ask('shuffle');
    await this.calm();
    const { seats } = (await this.#world.register()) ?? unread;
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
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const lost = is.overtaken - was.overtaken;
    this.rows.push(
      `${one.name.padEnd(42)} ${String(is.calls - was.calls).padStart(6)} ${String(lost).padStart(9)} ${seconds.padStart(6)}`,
    );
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
  /** Its seats are free within its lease, of which this allows twenty, and those that somebody else wants are taken. */
  async #givenUp(before: Registered['seats']): Promise<void> {
    const within = { timeout: 20 * leaseMs, interval: 100 };
    const told = async (): Promise<object> => {
      const { nodes, seats } = (await this.#world.register()) ?? unread;
      const taken = Object.keys(seats).filter((place) => seats[place]?.node !== before[place]?.node);
      return {
        nodes: nodes.length,
        ofTheDead: Object.values(seats).filter(({ node }) => !nodes.includes(node)).length,
        taken: Math.min(taken.length, fewTaken),
      };
    };
    await expect
      .poll(told, within)
      .toEqual({ nodes: this.#world.nodes.length - 1, ofTheDead: 0, taken: fewTaken });
  }
}
const unread: Registered = { nodes: [], seats: {}, keys: [] };
const nothing = {
  seatsOfOthers: [] as string[],
  seatsOfTheDead: 0,
  nodesWithoutALease: 0,
  seatsTooMany: [0, 0],
  socketsThatNobodyHas: 0,
  callsInFlight: 0,
};

describe('an office of three nodes behind nginx, with 10,000 calls running', () => {
  it('keeps its rules while nodes, Redis and the network break, and is as before when they are back', async () => {
    world = await World.open(leaseMs, { seed, rooms, ownRooms, computers });
    const run = new Run(world);
    await run.calm();
    const fresh = await run.measure();
    const breaks = breaksOf(world, streamOf(seed, 'breaks', 'chance'));
    for (const [n, one] of breaks.entries()) await run.break(one, n === 0 ? first : before);
    const { calls, mostPending, outcomes } = await run.state();
    tell(
      [
        `seed ${seed}: ${calls} calls, ${mostPending} of them at once`,
        `${'what broke'.padEnd(42)}  calls overtaken      s`,
        ...run.rows,
        ...Object.entries(outcomes)
          .toSorted(([, a], [, b]) => b - a)
          .map(([outcome, count]) => `${String(count).padStart(7)} ${outcome}`),
        ...fresh.map((one, n) => `node${n + 1} ${JSON.stringify(one)}`),
      ].join('\n'),
    );
  });
});
