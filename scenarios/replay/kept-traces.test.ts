import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createComputer, type Computer, type RecordOptions } from '../../actors/index.ts';
import { commandLine } from '../fixtures/command-line.ts';
import { linked } from '../fixtures/hosted.ts';
import { replayTrace } from './replay-trace.ts';
import { readBack } from './again/recorded-again.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const folder = testFolder('kept');
let count = 0;
const secret = 'sk-0123456789abcdefghij';

interface Host {
  readonly computer: Computer;
  readonly notices: string[];
  readonly stateDir: string;
  kept(): string[];
  readonly lines: (file: string) => Record<string, unknown>[];
}
async function hostOf(record: RecordOptions = {}): Promise<Host> {
  const stateDir = join(folder, `${(count += 1)}`);
  const notices: string[] = [];
  const computer = await createComputer({
    config: { mcpServers: { files: { type: 'inmemory', autoApprove: ['all'] } } },
    inMemory: { files: linked().connect },
    stateDir,
    reaper: false,
    record,
    timing: anyTiming({ queryMs: 5_000 }),
    onNotice: (text) => notices.push(text),
  });
  const traces = join(stateDir, 'traces');
  return {
    computer,
    notices,
    stateDir,
    kept: () => {
      try {
        return readdirSync(traces)
          .toSorted()
          .map((name) => join(traces, name));
      } catch {
        return [];
      }
    },
    lines: (file) =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as never),
  };
}
async function call({ computer }: Host, tool: string, text = ''): Promise<string> {
  const pending = computer.callTool(tool, { text });
  await vi.advanceTimersByTimeAsync(1_000);
  return (await pending).outcome;
}

describe('a trace of a user’s failure', () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
      }),
  );
  afterEach(() => void vi.useRealTimers());

  it('is kept by itself when a call ended unknown, whole, with what was on the wire, and told in one line', async () => {
    const host = await hostOf();
    await vi.advanceTimersByTimeAsync(1_000);
    await call(host, 'echo', `the key is ${secret}`);
    host.computer.debug.mark('checkout retry');
    expect(await call(host, 'die', 'bye')).toBe('unknown');
    const [file = '', ...others] = host.kept();
    expect(others).toEqual([]);
    expect(file).toMatch(/-callUnknown\.trace\.ndjson$/);
    const told = host.notices.filter((text) => text.includes('a2c replay'));
    expect(told).toEqual([
      expect.stringMatching(/^call die of files ended unknown: .*; see a2c replay \S+$/),
    ]);
    expect(told[0]).toContain(file);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(secret);
    expect(readBack(text)).toMatchObject({ head: { next: 1 }, tail: { reason: 'callUnknown die' } });
    const lines = host.lines(file);
    expect(lines.filter(({ k }) => k === 'mark')).toMatchObject([
      { text: 'checkout retry', w: expect.any(Number) },
    ]);
    const frames = lines.filter(({ k }) => k === 'frame');
    expect(frames.map(({ dir, name = 'answer' }) => [dir, name].join(' '))).toEqual(
      [
        ...['out initialize', 'in answer', 'out notifications/initialized', 'out tools/list', 'in answer'],
        ...['out tools/call', 'in answer', 'out tools/call'],
        ...['out initialize', 'in answer', 'out notifications/initialized', 'out tools/list', 'in answer'],
      ].slice(0, frames.length),
    );
    expect(frames.length).toBeGreaterThanOrEqual(8);
    expect(frames[5]).toMatchObject({
      of: 'session:files/1',
      json: {
        method: 'tools/call',
        params: {
          name: 'echo',
          arguments: { text: expect.stringMatching(/^the key is sk-«redacted:\w+»$/) },
        },
      },
    });
    await host.computer.close();
  });

  it.each([
    [[], []],
    [['serverLost'], ['serverLost files']],
    [['callFailed'], ['callFailed nothing']],
    [
      ['serverLost', 'callUnknown'],
      ['callUnknown die, serverLost files', 'serverLost files, callUnknown die'],
    ],
  ] as [RecordOptions['on'], string[]][])(
    'is kept for the words that the host gave: %j',
    async (on, reasons) => {
      const host = await hostOf({ on: on ?? [] });
      await vi.advanceTimersByTimeAsync(1_000);
      await call(host, 'nothing');
      await call(host, 'die');
      const tails = host.kept().map((file) => host.lines(file).at(-1)?.['reason']);
      expect(tails).toHaveLength(Math.min(1, reasons.length));
      for (const tail of tails) expect(reasons).toContain(tail);
      await host.computer.close();
    },
  );

  it('is written by a host that closes meanwhile, and by none that closes with a call in flight', async () => {
    for (const [tool, files] of [
      ['die', 1],
      ['hang', 0],
    ] as const) {
      const host = await hostOf();
      await vi.advanceTimersByTimeAsync(1_000);
      const pending = host.computer.callTool(tool, {});
      if (tool === 'die') await pending;
      expect(host.kept()).toEqual([]);
      const closed = host.computer.close();
      await vi.advanceTimersByTimeAsync(20_000);
      await Promise.all([closed, pending]);
      expect(host.kept()).toHaveLength(files);
    }
  });

  it('is the file that grows, where there is one: a mark says why, and no other file is made', async () => {
    const dir = join(folder, 'growing');
    const host = await hostOf({ dir });
    await vi.advanceTimersByTimeAsync(1_000);
    await call(host, 'die');
    expect(host.kept()).toEqual([]);
    const [name = ''] = readdirSync(dir);
    const file = join(dir, name);
    expect(host.notices).toContainEqual(expect.stringMatching(`; see a2c replay ${file}$`));
    expect(host.lines(file).filter(({ k }) => k === 'mark')).toMatchObject([{ text: 'callUnknown die' }]);
    expect(host.lines(file).some(({ k }) => k === 'frame')).toBe(true);
    await host.computer.close();
    const { out } = await commandLine(['replay', file]);
    expect(out.split('\n').slice(1, 3)).toEqual([
      '  written because: call die ended unknown',
      expect.stringMatching(/^ {2}call \S+ \(die of files\): unknown/),
    ]);
  });

  it('is kept for no word that there is not', async () => {
    await expect(hostOf({ on: ['callunknown'] as never })).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringContaining(
        "one of callUnknown, callFailed, outputMismatch, serverGaveUp, serverLost, fault, got 'callunknown'",
      ),
    });
  });
});

describe('a mark', () => {
  it('has 200 characters at most, and is nothing where nothing is recorded', async () => {
    const host = await hostOf();
    host.computer.debug.mark('x'.repeat(1_000));
    host.computer.debug.mark(`with ${secret}`);
    const file = await host.computer.debug.writeTrace(host.stateDir);
    const texts = host.lines(file).flatMap(({ k, text }) => (k === 'mark' ? [text] : []));
    expect(texts).toEqual([`${'x'.repeat(199)}…`, expect.stringMatching(/^with sk-«redacted:\w+»$/)]);
    await host.computer.close();
    const silent = await createComputer({ record: false, stateDir: false, reaper: false });
    silent.debug.mark('nothing');
    await silent.close();
  });
});

describe('record.redact', () => {
  it('hides what it says, in names of channels, messages and whatever else is in the file, which replays', async () => {
    const asked = new Set<string>();
    const host = await hostOf({
      redact: (value, key) => {
        asked.add(key);
        if (key === 'text') return typeof value === 'string' ? value.replaceAll('Jane', 'N.') : value;
        return key === 'version' ? undefined : value;
      },
    });
    host.computer.debug.mark('for Jane');
    await host.computer.tools();
    await host.computer.callTool('echo', { text: `Jane ${'x'.repeat(100)}` });
    await host.computer.close();
    const file = await host.computer.debug.writeTrace(host.stateDir);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('Jane');
    expect(text).toContain('"text":"for N."');
    expect(text).toMatch(/"version":"«redacted:\w+»"/);
    expect(host.lines(file).find(({ k, name }) => k === 'frame' && name === 'tools/call')).toMatchObject({
      json: { params: { arguments: { text: expect.stringMatching(/^N\. x/) } } },
    });
    expect([...asked]).toEqual(expect.arrayContaining(['text', 'name', 'outcome']));
    expect([...asked].filter((key) => ['k', 'ch', 'a', 'via'].includes(key))).toEqual([]);
    expect(replayTrace(readBack(text)).difference).toBeUndefined();
  });

  it('hides a value when it throws, and is told of once', async () => {
    const host = await hostOf({
      redact: (value, key) => {
        if (key === 'text') throw new Error('no such table');
        return value;
      },
    });
    await host.computer.tools();
    await host.computer.callTool('echo', { text: 'Jane' });
    const text = readFileSync(await host.computer.debug.writeTrace(host.stateDir), 'utf8');
    expect(text).not.toContain('Jane');
    await host.computer.debug.writeTrace(host.stateDir);
    expect(host.notices.filter((each) => each.includes('record.redact'))).toEqual([
      'record.redact failed, and what it was asked about is hidden: Error: no such table',
    ]);
    await host.computer.close();
  });
});
