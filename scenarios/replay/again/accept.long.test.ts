import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../fixtures/command-line.ts';
import { changedText, fileTextOf, recordedRun } from '../../fixtures/recorded-run.ts';
import { traceOf } from '../../stage/recording.ts';
import { Harness } from '../../stage/harness.ts';
import { replay, replayOf } from '../replay.ts';
import { testFolder } from '../../fixtures/test-folder.ts';

const folder = testFolder('accept');
const fileOf = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const a2c = (...argv: readonly string[]) => commandLine(['replay', ...argv]);
const life = await recordedRun();
const changed = changedText(life, '"end":"cancelled"', '"end":"failed"');
const short = async (act: (harness: Harness) => void | Promise<void>): Promise<string> => {
  const harness = new Harness({ servers: {} });
  harness.computer();
  await act(harness);
  await harness.run(30_000);
  return fileTextOf(traceOf(harness.recorder));
};
const refused: Readonly<Record<string, string>> = {
  broken: await short((harness) => {
    harness.order('nobody', { type: 'hello' });
    harness.close();
  }),
  stuck: await short(() => {}),
  unusable: 'no trace at all',
};

describe('--accept', () => {
  const outcomes =
    "  call r3: failed, outcome unknown (ToolCallCancelled: Call 'r3' was cancelled: asked) | cancelled, ";
  it('takes over what is done now, says what came to another end, and after it the trace is the same', async () => {
    const file = fileOf('accepted.trace.ndjson', changed);
    const { code, out } = await a2c('--accept', file);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^ACCEPTED .*: written again, with another record \d+ and what follows from it\n {2}recorded \| now\n/,
      ),
    });
    expect(out).toContain(outcomes);
    const now = await replay(file);
    expect(now.text).toMatch(/^SAME [^\n]*$/);
    expect(now.digest).toBe(replayOf('life', life).digest);
  });
  it('writes a file of gzip as one, and leaves what is the same', async () => {
    const file = join(folder, 'accepted.trace.ndjson.gz');
    writeFileSync(file, gzipSync(changed));
    expect(await a2c('--accept', file)).toMatchObject({ code: 0 });
    expect((await replay(file)).verdict).toBe('same');
    const before = readFileSync(file);
    expect(await a2c('--accept', file)).toMatchObject({ code: 0, out: expect.stringMatching(/^SAME/) });
    expect(readFileSync(file)).toEqual(before);
  });
  it.each([
    ['broken', 2],
    ['stuck', 3],
    ['unusable', 5],
  ])('does not take over what is %s', async (name, wanted) => {
    const file = fileOf(`${name}.trace.ndjson`, refused[name] ?? '');
    const before = readFileSync(file, 'utf8');
    const { code, out } = await a2c('--accept', file);
    expect({ code, out }).toEqual({
      code: wanted,
      out: expect.stringContaining(`not accepted: ${file} is as it was`),
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
