import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Checks } from '../../machines/inspection.ts';
import { changedTrace } from '../fixtures/changed-trace.ts';
import { commandLine } from '../fixtures/command-line.ts';
import { fileTextOf, recordedRun } from '../fixtures/recorded-run.ts';
import { recordingOf } from './show-command.ts';
import { tapeOf } from './tape.ts';
import { traceOf } from './world/world.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const folder = testFolder('checks');
const recording = join(folder, 'life.trace.ndjson');
writeFileSync(recording, fileTextOf(await recordedRun()));
const checksIn = async (file: string): Promise<Checks> => {
  const shown = await recordingOf(file, () => {});
  if (typeof shown === 'string') throw new Error(shown);
  return shown.checks(shown.name);
};

describe('the checks of a recording', () => {
  it('find nothing in a recording of ours', async () => {
    expect(await checksIn(recording)).toEqual({ verdict: 'same', failures: [] });
  });

  it('say which record breaks an invariant', async () => {
    const out = join(folder, 'broken.trace.ndjson');
    const inject = '{"ch":"session:fs/1","ev":{"type":"session.opened"}}';
    const { steps } = tapeOf(traceOf(recording).trace);
    const opened = steps.find(({ line }) => line.record.ev?.type === 'session.opened');
    await commandLine(['fork', recording, '--at', String(opened?.line.s), '--inject', inject, '--out', out]);
    const shown = await recordingOf(out, () => {});
    if (typeof shown === 'string') throw new Error(shown);
    const { verdict, failures } = await shown.checks('x');
    expect(verdict).toBe('broken');
    const failure = failures.find(({ name }) => name === 'no machine fails');
    let text = '';
    for await (const part of shown.text()) text += part;
    const record = text.split('\n').find((line) => line.includes(`"s":${failure?.s},`)) ?? '{}';
    expect(JSON.parse(record)).toMatchObject({ k: 'end', why: 'failed' });
  });

  it('say where a replay differs, and why', async () => {
    const out = join(folder, 'changed.trace.ndjson');
    changedTrace(recording, out);
    const { verdict, failures } = await checksIn(out);
    expect(verdict).toBe('changed');
    const failure = failures.find(({ name }) => name === 'replay');
    expect(failure?.what).toMatch(/: server \w+ was open and is now ready$/);
    expect(failure?.s).toEqual(expect.any(Number));
  });
});
