import { describe, expect, it } from 'vitest';
import { aims, isReached } from './aims.ts';
import { baselineComputer, baselineFull } from './baseline/chain.ts';
import { bareClient, throughComputer } from './rows/calls.ts';
import { echoed, textOf, type Chain, type Contender } from './rows/chain.ts';
import { chains } from './chains.ts';
import { endure } from './rows/endurance.ts';
import { bareParser, firstPageOfLibrary } from './rows/documents.ts';
import { handCachedLists, toolListing } from './rows/listing.ts';
import { measure, quantile, type Row } from './measure.ts';
import { byHandIdle, byHandLives, oursIdle, oursLives } from './inside.ts';
import { mapAndTimer, oursInMemory } from './memory-harness.ts';
import { oursComputer, oursFull } from './ours.ts';
import { organisedDesktop, sortedWindows } from './rows/organise.ts';
import { baselineRelay, oursRelay } from './rows/relay.ts';
import { heardBy, heardByNobody } from './rows/recording.ts';
import type { Stood } from './rows/standing.ts';
import { sortedPage, warmFinder } from './rows/warm.ts';
import { unwatched, watched } from './rows/watched.ts';
import { collector } from './rows/weight.ts';
import {
  aimsTable,
  callsTable,
  enduranceTable,
  flightTable,
  standingTable,
  tableOf,
  weightTable,
} from './table.ts';

const chain = (call: Chain['call']): Chain => ({ call, close: async () => {}, pids: [] });
const contender = (name: string): Contender => ({
  group: 'relay alone',
  name,
  open: async () => chain(async (n) => textOf(n)),
});
const plan = { inFlight: [1, 8], rounds: 3, sliceMs: 5 };

describe('a chain', () => {
  it.each([
    ['full chain, baseline', baselineFull],
    ['full chain, ours', oursFull],
    ['relay alone, baseline', baselineRelay],
    ['relay alone, ours', oursRelay],
    ['computer alone, baseline', baselineComputer],
    ['computer alone, ours', oursComputer],
    ['calls, baseline', bareClient],
    ['calls, ours', throughComputer],
    ['listing, baseline', handCachedLists],
    ['listing, ours', toolListing],
    ['directory alone, map + timer', mapAndTimer],
    ['directory alone, ours', oursInMemory],
    ['recorder, nobody', heardByNobody],
    ['recorder, boundary', heardBy('boundary')],
    ['watched, nobody', unwatched],
    ['watched, a page', watched],
    ['lifecycle, baseline', byHandLives],
    ['lifecycle, ours', oursLives],
    ['memory, baseline', byHandIdle],
    ['memory, ours', oursIdle],
    ['organise desktop, bare sort', sortedWindows],
    ['organise desktop, ours', organisedDesktop],
    ['warm finder, bare sort', sortedPage],
    ['warm finder, ours', warmFinder],
    ['documents, the parser alone', bareParser],
    ['documents, first page of ours', firstPageOfLibrary],
  ])('gives back what it was asked: %s', async (name, open) => {
    const opened = await open();
    // A life is up, a call and down of fifty servers.
    const times = name.startsWith('lifecycle') ? 2 : 20;
    const texts = await Promise.all(Array.from({ length: times }, (_each, n) => opened.call(n)));
    await opened.close();
    expect(texts).toEqual(texts.map((_each, n) => textOf(n)));
  });

  it('that leads its group is none of ours, or half as large', () => {
    const groups = new Set(chains.map(({ group }) => group));
    for (const group of groups) {
      expect(chains.find((each) => each.group === group)?.name).toMatch(
        /^(baseline|SDK client|map \+ timer|nobody|calls on a clock|bare sort|2 × 2,000)$/,
      );
      expect(chains.filter((each) => each.group === group).length).toBeGreaterThan(1);
    }
  });
});

describe('a measurement', () => {
  it('has one row per chain and number in flight, compared with the first chain', async () => {
    const [first, second] = [contender('baseline'), contender('ours')];
    const open = new Map([
      [first, await first.open()],
      [second, await second.open()],
    ]);
    const rows = await measure(open, plan);
    expect(rows.map(({ name, inFlight, rounds }) => [name, inFlight, rounds])).toEqual([
      ['baseline', 1, 3],
      ['baseline', 8, 3],
      ['ours', 1, 3],
      ['ours', 8, 3],
    ]);
    for (const row of rows) expect(row.perSecond).toBeGreaterThan(0);
    const lines = tableOf(rows).split('\n');
    expect(lines.map((line) => line.trim().split(/\s+/).slice(0, 2).join(' '))).toEqual([
      'relay alone',
      'in flight',
      '1 baseline',
      '1 ours',
      '8 baseline',
      '8 ours',
    ]);
  });

  it('fails when a chain answers with anything but the echo', async () => {
    const wrong = new Map([[contender('wrong'), chain(async () => textOf(-1))]]);
    await expect(measure(wrong, plan)).rejects.toThrow('was answered with');
    expect(() => echoed({ error: { code: 404 } })).toThrow('no echo: {"error"');
  });

  it('ends when it is aborted although a chain hangs', async () => {
    const stop = new AbortController();
    const hanging = new Map([[contender('hangs'), chain(() => new Promise(() => {}))]]);
    const run = measure(hanging, { ...plan, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(run).rejects.toThrow('enough');
  });

  it('is held against the aims, as far as its chains ran', async () => {
    const row = (group: Contender['group'], name: string, inFlight: number, cpuUs: number): Row => {
      const rest = { rounds: 5, cpuUsMin: cpuUs, cpuUsMax: cpuUs, perSecond: 1, p50Ms: 1, p99Ms: 1 };
      return { group, name, inFlight, cpuUs, ...rest };
    };
    const rows = [
      row('relay alone', 'baseline', 64, 10),
      row('relay alone', 'ours', 64, 12),
      row('calls', 'baseline', 1, 10),
      row('calls', 'ours', 1, 60),
      row('calls', 'baseline', 1_000, 20),
      row('calls', 'ours', 1_000, 85),
      row('directory alone', 'map + timer', 1, 1),
      row('directory alone', 'ours', 1, 20),
      row('directory alone', 'map + timer', 1_000, 1),
      row('directory alone', 'ours', 1_000, 40),
    ];
    const stand = (name: string, factor: number): Stood[] => [
      { group: 'lifecycle', name, startMs: 10 * factor, besideMuteMs: 8 * factor, heldBytes: undefined },
      { group: 'memory', name, startMs: undefined, besideMuteMs: undefined, heldBytes: 102_400 * factor },
    ];
    const stood = [...stand('baseline', 1), ...stand('ours', 3)];
    const weights = [{ group: 'directory alone', name: 'ours', heldBytes: 4_096, leftBytes: 0 }];
    const endured = [{ group: 'calls', name: 'ours', calls: 100_000, grownBytes: 3 * 1024 ** 2 }];
    const judged = aims.flatMap(({ of, ...aim }) =>
      of(rows, weights, stood, endured).map((value) => ({ ...aim, value })),
    );
    expect(judged.map((aim) => [aim.value, isReached(aim)])).toEqual([
      [1.2, false],
      [6, false],
      [4.25, true],
      [1.3, false],
      [3, true],
      [2, false],
      [4, true],
      [3, false],
      [3, true],
      [200, true],
    ]);
    expect(standingTable(stood)).toMatch(/lifecycle +ours +30\.0 +3\.00 +24\.0 +3\.00/);
    expect(standingTable(stood)).toMatch(/memory +ours +300\.0 +3\.00$/);
    expect(aimsTable(judged)).toMatch(/1\.20 +missed\n[^]* 4\.25 +reached\n/);
    expect(flightTable(rows)).toMatch(/÷ at 1 +1\.00 +2\.00$/);
    expect(callsTable(rows)).toMatch(/\n1 +10\.0 +60\.0 +50\.0 +1\.00\n1000 +20\.0 +85\.0 +65\.0 +1\.30$/);
    expect(enduranceTable(endured)).toMatch(/ours +100000 +3\.00$/);
    expect(weightTable(weights)).toMatch(/ours +4\.00 +0\.00$/);
  });

  it('of many calls in a row fails when one of them is not answered with its own echo, and finds what stays', async () => {
    const gc = collector();
    const held: string[][] = [];
    const hoards = chain(async (n) => {
      held.push(Array.from({ length: 100 }, (_, k) => `${n} ${k}`));
      return textOf(n);
    });
    expect((await endure(hoards, 1_000, gc)).grownBytes).toBeGreaterThan(1_000 * 100 * 8);
    expect(held.length).toBe(2_000);
    await expect(
      endure(
        chain(async () => textOf(-1)),
        10,
        gc,
      ),
    ).rejects.toThrow('answered with something else');
  });

  it('takes medians', () => {
    expect(quantile([9, 1, 5], 0.5)).toBe(5);
    expect(quantile([1, 2, 3, 4], 0.99)).toBe(4);
  });
});
