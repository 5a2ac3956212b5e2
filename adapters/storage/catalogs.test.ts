import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Lists } from '../../machines/catalog/entries.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { catalogsDir, keep, largestCatalog, mostCatalogs, readCached } from './catalogs.ts';

const print = (of: number): string => of.toString(16).padStart(64, '0');
const now = new Date('2026-01-02T03:04:05.678Z');
const lists: Lists = {
  tools: [
    {
      ...{ name: 't', title: 'T', inputSchema: { type: 'object', properties: { constructor: {} } } },
      ...{ annotations: { readOnlyHint: true, more: { x: 1 } }, execution: { taskSupport: 'optional' } },
      ...{ icons: [{ src: 'data:,' }], meta: { k: null }, more: { 'x-new': [1] } },
    },
  ],
  resources: [{ uri: 'a:b', name: '', size: 3, annotations: { audience: ['user'], priority: 0.5 } }],
  resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'r', mimeType: 'text/plain' }],
  prompts: [{ name: 'p', arguments: [{ name: 'x', required: true }] }],
};

const catalog = (more: object): string =>
  JSON.stringify({ format: 'a2c-catalog/1', savedAt: now.toISOString(), lists: {}, ...more });

let stateDir: string;
beforeEach(() => {
  stateDir = testFolder('catalogs');
});
const fileOf = (of: number): string => join(catalogsDir(stateDir), `${print(of)}.json`);
const write = async (of: number, text: string): Promise<void> => {
  await mkdir(catalogsDir(stateDir), { recursive: true });
  await writeFile(fileOf(of), text);
};

describe('a cached catalog', () => {
  it('is read as it was kept, with when', async () => {
    expect(await readCached(stateDir, print(1))).toBeUndefined();
    expect(await keep(stateDir, print(1), lists, now)).toEqual({ cached: true });
    expect(await readCached(stateDir, print(1))).toMatchObject({ savedAt: now.toISOString(), lists });
    expect(await readCached(stateDir, print(2))).toBeUndefined();
    await keep(stateDir, print(1), { tools: [] }, now);
    expect((await readCached(stateDir, print(1)))?.lists).toEqual({ tools: [] });
  });

  it('is a file of this form, which only its owner may read', async () => {
    await keep(stateDir, print(1), { tools: [] }, now);
    expect(JSON.parse(await readFile(fileOf(1), 'utf8'))).toEqual({
      format: 'a2c-catalog/1',
      savedAt: now.toISOString(),
      lists: { tools: [] },
    });
    // Windows has no modes; the access list of the profile is in force there.
    const [file, dir] = process.platform === 'win32' ? [0o666, 0o666] : [0o600, 0o700];
    expect((await stat(fileOf(1))).mode & 0o777).toBe(file);
    expect((await stat(catalogsDir(stateDir))).mode & 0o777).toBe(dir);
    expect(await readdir(catalogsDir(stateDir))).toEqual([`${print(1)}.json`]);
  });

  it('keeps a key that is called __proto__', async () => {
    const inputSchema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
    ) as object;
    await keep(stateDir, print(1), { tools: [{ name: 't', inputSchema: { ...inputSchema } }] });
    const cached = await readCached(stateDir, print(1));
    expect(JSON.stringify(cached?.lists.tools?.[0]?.inputSchema)).toBe(JSON.stringify(inputSchema));
  });

  it.each([
    ['no JSON', '{"format":'],
    ['empty', ''],
    ['of another version', catalog({ format: 'a2c-catalog/2' })],
    ['without its time', catalog({ savedAt: undefined })],
    ['with a tool without a name', catalog({ lists: { tools: [{ inputSchema: {} }] } })],
    ['with a tool whose schema is a list', catalog({ lists: { tools: [{ name: 't', inputSchema: [] }] } })],
    ['too large', ' '.repeat(largestCatalog + 1)],
    ['nested without end', '['.repeat(100_000)],
  ])('counts as none, and is removed, when it is %s', async (_what, text) => {
    await write(1, text);
    expect(await readCached(stateDir, print(1))).toBeUndefined();
    expect(await readdir(catalogsDir(stateDir))).toEqual([]);
  });

  it('has the name of a fingerprint and no other, so that no path leads out of the folder', async () => {
    const wrong = { cached: false, because: 'the fingerprint is none' };
    const almost = [print(1).toUpperCase().replace('1', 'A'), `${print(1)}0`];
    for (const name of ['', '..', '../../x', 'a/b', ...almost]) {
      expect(await keep(stateDir, name, lists)).toEqual(wrong);
      expect(await readCached(stateDir, name)).toBeUndefined();
    }
    expect(await readdir(stateDir)).toEqual([]);
  });

  it('is not kept above 4 MiB, and the one before it is forgotten', async () => {
    await keep(stateDir, print(1), lists);
    const description = 'é'.repeat(largestCatalog / 2);
    const answer = await keep(stateDir, print(1), { prompts: [{ name: 'p', description }] });
    expect(answer).toMatchObject({
      cached: false,
      because: expect.stringContaining('limit is 4194304') as string,
    });
    expect(await readCached(stateDir, print(1))).toBeUndefined();
  });

  it('is one of 200: the oldest is forgotten for the next', async () => {
    await keep(stateDir, print(0), { tools: [] });
    for (let at = 1; at < mostCatalogs; at++) await write(at, '{}');
    for (let at = 0; at < mostCatalogs; at++)
      await utimes(fileOf(at), at === 7 ? 1 : 1_000, at === 7 ? 1 : 1_000);
    expect(await readdir(catalogsDir(stateDir))).toHaveLength(mostCatalogs);
    await keep(stateDir, print(999), { tools: [] });
    const left = await readdir(catalogsDir(stateDir));
    expect(left).toHaveLength(mostCatalogs);
    expect(left).toContain(`${print(999)}.json`);
    expect(left).not.toContain(`${print(7)}.json`);
  });

  it('is whole while others write it and read it', async () => {
    const size = (of: number): Lists => ({
      prompts: Array.from({ length: 1 + of * 100 }, () => ({ name: `p${of}` })),
    });
    await keep(stateDir, print(1), size(0));
    const writers = Array.from({ length: 8 }, (_, at) => keep(stateDir, print(1), size(at)));
    const readers = Array.from({ length: 40 }, () => readCached(stateDir, print(1)));
    for (const cached of await Promise.all(readers)) {
      const of = Number(cached?.lists.prompts?.[0]?.name.slice(1));
      expect(cached?.lists).toEqual(size(of));
    }
    expect(await Promise.all(writers)).toEqual(Array.from({ length: 8 }, () => ({ cached: true })));
    expect(await readdir(catalogsDir(stateDir))).toEqual([`${print(1)}.json`]);
  });

  it('leaves a young draft to who writes it, and removes one whose writer died', async () => {
    await mkdir(catalogsDir(stateDir));
    const [young, old] = ['young', 'old'].map((name) =>
      join(catalogsDir(stateDir), `${print(3)}.${name}.draft`),
    );
    for (const file of [young, old]) await writeFile(file as string, 'half');
    await utimes(old as string, 1_000, 1_000);
    await keep(stateDir, print(1), {});
    expect((await readdir(catalogsDir(stateDir))).toSorted()).toEqual([
      ...[`${print(1)}.json`, `${print(3)}.young.draft`],
    ]);
  });

  it('says why it cannot be written, and leaves nothing behind', async () => {
    await writeFile(join(stateDir, 'catalogs'), 'a file in the place of the folder');
    expect(await keep(stateDir, print(1), lists)).toMatchObject({
      cached: false,
      because: expect.stringMatching(/EEXIST|ENOTDIR/) as string,
    });
    expect(await readCached(stateDir, print(1))).toBeUndefined();
    await rm(join(stateDir, 'catalogs'));
    // A folder has the name of the file, and is neither read nor removed.
    await mkdir(fileOf(1), { recursive: true });
    expect((await keep(stateDir, print(1), lists)).cached).toBe(false);
    expect(await readCached(stateDir, print(1))).toBeUndefined();
    expect(await readdir(catalogsDir(stateDir))).toEqual([`${print(1)}.json`]);
  });
});
