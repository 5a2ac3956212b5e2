import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { Computer } from '../index.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Tests of servers that start on demand, over several lives of their host. */
const mark = crypto.randomUUID();
const folder = testFolder('lazy');
let stateDir: string;
let computer: Computer | undefined;
beforeEach(() => {
  stateDir = join(folder, crypto.randomUUID());
});
afterEach(async () => {
  await computer?.close();
  expect(pidsOf(mark)).toEqual([]);
});

const start = async (behaviour = 'echo'): Promise<Computer> => {
  await computer?.close();
  const lazy = launched(mark, behaviour, { a2c: { start: 'lazy' } });
  return (computer = await bootedComputer({
    name: 'c1',
    config: { mcpServers: { lazy } },
    stateDir,
    reaper: false,
  }));
};
const stateOf = (): string | undefined => computer?.status().servers[0]?.state;
const namesOf = async (host: Computer): Promise<string[]> =>
  (await host.tools()).tools.map(({ name }) => name);

describe('a lazy server', () => {
  it('starts once to be known, and from the next run on rests with its cached tools on offer', async () => {
    const first = await start();
    expect(stateOf()).toBe('ready');
    const tools = await namesOf(first);
    const second = await start();
    expect(stateOf()).toBe('standby');
    expect(second.status().state).toBe('whole');
    expect(await namesOf(second)).toEqual(tools);
    expect(pidsOf(mark)).toEqual([]);
  });

  it('is not known any more when its launch config changed', async () => {
    await start();
    const host = await start('pages');
    expect(stateOf()).toBe('ready');
    expect(await namesOf(host)).toEqual(['first', 'second']);
  });
});
