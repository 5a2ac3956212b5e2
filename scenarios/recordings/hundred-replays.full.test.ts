import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../fixtures/test-folder.ts';
import { readTraceFile } from '../replay/report/files.ts';
import { replayTrace } from '../replay/replay-trace.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const minute = 'scenarios/recordings/minute.trace.ndjson.gz';
const read = readTraceFile(join(root, minute));
if (!read.ok) throw new Error(`${minute}: line ${read.line}: ${read.problem}`);
const { trace } = read;
const first = replayTrace(trace);

const replayedIn = (checkout: string, ...flags: string[]): { verdict: string; digest: string } => {
  const argv = [...flags, '--import', 'tsx', 'actors/main.ts', 'replay', minute, '--json'];
  const text = execFileSync(process.execPath, argv, { cwd: checkout, encoding: 'utf8' });
  const { replays } = JSON.parse(text) as { replays: { verdict: string; digest: string }[] };
  return replays[0] as { verdict: string; digest: string };
};

describe('a minute of a real host', () => {
  it('had everything happen: processes died, calls were cancelled and timed out, the office went', () => {
    const said = (word: string): number =>
      first.seen.filter(({ record }) => JSON.stringify(record).includes(word)).length;
    expect(trace.lines.at(-1)?.t).toBeGreaterThan(60_000);
    expect(said('"SIGKILL"')).toBeGreaterThan(3);
    expect(said('"end":"cancelled"')).toBeGreaterThan(3);
    expect(said('"end":"timedOut"')).toBeGreaterThan(3);
    expect(said('"end":"unknown"')).toBeGreaterThan(0);
    expect(said('link.down')).toBeGreaterThan(0);
    expect(first.seen.some(({ record }) => record.k === 'draw')).toBe(true);
  });

  it('replays a hundred times of a hundred with the same digest', () => {
    const digests = Array.from({ length: 100 }, (_, n) => {
      const again = replayTrace(trace);
      return again.difference ? `changed in replay ${n}` : again.digest;
    });
    expect(new Set(digests)).toEqual(new Set([first.digest]));
  });

  it.each([1, 2, 3])('replays to the same digest under node --random-seed=%i', (seed) => {
    expect(replayedIn(root, `--random-seed=${seed}`)).toMatchObject({
      verdict: 'same',
      digest: first.digest,
    });
  });

  it('replays to the same digest on another checkout of the same commit', () => {
    const checkout = testFolder('checkout');
    const git = (...argv: string[]): string => execFileSync('git', argv, { cwd: root, encoding: 'utf8' });
    const isClean = git('status', '--porcelain', '--', 'machines', 'actors', 'scenarios').trim() === '';
    git('clone', '--quiet', '--no-hardlinks', root, checkout);
    symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'dir');
    const replayed = replayedIn(checkout);
    // With uncommitted changes the program differs: then the replay has to succeed, with any digest.
    expect(replayed.verdict).toBe('same');
    if (isClean) expect(replayed.digest).toBe(first.digest);
  });
}, 300_000);
