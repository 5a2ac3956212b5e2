import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LandingFolder, safeName, type LandingSettings } from '../../../adapters/files/landing-folder.ts';
import type { RequestFact, RequestPort } from '../../../machines/kernel/ports.ts';
import { landingPort } from '../../../machines/ports/files.ts';
import type { LandingAnswer } from '../../../machines/uploads/upload.rules.ts';
import { ScriptedLanding } from '../../stage/scripted/host-ports.ts';
import { resultOf, timers } from '../asking.ts';
import { closedAfter } from '../../fixtures/closed-after.ts';
import { testFolder } from '../../fixtures/test-folder.ts';

const root = testFolder('landing');
let count = 0;
const freshFolder = (): string => join(root, String((count += 1)));
const limits = { maxFileBytes: 100, maxBytes: 150, maxFiles: 3, idleMs: 1_000 };
const notices: string[] = [];
const landingIn = (folder: string, more: Partial<LandingSettings> = {}): LandingFolder => {
  const landing = closedAfter(
    new LandingFolder({ partOf: (ticket) => parts.get(ticket), notice: (text) => notices.push(text) }),
  );
  landing.set({ folder, ...limits, ...more });
  return landing;
};
const parts = new Map<string, Buffer>();
const ticketOf = (text: string): string => {
  parts.set(text, Buffer.from(text));
  return text;
};
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Held {
  readonly fact: RequestFact;
  readonly end: () => void;
}
const hold = async (port: RequestPort, upload: string, bytes: number, name = ''): Promise<Held> => {
  let end = (): void => {};
  const fact = await new Promise<RequestFact>((resolve) => {
    end = port(
      'u',
      { id: 'open', target: landingPort, method: 'open', params: { upload, bytes, name } },
      resolve,
    );
  });
  return { fact, end };
};
const ask = (port: RequestPort, method: string, params: object): Promise<LandingAnswer> =>
  resultOf(port, landingPort, method, params);
const put = async (port: RequestPort, upload: string, text: string, name = ''): Promise<LandingAnswer> => {
  await hold(port, upload, text.length, name);
  await ask(port, 'write', { upload, ticket: ticketOf(text) });
  return ask(port, 'finish', { upload, sha256: sha256(text) });
};
const refusedOf = ({ fact }: Held): unknown => (fact as { readonly result?: unknown }).result;

const worlds: readonly (readonly [string, () => RequestPort])[] = [
  ['a folder', () => landingIn(freshFolder()).request],
  [
    'the fake',
    () => {
      const fake = new ScriptedLanding(timers);
      fake.partOf = (ticket) => parts.get(ticket);
      return fake.request;
    },
  ],
];
describe.each(worlds)('a landing folder: %s', (_, world) => {
  it('opens a file, takes its parts, and lands it under its id and name', async () => {
    const port = world();
    expect((await hold(port, 'one', 6, 'a.txt')).fact.type).toBe('ask.began');
    for (const part of ['abc', 'def'])
      expect(await ask(port, 'write', { upload: 'one', ticket: ticketOf(part) })).toEqual({
        kind: 'written',
      });
    const landed = await ask(port, 'finish', { upload: 'one', sha256: sha256('abcdef') });
    expect(landed).toMatchObject({ kind: 'landed', path: expect.stringMatching(/one_a\.txt$/) });
  });

  it('refuses a file whose hash is another, and says when the bytes of a part are gone', async () => {
    const port = world();
    await hold(port, 'one', 3);
    expect(await ask(port, 'write', { upload: 'one', ticket: 'gone' })).toEqual({ kind: 'gone' });
    await ask(port, 'write', { upload: 'one', ticket: ticketOf('abc') });
    expect(await ask(port, 'finish', { upload: 'one', sha256: sha256('abd') })).toMatchObject({
      kind: 'refused',
      reason: 'integrity',
    });
  });
});

const partsIn = (folder: string): string[] => readdirSync(join(folder, '.a2c-upload'));
const filesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name !== '.a2c-upload');

describe('a real landing folder', () => {
  it('has the bytes of a file, and nothing of one whose question has ended', async () => {
    const folder = freshFolder();
    const landing = landingIn(folder);
    await put(landing.request, 'one', 'abc', 'a.txt');
    expect(readFileSync(join(folder, 'one_a.txt'), 'utf8')).toBe('abc');
    const { end } = await hold(landing.request, 'two', 3);
    expect(partsIn(folder)).toEqual([`${process.pid}-two.part`]);
    end();
    await landing.close();
    expect([partsIn(folder), filesIn(folder)]).toEqual([[], ['one_a.txt']]);
  });

  it('removes what has not landed when it closes, also a file that is being opened', async () => {
    const folder = freshFolder();
    const landing = landingIn(folder);
    await hold(landing.request, 'one', 3);
    const early = landing.request(
      'u',
      { id: 'open', target: landingPort, method: 'open', params: { upload: 'two', bytes: 3, name: '' } },
      () => {},
    );
    early();
    await landing.close();
    await expect.poll(() => partsIn(folder)).toEqual([]);
  });

  it.each([
    ['a file that is too large', 101, { limit_bytes: 100 }],
    ['more than all files may have', 90, { limit_bytes: 150, used_bytes: 100 }],
  ])('refuses %s', async (_, bytes, details) => {
    const { request } = landingIn(freshFolder());
    await put(request, 'one', 'x'.repeat(60));
    await hold(request, 'under way', 40);
    expect(refusedOf(await hold(request, 'two', bytes))).toMatchObject({ reason: 'too_large', details });
  });

  it('counts files that are under way', async () => {
    const { request } = landingIn(freshFolder(), { maxFiles: 2 });
    const three = await Promise.all(['one', 'two', 'three'].map((upload) => hold(request, upload, 1)));
    expect(three.filter(({ fact }) => fact.type === 'ask.began').length).toBe(2);
  });

  it.each([
    ['../../etc/passwd', 'etc_passwd'],
    ['..', ''],
    ['/', ''],
    ['a\0b\n‮c', 'a_b_c'],
    ['C:\\x\\y.txt', 'C_x_y.txt'],
    ['.env', 'env'],
    ['报告 (1).pdf', '报告_1_.pdf'],
    ['x'.repeat(300), 'x'.repeat(64)],
  ])('makes a safe name of %j', async (proposed, name) => {
    expect(safeName(proposed)).toBe(name);
    const folder = freshFolder();
    const landed = await put(landingIn(folder).request, 'id', 'abc', proposed);
    expect(landed).toMatchObject({ kind: 'landed' });
    const { path } = landed as { readonly path: string };
    expect([dirname(path), existsSync(path)]).toEqual([folder, true]);
  });

  it('follows no link in the place of its parts', async () => {
    const [folder, other] = [freshFolder(), freshFolder()];
    for (const each of [folder, other]) mkdirSync(each);
    symlinkSync(other, join(folder, '.a2c-upload'));
    expect(refusedOf(await hold(landingIn(folder).request, 'one', 1))).toMatchObject({ reason: 'forbidden' });
    expect([readdirSync(other), notices.at(-1)]).toEqual([[], expect.stringContaining('is a link')]);
  });

  it('sweeps what a host of long ago has left, and nothing else', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, '.a2c-upload'), { recursive: true });
    const names = ['old.part', 'young.part'];
    for (const name of names) writeFileSync(join(folder, '.a2c-upload', name), 'x');
    utimesSync(join(folder, '.a2c-upload', 'old.part'), 1, 1);
    writeFileSync(join(folder, 'landed'), 'x');
    await hold(landingIn(folder).request, 'one', 1);
    expect(partsIn(folder).toSorted()).toEqual([`${process.pid}-one.part`, 'young.part'].toSorted());
    expect([filesIn(folder), notices.at(-1)]).toEqual([
      ['landed'],
      expect.stringContaining('removed 1 files'),
    ]);
  });

  it('tells a folder that cannot be made, and takes no file', async () => {
    const file = freshFolder();
    writeFileSync(file, '');
    expect(refusedOf(await hold(landingIn(join(file, 'in')).request, 'one', 1))).toMatchObject({
      reason: 'forbidden',
    });
    expect(notices.at(-1)).toContain('cannot be used');
  });
});
