import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../actors/cli/context.ts';
import type { RedactTraceOptions } from '../../actors/cli/laboratory.ts';
import { Harness } from '../stage/harness.ts';
import { recorderOf } from '../stage/recording.ts';
import { readBack } from './again/recorded-again.ts';
import { redact, redactedText, type RedactOptions } from './redact.ts';
import { redactCommand } from './redact-command.ts';
import { replayTrace } from './replay-trace.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const folder = testFolder('redact');

const pin = '4711-9922';
/** Longer than the name of a channel may be, which gets a hash of it. */
const note = `${'a long note '.repeat(20)}for Jane Roe`;

async function recorded(ringBytes = Infinity): Promise<string> {
  const rows = Array.from({ length: 60 }, () => ({ owner: 'Jane Roe', code: 12 }));
  const answers = { content: [{ type: 'text', text: `paid with ${pin}, code 12` }], rows };
  const harness = new Harness({ servers: { fs: { tools: { pay: { answers, afterMs: 5 } } } } });
  const recorder = recorderOf(harness.clock, { ringBytes, profile: 'boundary' });
  harness.directory.tap.add(recorder);
  await harness.office();
  harness.computer({ linked: true });
  harness.agent();
  await harness.run(1_000);
  for (const params of [
    { pin, code: 12 },
    { pin, note },
    { pin: '0000-0000', code: 7, note },
    { pin, code: 12 },
  ]) {
    harness.agentCall('pay', { params });
    await harness.run(50);
    const request = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'pay', arguments: params },
    };
    recorder.frame({
      k: 'frame',
      a: 'computer/client:fs#1/session#1',
      via: 'mcp',
      dir: 'out',
      json: request,
    });
  }
  recorder.mark(`pin ${pin} again`);
  harness.close();
  await harness.run(30_000);
  return recorder.text(`asked for ${pin}`);
}
const marksIn = (text: string): string[] => text.match(/«redacted:[0-9a-f]+»/g) ?? [];
const hidden = (text: string, options: RedactOptions): string => {
  const done = redactedText(text, options);
  expect(done.unmatched).toEqual([]);
  expect(done.places).toBeGreaterThan(0);
  return done.text;
};

describe('a redacted trace', async () => {
  const text = await recorded();

  it('is valid, and has nowhere what stands at a path: texts, marks, messages, names, its own end', () => {
    expect(text.split(pin).length).toBeGreaterThan(10);
    const after = hidden(text, { paths: ['ev.arguments.pin'] });
    expect(after).not.toContain(pin);
    expect(after).not.toContain('0000-0000');
    const { lines, tail } = readBack(after);
    expect(lines).toHaveLength(readBack(text).lines.length);
    expect(tail?.reason).toMatch(/^asked for «redacted:\w+»$/);
    expect(new Set(marksIn(after)).size).toBe(2);
    expect(after).toContain('"pin «redacted:');
  });

  it('replays as before, also where a name has a hash of what was hidden', () => {
    const before = replayTrace(readBack(text));
    expect(before.difference).toBeUndefined();
    for (const options of [
      { paths: ['ev.arguments.pin'] },
      { values: ['Jane Roe'] },
      { paths: ['ev.arguments'] },
      { paths: ['ev.arguments.*', 'ev.result.content.*.text', 'ev.result.rows.0.owner'] },
      { values: [pin, 'paid'] },
    ] as RedactOptions[]) {
      const { difference, matched, total, inputs } = replayTrace(readBack(hidden(text, options)));
      expect(difference).toBeUndefined();
      expect({ matched, total, inputs }).toEqual({
        matched: before.matched,
        total: before.total,
        inputs: before.inputs,
      });
    }
  });

  it('replays as before from a ring that has lost its beginning, in a calm moment', async () => {
    const all = await Promise.all([30_000, 60_000, 90_000, 120_000, 150_000].map(recorded));
    const cut = all.filter((some) => some.includes('"k":"facts"'));
    const calm = cut.filter((some) => readBack(some).facts?.facts.open.length === 0);
    expect(calm.length).toBeGreaterThan(0);
    for (const some of calm) {
      expect(replayTrace(readBack(some)).difference).toBeUndefined();
      const after = hidden(some, { values: [pin, 'Jane Roe'] });
      expect(after).not.toContain('Jane Roe');
      expect(replayTrace(readBack(after)).difference).toBeUndefined();
    }
  });

  it('hides a short value where it stands under the same key alone', () => {
    const after = hidden(text, { paths: ['ev.arguments.code'] });
    expect(text).toMatch(/\\"code\\":(12|7)/);
    expect(after).not.toMatch(/\\?"code\\?":(12|7)\b/);
    expect(after).toContain('"code":0');
    expect(after).toContain('"id":1');
    expect(after).toContain('code 12');
  });

  it('shares lists by a hash of what they have now', () => {
    const listsIn = (some: string): string[] => some.match(/"h":"[0-9a-f]+"/g) ?? [];
    const after = hidden(text, { values: ['Jane Roe'] });
    expect(listsIn(text).length).toBeGreaterThan(0);
    expect(listsIn(after)).toHaveLength(listsIn(text).length);
    expect(listsIn(after).filter((h) => listsIn(text).includes(h))).toEqual([]);
  });

  it('has the same marks as another with the same key, and leaves marks as they are', () => {
    const once = hidden(text, { values: [pin], key: 'k' });
    expect(hidden(text, { values: [pin], key: 'k' })).toBe(once);
    expect(hidden(text, { values: [pin] })).not.toBe(once);
    const twice = hidden(once, { values: ['Jane Roe'], key: 'k' });
    expect(marksIn(twice)).toEqual(expect.arrayContaining([...new Set(marksIn(once))]));
    expect(new Set(marksIn(twice)).size).toBe(2);
  });

  it('is a trace still without its last line', () => {
    const torn = text.slice(0, -40);
    expect(readBack(hidden(torn, { values: [pin] }))).toMatchObject({ tail: undefined });
  });
});

describe('redact', async () => {
  const plain = join(folder, 'a.trace.ndjson');
  const packed = join(folder, 'b.trace.ndjson.gz');
  writeFileSync(plain, await recorded());
  writeFileSync(packed, gzipSync(await recorded()));

  it('writes beside the file, or where it is told to, or over it; packed where its name says so', () => {
    const values = [pin];
    const beside = redact(plain, { values });
    expect(beside).toMatchObject({ file: join(folder, 'a.redacted.trace.ndjson'), unmatched: [] });
    expect(readFileSync(beside.file, 'utf8')).not.toContain(pin);
    expect(readFileSync(plain, 'utf8')).toContain(pin);
    const { file } = redact(packed, { values });
    expect(file).toBe(join(folder, 'b.redacted.trace.ndjson.gz'));
    expect(gunzipSync(readFileSync(file)).toString()).not.toContain(pin);
    const unpacked = redact(packed, { values, out: join(folder, 'c.trace.ndjson') }).file;
    readBack(readFileSync(unpacked, 'utf8'));
    redact(plain, { values, inPlace: true });
    expect(readFileSync(plain, 'utf8')).not.toContain(pin);
  });
});

const recording = join(folder, 'recorded.trace.ndjson.gz');
copyFileSync('scenarios/recordings/death-in-mid-call.trace.ndjson.gz', recording);

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
    const [code, [line], err] = await run(recording, { value: ['hang'] });
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(line).toMatch(/\/recorded\.redacted\.trace\.ndjson\.gz: \d+ places hidden$/);
    expect(
      gunzipSync(readFileSync(join(folder, 'recorded.redacted.trace.ndjson.gz'))).toString(),
    ).not.toContain('"hang"');
  });
  it('ends with 1 and writes nothing when something matches nothing; a value is not repeated', async () => {
    const out = join(folder, 'never');
    expect(await run(recording, { path: ['ev.pin'], value: ['hang', 'hunter22'], out })).toEqual([
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
    expect((await run(recording, {}))[0]).toBe(64);
  });
});
