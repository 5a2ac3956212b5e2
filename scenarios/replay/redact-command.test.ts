import type { RedactTraceOptions } from '../../actors/cli/laboratory.ts';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../actors/cli/context.ts';
import { redactCommand } from './redact-command.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const folder = testFolder('redact-command');
const file = join(folder, 'a.trace.ndjson.gz');
copyFileSync('scenarios/recordings/death-in-mid-call.trace.ndjson.gz', file);

async function run(
  path: string,
  options: Partial<RedactTraceOptions>,
): Promise<[number, string[], string[]]> {
  const [out, err] = [[] as string[], [] as string[]];
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) };
  const all = { path: [], value: [], inPlace: false, ...options };
  return [await redactCommand({ terminal } as unknown as CommandContext, path, all), out, err];
}

describe('a2c redact', () => {
  it('says where it wrote, and how many places it hid', async () => {
    const [code, [line], err] = await run(file, { value: ['hang'] });
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(line).toMatch(/\/a\.redacted\.trace\.ndjson\.gz: \d+ places hidden$/);
    expect(gunzipSync(readFileSync(join(folder, 'a.redacted.trace.ndjson.gz'))).toString()).not.toContain(
      '"hang"',
    );
  });
  it('ends with 1 and writes nothing when something matches nothing; a value is not repeated', async () => {
    const out = join(folder, 'never');
    expect(await run(file, { path: ['ev.pin'], value: ['hang', 'hunter22'], out })).toEqual([
      1,
      [],
      [
        'nothing stands at ev.pin: `ev.arguments.pin` names fields of a line, * any of them',
        '2. --value stands nowhere in it',
        'nothing is written',
      ],
    ]);
    expect(() => readFileSync(out)).toThrow('ENOENT');
  });
  it('ends with 5 where the file is no trace, with 64 where nothing is asked for', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, '{}\n');
    expect(await run(other, { value: ['x'] })).toEqual([
      5,
      [],
      [expect.stringMatching(/^UNUSABLE .*other: line 1: /)],
    ]);
    expect((await run(join(folder, 'none'), { value: ['x'] }))[0]).toBe(5);
    expect((await run(file, {}))[0]).toBe(64);
  });
});
