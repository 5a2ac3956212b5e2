import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { Checks } from '../../machines/inspection/index.ts';
import { changedTrace } from '../fixtures/changed-trace.ts';
import { commandLine } from '../fixtures/command-line.ts';
import { invariants } from '../invariants/index.ts';
import { recordingOf } from './show-command.ts';

const recording = fileURLToPath(new URL('../recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'a2c-checks-'));
afterAll(() => rmSync(folder, { recursive: true }));
const checksIn = (file: string): Checks => {
  const shown = recordingOf(file, () => {});
  if (typeof shown === 'string') throw new Error(shown);
  return shown.checks(shown.name);
};

describe('the checks of a recording', () => {
  it('name every invariant, and none of them is violated in one of ours', () => {
    const { verdict, text, invariants: checked, difference } = checksIn(recording);
    expect([verdict, difference]).toEqual(['same', null]);
    expect(text).toMatch(/^SAME /);
    expect(checked.map(({ name }) => name)).toEqual(invariants.map(({ invariant }) => invariant));
    expect(checked.flatMap(({ violations }) => violations)).toEqual([]);
  });

  it('say which record breaks one', async () => {
    const out = join(folder, 'broken.trace.ndjson');
    const inject = '{"via":"host","a":"computer","ev":{"type":"servers.set"}}';
    const shaky = fileURLToPath(new URL('../../examples/traces/shaky.trace.ndjson', import.meta.url));
    // Just before it is told to close (docs/replay.md).
    await commandLine(['fork', shaky, '--at', '14', '--inject', inject, '--out', out]);
    const shown = recordingOf(out, () => {});
    if (typeof shown === 'string') throw new Error(shown);
    const { verdict, invariants: checked } = shown.checks('x');
    expect(verdict).toBe('broken');
    const [violation] = checked.find(({ name }) => name === 'no machine fails')?.violations ?? [];
    const record = shown.text.split('\n').find((line) => line.includes(`"s":${violation?.s},`)) ?? '{}';
    expect(JSON.parse(record)).toMatchObject({ k: 'end', why: 'failed', a: violation?.at });
  });

  it('show where today’s machines go another way, both sides, and what was being handled', async () => {
    const out = join(folder, 'changed.trace.ndjson');
    const { input } = await changedTrace(recording, out);
    const { verdict, difference } = checksIn(out);
    expect(verdict).toBe('diverged');
    expect(difference?.s).toBe(input);
    const [before = '', after = ''] = [difference?.recorded[0], difference?.replayed[0]];
    expect(before).toMatch(/^timer {2}set /);
    expect(before).not.toBe(after);
    expect(before.replace(/\d+ ms$/, '')).toBe(after.replace(/\d+ ms$/, ''));
  });
});

describe('a2c replay --html', () => {
  it('writes one page with the trace and what differs, and ends as it would without', async () => {
    const out = join(folder, 'differs.trace.ndjson');
    await changedTrace(recording, out);
    const page = join(folder, 'page.html');
    const { code, err } = await commandLine(['replay', out, '--html', page]);
    expect(code).toBe(1);
    expect(err).toContain(`written: ${page}\n`);
    const embedded = /id="a2c-checks" type="application\/json">([^<]*)</.exec(
      readFileSync(page, 'utf8'),
    )?.[1];
    expect(JSON.parse(embedded ?? '{}')).toMatchObject({ verdict: 'diverged' });
  });

  it('takes one trace, and says why a page cannot be written', async () => {
    const many = await commandLine(['replay', recording, recording, '--html', join(folder, 'x.html')]);
    expect(many).toMatchObject({ code: 64, err: 'error: --html takes one trace\n' });
    const nowhere = await commandLine(['replay', recording, '--html', join(folder, 'none', 'x.html')]);
    expect(nowhere).toMatchObject({ code: 64, err: expect.stringContaining('no such file or directory') });
  });
});
