import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { addressFor } from '../../machines/kernel/effects.ts';
import type { ToPage } from '../../machines/inspection.ts';
import { recorderOptions } from '../recording/flight-recorder.ts';
import { KnownSecrets } from '../secrets/known-secrets.ts';
import { Directory, Tap } from '../runtime/directory.ts';
import { LiveStream } from './live-stream.ts';
import { Frames } from '../recording/frames.ts';
import type { Viewer } from './feed.ts';

class Page implements Viewer {
  readonly messages: ToPage[] = [];
  waiting = 0;
  send(message: ToPage): void {
    this.messages.push(message);
  }
  get numbers(): number[] {
    return this.messages.flatMap((message) => ('lines' in message ? numbersIn(message.lines) : []));
  }
}
const numbersIn = (lines: string): number[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { s: number }).s);

const nobody = (): never => {
  throw new Error('nothing is opened here');
};
function streamed(): { stream: LiveStream; tap: Tap; directory: Directory; happen(times: number): void } {
  const tap = new Tap();
  const ports = { open: nobody, request: nobody };
  const platform = {
    now: () => 0,
    random: () => 0,
    setTimeout: () => 0,
    clearTimeout() {},
    draw: () => null,
    ports,
  };
  const directory = new Directory(platform, tap);
  directory.listen(addressFor('host:test'), () => {});
  const stream = new LiveStream(directory, () => recorderOptions(new KnownSecrets(), 'full'), new Frames());
  const happen = (times: number): void => {
    // Sends messages; each one adds two records, the input and its delivery.
    for (let n = 0; n < times; n++) directory.send('host:test', { type: 'news' });
  };
  return { stream, tap, directory, happen };
}
const leaving: (() => void)[] = [];
/** A page that looks until its test ends. */
function watched() {
  const all = streamed();
  const page = new Page();
  all.stream.add(page);
  leaving.push(() => all.stream.remove(page));
  return { ...all, page };
}
const batch = (): void => void vi.advanceTimersByTime(200);

// Time stands still while records are written, so that no slice ends early on a slow machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => {
  for (const leave of leaving.splice(0)) leave();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

it('nothing is watched, and no timer runs, while nobody looks', () => {
  const { stream, tap, happen } = streamed();
  expect([tap.isWatched, tap.isStepped]).toEqual([false, false]);
  const page = new Page();
  stream.add(page);
  expect([tap.isWatched, tap.isStepped]).toEqual([true, true]);
  happen(1);
  stream.remove(page);
  expect([tap.isWatched, tap.isStepped]).toEqual([false, false]);
  happen(1);
  expect(page.messages).toEqual([]);
});

it('what happens within 200 ms is one message, and no record is missing', () => {
  const { stream, happen } = streamed();
  const page = new Page();
  expect(numbersIn(stream.add(page))).toEqual([0, 1]);
  happen(3);
  batch();
  happen(1);
  batch();
  expect(page.messages.map(({ type }) => type)).toEqual(['records', 'records']);
  expect(page.numbers).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  stream.remove(page);
});

it('a page that is too slow misses records, is told how many, and goes on from a checkpoint; others miss none', () => {
  const { stream, happen } = streamed();
  const [slow, quick] = [new Page(), new Page()];
  stream.add(slow);
  stream.add(quick);
  slow.waiting = 100 * 1024 * 1024;
  happen(5);
  batch();
  happen(5);
  batch();
  // The slow page has received only the checkpoint that was written for the quick page.
  expect(slow.numbers).toEqual([1]);
  slow.waiting = 0;
  batch();
  const gap = slow.messages.at(-1);
  expect(gap).toMatchObject({ type: 'gap', missed: 20 });
  expect(gap && 'lines' in gap ? gap.lines : '').toContain('"k":"key"');
  happen(1);
  batch();
  expect(slow.numbers).toEqual([1, 21, 22, 23]);
  expect(quick.numbers).toEqual([...Array.from({ length: 20 }, (_, at) => at + 2), 21, 22, 23]);
  stream.remove(slow);
  stream.remove(quick);
});

it('more than can be told in time is a gap for everybody, and what waits stays bounded', () => {
  const { happen, page } = watched();
  happen(3_000);
  batch();
  expect(page.messages).toEqual([]);
  batch();
  expect(page.messages).toMatchObject([{ type: 'gap', missed: 6_000 }]);
  expect(page.numbers).toEqual([6_001]);
});

it('a checkpoint comes after every 25,000 records, up to which a page may let go what is older', () => {
  const { happen, page } = watched();
  for (let times = 0; times < 26; times++) {
    happen(500);
    batch();
  }
  const all = page.messages.map((message) => ('lines' in message ? message.lines : '')).join('');
  expect(all.match(/"k":"key"/g)).toHaveLength(1);
  // The page must have received all 26,000 records without a gap, and a checkpoint with the number of the last.
  expect(page.numbers).toEqual([...Array.from({ length: 26_000 }, (_, at) => at + 2), 26_001]);
});

it('a burst that takes long to write leaves the event loop free in between, and no record is missing', () => {
  const { happen, page } = watched();
  happen(100);
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 5));
  batch();
  const first = page.numbers.length;
  expect(first).toBeLessThan(200);
  vi.runAllTimers();
  expect(page.messages.length).toBeGreaterThan(2);
  expect(page.numbers).toEqual(Array.from({ length: 200 }, (_, at) => at + 2));
  vi.restoreAllMocks();
});

it('a page that comes later has each long list in a line of its own before what refers to it', () => {
  const { stream, directory } = streamed();
  const pages = [new Page(), new Page()];
  const tell = (): void => {
    directory.send('host:test', { type: 'news', tools } as never);
    batch();
  };
  const tools = Array.from({ length: 200 }, (_, n) => `tool ${n}`);
  const seen = (page: Page | undefined): string =>
    page?.messages.map((message) => ('lines' in message ? message.lines : '')).join('') ?? '';
  for (const page of pages) {
    stream.add(page);
    tell();
    tell();
  }
  for (const page of pages) expect(seen(page).match(/"k":"list"/g)).toHaveLength(page === pages[0] ? 2 : 1);
  expect(seen(pages[1]).indexOf('"k":"list"')).toBeLessThan(seen(pages[1]).indexOf('"$list"'));
  expect(seen(pages[1])).not.toMatch(/"k":"(in|said)"[^\n]*tool 150/);
  for (const page of pages) stream.remove(page);
});

it('a page that is parted from hears what happened until then, and nothing more', () => {
  const { stream, tap, happen } = streamed();
  const page = new Page();
  stream.add(page);
  happen(1);
  stream.part([page], 'over');
  expect(page.messages.map(({ type }) => type)).toEqual(['records', 'closed']);
  expect(tap.isWatched).toBe(false);
});
