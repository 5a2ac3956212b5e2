import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { machines } from '../../../actors/kinds/all.ts';
import { isCrossing, type CrossingLine, type Trace } from '../../../machines/trace/reading.ts';
import { provided } from '../../fixtures/altered.ts';
import { commandLine, type CommandOutput } from '../../fixtures/command-line.ts';
import { boundaryOf, fileTextOf } from '../../fixtures/recorded-run.ts';
import { traceOf } from '../../stage/recording.ts';
import { Harness } from '../../stage/harness.ts';
import { forkFile, ForkError, type Fork } from './fork.ts';
import { replay } from '../replay.ts';
import { tapeOf, type TapeLine } from '../tape.ts';
import { testFolder } from '../../fixtures/test-folder.ts';
import { traceOf as traceIn } from '../world/world.ts';

const folder = testFolder('fork');
const fileOf = (name: string, trace: Trace): string => {
  const file = join(folder, name);
  writeFileSync(file, fileTextOf(trace));
  return file;
};

async function life(): Promise<Trace> {
  const harness = new Harness({
    servers: { fs: { tools: { read: { answers: { content: [] }, afterMs: 50 } } } },
  });
  await harness.office();
  harness.computer({ linked: true });
  await harness.run(1_000);
  harness.call('read', { timeoutMs: 500 });
  await harness.run(30_000);
  harness.close();
  await harness.run(30_000);
  return traceOf(harness.recorder);
}
const recorded = boundaryOf(await life());
const file = fileOf('life.trace.ndjson', recorded);
const inputs = tapeOf(recorded).steps.map(({ line }) => line);
const find = (what: (record: CrossingLine) => boolean): TapeLine =>
  inputs.find(({ record }) => what(record)) as TapeLine;
const typed = (type: string): TapeLine => find(({ ev }) => ev?.type === type);
const answer = find(({ ch, ev }) => ch.startsWith('ask tools/call ') && ev?.type === 'ask.answered');
const opened = typed('session.opened');
const joined = typed('join.accepted');
const call = typed('callTool');

const out = join(folder, 'out.trace.ndjson');
const fork = (...argv: readonly string[]): Promise<CommandOutput> =>
  commandLine(['fork', file, '--out', out, ...argv]);
async function forked(...argv: readonly string[]): Promise<Fork> {
  const { out: text, code, err } = await fork('--json', ...argv);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(text) as Fork;
}
async function expectReplays(): Promise<void> {
  expect((await replay(out)).text).toMatch(/^SAME [^\n]*$/);
}

describe('a fork without a change', () => {
  it('is the same world, and nothing became otherwise', async () => {
    expect(await forked()).toMatchObject({ differences: [], unheard: [], foreign: [], violations: [] });
    await expectReplays();
    const crossings = (path: string): unknown[] =>
      traceIn(path).trace.lines.flatMap(({ t, record }) =>
        isCrossing(record) ? [{ t, k: record.k, ch: record.ch, ev: record.ev, w: record.w }] : [],
      );
    expect(crossings(out)).toEqual(crossings(file));
  });

  it('is met by the code of today: what it does otherwise is told', async () => {
    const today = machines as Record<string, AnyStateMachine>;
    const { call: before } = today;
    Object.assign(today, provided('call', { guards: { isInvalid: () => true } }));
    const { differences } = await forked().finally(() => Object.assign(today, { call: before }));
    expect(differences).toEqual([expect.stringMatching(/^call r1: succeeded \| refused, outcome failed/)]);
  });
});

describe('--skip', () => {
  it('lets the time-out of an answer pass, which had not: a timer of the fork alone', async () => {
    const { differences, foreign, unheard } = await forked('--skip', String(answer.s));
    expect(differences).toEqual([
      expect.stringMatching(/^call r1: succeeded \| timedOut, outcome unknown \(ToolExecutionTimeout: /),
    ]);
    expect(foreign).toEqual([expect.stringMatching(/^timer limit of fs .* 500\/1$/)]);
    expect(unheard).toEqual([]);
    await expectReplays();
  });

  it('leaves the rest unheard after what everything hangs on, and says of which inputs', async () => {
    const { unheard, differences } = await forked('--skip', String(opened.s));
    expect(unheard).toContain(answer.s);
    expect(differences).toContainEqual(
      expect.stringMatching(/^call r1: succeeded \| timedOut, outcome failed /),
    );
    await expectReplays();
  });

  it('needs for a join random numbers that were not recorded, and is a complete trace all the same', async () => {
    const { foreign } = await forked('--skip', String(joined.s));
    expect(foreign.some((name) => name.startsWith('timer '))).toBe(true);
    expect(foreign).toContain('random');
    expect(readFileSync(out, 'utf8')).toContain('"ch":"random"');
    await expectReplays();
  });
});

describe('--set and --inject', () => {
  it('put another value into the input at --at', async () => {
    const { differences } = await forked('--at', String(answer.s), '--set', 'ev.result={"isError":true}');
    expect(differences).toEqual(['call r1: succeeded | failed']);
    await expectReplays();
  });

  it('take what is no JSON for a text', async () => {
    await forked('--at', String(call.s), '--set', 'ev.tool=nothing', '--set', 'ev.timeoutMs=7');
    const text = readFileSync(out, 'utf8');
    expect(text).toMatch(/"tool":"nothing"[^\n]*"timeoutMs":7,/);
    await expectReplays();
  });

  it('let something happen just before it', async () => {
    const exited = { type: 'child.exited', code: 1, signal: null, stderr: 'oh', left: 0 };
    const death = { ch: 'process:fs/1', ev: exited };
    const words = ['--at', String(answer.s), '--inject', JSON.stringify(death)];
    const { differences, unheard } = await forked(...words);
    expect(differences).toContainEqual(
      expect.stringMatching(/^call r1: succeeded \| unknown \(ServerLost: /),
    );
    expect(differences).toContainEqual(
      expect.stringMatching(/^process fs\/1: .* \| ended with exit code 1$/),
    );
    expect(differences).toContainEqual(
      expect.stringMatching(/^server fs: .*ready → closing \| .*ready → recovering → waiting/),
    );
    expect(unheard).toContain(answer.s);
    await expectReplays();
  });
});

describe('the output of a fork', () => {
  it('tells what was recorded beside what is forked, timers and inputs, and the new file', async () => {
    const { code, out: text } = await fork('--skip', String(answer.s));
    expect(code).toBe(0);
    expect(text.trimEnd().split('\n')).toEqual([
      'recorded | forked',
      expect.stringMatching(
        /^ {2}call r1: succeeded \| timedOut, outcome unknown \(ToolExecutionTimeout: .*\)$/,
      ),
      '1 timer was over of which the recording does not know (timer "limit" of fs, 500 ms)',
      out,
    ]);
  });

  it('stands beside the recording where no other place is named, and never in its place', async () => {
    const before = readFileSync(file, 'utf8');
    const { out: text } = await commandLine(['fork', file]);
    expect(text.trimEnd().split('\n').at(-1)).toBe(join(folder, 'life.fork.trace.ndjson'));
    expect(existsSync(join(folder, 'life.fork.trace.ndjson'))).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('is the same from a test: outcomes of both worlds, and nothing is written', async () => {
    const before = readFileSync(file, 'utf8');
    const { recorded: was, forked: is, differences } = await forkFile(file, { skip: [answer.s] });
    expect([was.calls['r1']?.end, is.calls['r1']?.end]).toEqual(['succeeded', 'timedOut']);
    const timeOut = { tool: 'read', server: 'fs', code: 'ToolExecutionTimeout', answers: 1 };
    expect(is.calls['r1']).toMatchObject(timeOut);
    expect(differences).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toBe(before);
    await expect(forkFile(file, { at: 1, set: { 'ev.nothing': 1 } })).rejects.toBeInstanceOf(ForkError);
    await expect(forkFile(join(folder, 'nowhere'))).rejects.toThrow('no such file');
  });

  it('comes with the exit code of the invariant that is violated', async () => {
    const twice = { ch: 'host:computer', ev: { ...(typed('createComputer').record.ev as object) } };
    const { code, out: text } = await fork('--at', String(answer.s), '--inject', JSON.stringify(twice));
    expect({ code, text }).toEqual({
      code: 2,
      text: expect.stringContaining('no defect is reported: computer: opened twice'),
    });
  });

  it('comes with exit code 0 where the host speaks to somebody who is not there in this world', async () => {
    const lost = { ch: 'host:nobody', ev: { type: 'hello' } };
    const { code } = await fork('--at', String(answer.s), '--inject', JSON.stringify(lost));
    expect(code).toBe(0);
  });
});

describe('a mistake at a2c fork', () => {
  const at = ['--at', String(answer.s)];
  const input = inputs.findLast(({ s }) => s < answer.s)?.s;
  it.each([
    [['--at', `${answer.s - 1}`], `seq ${answer.s - 1} is no input; the one before it is ${input}`],
    [['--skip', '999999'], 'seq 999999 is no input; the one before it is'],
    [['--at', 'soon'], 'a whole number'],
    [['--set', 'ev.code=1'], '--set and --inject need --at SEQ'],
    [['--inject', '{"ch":"host:computer"}'], '--set and --inject need --at SEQ'],
    [[...at, '--set', 'ev.code'], '--set ev.code: write KEY=VALUE, such as ev.code=1'],
    [[...at, '--set', 'ev.cod=1'], '--set ev.cod: the input has no such value; it has ev.type, ev.result'],
    [[...at, '--set', 'ev.x.y=1'], '--set ev.x.y: the input has no such value; it has '],
    [
      [...at, '--set', 'ev.result.content.0=1'],
      'the input has no such value; ev.result.content is empty: set all of it',
    ],
    [[...at, '--inject', '{via:host}'], 'write an input, such as {"ch":"host:computer"'],
    [[...at, '--inject', '42'], '--inject 42: no object'],
    [[...at, '--inject', '{"via":"dream","a":"x"}'], 'ch'],
    [[...at, '--inject', '{"k":"post","a":"x","from":"y","ev":{"type":"z"}}'], 'only inputs can be injected'],
  ])('is 64 for %j, with what to write instead', async (argv, text) => {
    rmSync(out, { force: true });
    const { code, err } = await fork(...argv);
    expect({ code, err }).toEqual({ code: 64, err: expect.stringContaining(text) });
    expect(existsSync(out)).toBe(false);
  });

  it('is 5 for a file that is no trace or has no beginning, and 64 where there is none', async () => {
    const garbage = join(folder, 'garbage.trace.ndjson');
    writeFileSync(garbage, 'no');
    expect(await commandLine(['fork', garbage])).toMatchObject({
      code: 5,
      err: expect.stringContaining('line 1'),
    });
    const cut = { ...recorded, head: { ...recorded.head, next: 50 }, lines: recorded.lines.slice(49) };
    expect(await commandLine(['fork', fileOf('cut.trace.ndjson', cut)])).toMatchObject({
      code: 5,
      err: expect.stringContaining('its beginning is missing'),
    });
    expect(await commandLine(['fork', join(folder, 'nowhere')])).toMatchObject({ code: 64 });
  });
});
