import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsFile, settingsInMemory } from '../../../adapters/storage/settings.ts';
import type { Edit } from '../../../machines/config/json-edits.ts';
import type { RequestFact, RequestPort } from '../../../machines/kernel/ports.ts';
import { settingsPort, type FileFound } from '../../../machines/settings/settings.rules.ts';
import { ScriptedConfigFile } from '../../stage/scripted/host-ports.ts';
import { timers } from '../asking.ts';
import { testFolder } from '../../fixtures/test-folder.ts';

const folder = testFolder('config-file');
let files = 0;
const fileWith = (text: string): string => {
  const file = join(folder, `${(files += 1)}.json`);
  writeFileSync(file, text);
  return file;
};
const start = { mcpServers: { a: { command: 'x' } } };
interface World {
  readonly ask: RequestPort;
  /** From now on the disk is full; undefined: there is none. */
  fill?(): void;
}
const full = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
};
const worlds: readonly (readonly [string, () => World])[] = [
  [
    'a file',
    () => {
      let write: (() => Promise<void>) | undefined;
      const how = {
        get write() {
          return write;
        },
      };
      const ask = settingsFile(fileWith(JSON.stringify(start)), undefined, how);
      return { ask, fill: () => void (write = async () => full()) };
    },
  ],
  ['memory', () => ({ ask: settingsInMemory(start) })],
  [
    'the fake',
    () => {
      const fake = new ScriptedConfigFile(timers, JSON.stringify(start));
      return { ask: fake.request, fill: () => void (fake.isFull = true) };
    },
  ],
];
const question = (method: 'read' | 'write', edits: readonly Edit[] = []) => ({
  ...{ id: 'file', target: settingsPort, method },
  params: { edits },
});

describe.each(worlds)('a config file: %s', (_, open) => {
  const answer = (world: World, ...asked: Parameters<typeof question>): Promise<RequestFact> =>
    new Promise((resolve) => void world.ask('settings', question(...asked), resolve));
  const found = async (world: World, ...asked: Parameters<typeof question>) => {
    const fact = await answer(world, ...asked);
    if (fact.type !== 'ask.answered') return expect.unreachable(JSON.stringify(fact));
    return fact.result as Extract<FileFound, { kind: 'good' }>;
  };

  it('is read as it is, and has the same mark as long as it is the same', async () => {
    const world = open();
    const first = await found(world, 'read');
    expect(first).toMatchObject({ kind: 'good', value: start });
    expect((await found(world, 'read')).mark).toBe(first.mark);
  });
  it('has what was written, of each change, and another mark', async () => {
    const world = open();
    const { mark } = await found(world, 'read');
    expect(
      await found(world, 'write', [{ path: ['mcpServers', 'b'], value: { command: 'y' } }]),
    ).toMatchObject({
      kind: 'good',
      value: { mcpServers: { a: { command: 'x' }, b: { command: 'y' } } },
    });
    await found(world, 'write', [{ path: ['mcpServers', 'a'], remove: true }]);
    const last = await found(world, 'read');
    expect(last.value).toEqual({ mcpServers: { b: { command: 'y' } } });
    expect(last.mark).not.toBe(mark);
  });
  it('is not written where an entry is there that must not be', async () => {
    const world = open();
    const edit = { path: ['mcpServers', 'a'], value: { command: 'z' }, unlessThere: true } as const;
    expect(await found(world, 'write', [edit])).toMatchObject({ isTaken: true });
    expect((await found(world, 'read')).value).toEqual(start);
  });
  it('is answered no more when nobody wants the answer', async () => {
    const world = open();
    const told: RequestFact[] = [];
    world.ask('settings', question('read'), (fact) => told.push(fact))();
    await found(world, 'read');
    await found(world, 'read');
    expect(told).toEqual([]);
  });
  it('is left as it was on a full disk, and says so', async () => {
    const world = open();
    if (!world.fill) return;
    world.fill();
    expect(await answer(world, 'write', [{ path: ['k'], value: 1 }])).toMatchObject({
      ...{ type: 'ask.refused', sent: true },
      failure: { code: 500, message: expect.stringContaining('no space left on device') as string },
    });
    expect((await found(world, 'read')).value).toEqual(start);
  });
});

it('a disk that is full leaves the file whole, also when only the backup fits, and can be written later', async () => {
  const text = JSON.stringify(start);
  const file = fileWith(text);
  let writes = 0;
  const fitsOnce = async (to: string, what: string): Promise<void> => {
    if ((writes += 1) > 1) full();
    writeFileSync(to, what);
  };
  const edits = [{ path: ['k'], value: 1 }] as const;
  const say = (how: object): Promise<RequestFact> =>
    new Promise((done) => void settingsFile(file, undefined, how)('s', question('write', edits), done));
  expect(await say({ write: fitsOnce })).toMatchObject({ type: 'ask.refused' });
  expect([readFileSync(file, 'utf8'), readFileSync(`${file}.bak`, 'utf8')]).toEqual([text, text]);
  expect(await say({})).toMatchObject({ type: 'ask.answered' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...start, k: 1 });
});
