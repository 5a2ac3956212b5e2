import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BlobStore } from '../../../adapters/files/blob-store.ts';
import { blobsPort } from '../../../machines/ports/files.ts';
import type { BlobFacts, BlobPart, BlobRead } from '../../../machines/blobs/blobs.rules.ts';
import { storeLimits } from '../../../machines/blobs/shelf.ts';
import type { RequestPort } from '../../../machines/kernel/ports.ts';
import { resultOf, timers } from '../asking.ts';
import { closedAfter } from '../../fixtures/closed-after.ts';
import { testFolder } from '../../fixtures/test-folder.ts';
import { ScriptedBlobs } from '../../stage/scripted/host-ports.ts';

/** The port `blobs`: over real files, and as scenarios fake it. */
interface World {
  readonly request: RequestPort;
  readonly keep: (bytes: Buffer, reader: string) => Promise<BlobFacts | undefined>;
}
const given = new Map<string, Uint8Array>();
const give = (ticket: string, bytes: Uint8Array): void => void given.set(ticket, bytes);
const folder = join(testFolder('blobs'), 'state');
beforeEach(() => onTestFinished(() => rmSync(folder, { recursive: true, force: true })));
const storeOf = (limits = storeLimits): BlobStore =>
  closedAfter(new BlobStore({ stateDir: folder, limits, give }));
const worldOf = (store: BlobStore): World => ({
  request: store.request,
  keep: (bytes, reader) => store.keep(bytes, 'image/png', reader),
});
const worlds: readonly (readonly [string, () => World])[] = [
  ['files', () => worldOf(storeOf())],
  [
    'the fake',
    () => {
      const fake = new ScriptedBlobs({ ...timers, now: Date.now });
      fake.give = give;
      const keep: World['keep'] = (bytes, reader) =>
        new Promise((resolve) =>
          fake.keep({ at: 0, base64: bytes.toString('base64'), mimeType: 'image/png' }, reader, resolve),
        );
      return { request: fake.request, keep };
    },
  ],
];
const read = (port: RequestPort, wanted: Partial<BlobRead>): Promise<BlobPart> =>
  resultOf(port, blobsPort, 'read', { ticket: 't', offset: 0, maxBytes: 1_000, reader: 'a', ...wanted });
const bytes = Buffer.from(Uint8Array.from({ length: 2_500 }, (_, n) => n % 251));
const handle = createHash('sha256').update(bytes).digest('hex');
const foldersLeft = (): string[] =>
  existsSync(join(folder, 'blobs')) ? readdirSync(join(folder, 'blobs')) : [];

describe.each(worlds)('kept contents: %s', (_, world) => {
  it('are given in parts, with the facts of the whole', async () => {
    const { request, keep } = world();
    expect(await keep(bytes, 'a')).toEqual({ handle, mimeType: 'image/png', bytes: 2_500 });
    const facts = { kind: 'part', handle, mimeType: 'image/png', bytes: 2_500 };
    expect(await read(request, { handle, offset: 1_000 })).toEqual({
      ...facts,
      ...{ offset: 1_000, partBytes: 1_000, eof: false },
    });
    expect(given.get('t')).toEqual(bytes.subarray(1_000, 2_000));
    expect(await read(request, { handle, offset: 2_000 })).toMatchObject({ offset: 2_000, eof: true });
    expect(await read(request, { handle, offset: 2_500 })).toMatchObject({ partBytes: 0, eof: true });
  });
  it('are given to their readers only, by a known handle, from an offset inside', async () => {
    const { request, keep } = world();
    await keep(bytes, 'a');
    const reasons = [
      await read(request, { handle: '../x' }),
      await read(request, { handle: 'f'.repeat(64) }),
      await read(request, { handle, reader: 'b' }),
      await read(request, { handle, offset: 2_501 }),
      await read(request, { handle, offset: -1 }),
    ];
    expect(reasons).toEqual(
      ['invalid_handle', 'gone', 'forbidden', 'range', 'range'].map((reason) => ({
        kind: 'refused',
        reason,
      })),
    );
    await keep(bytes, 'b');
    expect(await read(request, { handle, reader: 'b' })).toMatchObject({ kind: 'part' });
  });
});

describe('files of contents', () => {
  it('are one for equal contents, also when they are kept at once', async () => {
    const store = storeOf();
    await Promise.all(['a', 'b'].map((reader) => store.keep(bytes, 'image/png', reader)));
    const [name = ''] = foldersLeft();
    expect(readdirSync(join(folder, 'blobs', name))).toEqual([handle]);
    for (const reader of ['a', 'b'])
      expect(await read(store.request, { handle, reader })).toMatchObject({ kind: 'part' });
  });
  it('go when there is no room, those first that were read the longest ago', async () => {
    const store = storeOf({ mostBytes: 6_000, keepMs: 60_000 });
    const other = (n: number): Buffer => Buffer.alloc(2_500, n);
    const keep = async (content: Buffer): Promise<string> =>
      (await store.keep(content, 'a/b', 'a'))?.handle ?? '';
    const [first, second] = [await keep(other(1)), await keep(other(2))];
    await read(store.request, { handle: first });
    const third = await keep(other(3));
    const kinds = await Promise.all(
      [first, second, third].map((each) => read(store.request, { handle: each })),
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['part', 'refused', 'part']);
    expect(await store.keep(Buffer.alloc(6_001), 'a/b', 'a')).toBeUndefined();
  });
  it('go after their time', async () => {
    const store = storeOf({ mostBytes: 6_000, keepMs: 1 });
    await store.keep(bytes, 'a/b', 'a');
    const [name = ''] = foldersLeft();
    await expect.poll(() => readdirSync(join(folder, 'blobs', name)), { timeout: 30_000 }).toEqual([]);
  });
  it('end with their store, whose folder is removed', async () => {
    const store = storeOf();
    await store.keep(bytes, 'a/b', 'a');
    expect(foldersLeft()).toHaveLength(1);
    await store.close();
    expect(foldersLeft()).toEqual([]);
    expect(await store.keep(bytes, 'a/b', 'a')).toBeUndefined();
  });
  it('are removed by the next host when theirs left them long ago, and those of a living one stay', async () => {
    const living = storeOf();
    await living.keep(bytes, 'a/b', 'a');
    const [name = ''] = foldersLeft();
    const killed = join(folder, 'blobs', 'host-killed');
    mkdirSync(killed);
    writeFileSync(join(killed, handle), bytes);
    utimesSync(killed, 1, 1);
    await storeOf().keep(bytes, 'a/b', 'a');
    expect(existsSync(killed)).toBe(false);
    expect(foldersLeft()).toHaveLength(2);
    expect(foldersLeft()).toContain(name);
  });
  it('leave the content where it is when they cannot be written', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'blobs'), 'no folder');
    expect(await storeOf().keep(bytes, 'a/b', 'a')).toBeUndefined();
  });
  it('are read where they are when they are lent, and are gone once they were changed', async () => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'lent.bin');
    writeFileSync(path, bytes);
    const store = storeOf();
    expect(await store.lend(path, 'a/b', 'a')).toEqual({ handle, mimeType: 'a/b', bytes: 2_500 });
    expect(await read(store.request, { handle })).toMatchObject({ kind: 'part' });
    writeFileSync(path, Buffer.alloc(2_500));
    expect(await read(store.request, { handle })).toEqual({ kind: 'refused', reason: 'gone' });
    expect(existsSync(path)).toBe(true);
    expect(await store.lend(join(folder, 'none'), 'a/b', 'a')).toBeUndefined();
  });
});

it('a folder that could not be made is made with the next content', async () => {
  const store = storeOf();
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, 'a file in its place');
  expect(await store.keep(bytes, 'image/png', 'a')).toBeUndefined();
  rmSync(folder);
  expect(await store.keep(bytes, 'image/png', 'a')).toMatchObject({ bytes: bytes.length });
});
