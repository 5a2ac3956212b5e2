import type { SimOptions } from '../../actors/cli/laboratory.ts';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../actors/cli/context.ts';
import { simCommand } from './sim-command.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const out = testFolder('sim-command');
const usual = { for: 5_000, faults: 'all', shrink: false, coverage: false, out, json: false };

async function sim(options: Partial<SimOptions>, signal = new AbortController().signal) {
  const [said, wrong]: [string[], string[]] = [[], []];
  const terminal = {
    out: (text: string) => said.push(text),
    err: (text: string) => wrong.push(text),
    meter: () => {},
  };
  const code = await simCommand({ terminal, signal } as unknown as CommandContext, { ...usual, ...options });
  return { code, said, wrong };
}

describe('a2c sim', () => {
  it('tells what a single seed generates before its run begins', async () => {
    const { code, said } = await sim({ seed: '3' });
    expect(code).toBe(0);
    expect(said[0]).toMatch(/^seed 3: \d+ s and the end, /);
    expect(said.at(-1)).toMatch(/^1 run \(.* of virtual time\) in .*, 0 failed, digest [0-9a-f]{8}$/);
  });

  it('has one document for programs, the same digest for the same seeds', async () => {
    const [one, other] = [
      await sim({ seed: '1', seeds: 3, json: true }),
      await sim({ seed: '1', seeds: 3, json: true }),
    ];
    const [told, again] = [one, other].map(
      ({ said }) => JSON.parse(said.join('')) as Record<string, unknown>,
    );
    expect(told).toMatchObject({ first: 1, count: 3, runs: 3, failed: [], failures: [] });
    expect(again?.['digest']).toBe(told?.['digest']);
  });

  it('chooses its first seed at random and says which, so that it can be repeated', async () => {
    const { said } = await sim({ seeds: 2 });
    expect(said[0]).toMatch(/^2 runs of 5\.0 s from seed \d+, faults: all, one thread$/);
  });

  it('says which faults and transitions never happened, when it is asked', async () => {
    const { said } = await sim({ seed: '1', seeds: 2, coverage: true });
    expect(said.some((line) => /^transitions taken: \d+ of \d+$/.test(line))).toBe(true);
    expect(said.some((line) => line.startsWith('  never: '))).toBe(true);
  });

  it('plays an office on several nodes, and tells what happens in the run of a single seed', async () => {
    const { code, said } = await sim({ seed: '7', nodes: true });
    expect([code, said[0]]).toEqual([0, '1 run of an office on three nodes from seed 7']);
    expect(said.filter((line) => / s  node \d starts$/.test(line)).length).toBeGreaterThanOrEqual(3);
    const again = await sim({ seed: '7', nodes: true });
    const digestOf = (lines: readonly string[]): string | undefined => lines.at(-1)?.split('digest ')[1];
    expect(digestOf(again.said)).toBe(digestOf(said));
  });

  it('ends with 64 and the nearest word when a fault is unknown', async () => {
    const { code, wrong } = await sim({ seed: '1', faults: 'rpc.nevr' });
    expect([code, wrong.join()]).toEqual([64, expect.stringContaining('did you mean rpc.never')]);
  });

  it('ends with 130 when it is interrupted, and says how far it came', async () => {
    const { code, said } = await sim({ seed: '1', seeds: 50 }, AbortSignal.abort());
    expect([code, said.at(-1)]).toEqual([130, expect.stringMatching(/^0 runs /)]);
  });
});
