import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DOMParser } from '@xmldom/xmldom';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Trace } from '../../machines/trace/reading.ts';
import { commandLine } from '../fixtures/command-line.ts';
import { changedText, fileTextOf, recordedRun } from '../fixtures/recorded-run.ts';
import { traceOf } from '../stage/recording.ts';
import { Harness } from '../stage/harness.ts';
import { junitXml } from './report/junit.ts';
import { replay, replayOf } from './replay.ts';
import { tapeOf } from './tape.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const folder = testFolder('replay');
const fileOf = (name: string, content: string | Trace): string => {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : fileTextOf(content));
  return file;
};
const a2c = (...argv: readonly string[]) => commandLine(['replay', ...argv]);

const life = await recordedRun();
const inputs = tapeOf(life).steps.length;
const records = life.lines.filter(({ record }) => record.k === 'out' || record.k === 'said').length;
const good = fileOf('good.trace.ndjson', life);
const short = async (act: (harness: Harness) => void | Promise<void>): Promise<Trace> => {
  const harness = new Harness({ servers: {} });
  harness.computer();
  await act(harness);
  await harness.run(30_000);
  return traceOf(harness.recorder);
};
const changedLife = changedText(life, '"end":"cancelled"', '"end":"failed"');
const changed = fileOf('changed.trace.ndjson', changedLife);
const broken = fileOf(
  'broken.trace.ndjson',
  await short((harness) => {
    harness.order('nobody', { type: 'hello' });
    harness.close();
  }),
);
const stuck = fileOf('stuck.trace.ndjson', await short(() => {}));
const unusable = fileOf('unusable.trace.ndjson', 'PK\u0003\u0004 no trace at all');
const lines = (text: string): string[] => text.trimEnd().split('\n');

describe('the exit code', () => {
  it('is 0 for the same: its line, and what became of calls, servers, seats and processes', async () => {
    const { code, out, err } = await a2c(good);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(lines(out)).toEqual([
      expect.stringMatching(
        new RegExp(`^SAME .*: ${inputs} inputs, ${records} records, digest [0-9a-f]{16}$`),
      ),
      expect.stringMatching(
        /^ {2}call r2 \(hang of fs\): timedOut, outcome unknown \(ToolExecutionTimeout: .*\), after 0.500 s$/,
      ),
      expect.stringMatching(
        /^ {2}call r3 \(hang of fs\): cancelled, outcome unknown \(ToolCallCancelled: .*\), after 0.100 s$/,
      ),
      expect.stringMatching(/^ {2}call r6 \(cut of fs\): unknown \(ServerLost: .*\), after 0.251 s$/),
      '  call r1 (read of fs): succeeded, after 0.024 s',
      '  call r4 (change of fs): succeeded, after 0.001 s',
      '  call r5 (change of fs): succeeded, after 0.001 s',
      '  server fs: connecting → ready → recovering → waiting → connecting → ready → closing',
      '  seat computer:c1: connecting → joined → closed',
      '  seat agent:a1: connecting → joined → closed',
      '  process fs/1: ended by SIGTERM',
      '  process fs/2: ended by SIGTERM',
    ]);
  });

  it('is 1 for what changed, and says what, why, and how to see it again', async () => {
    const { code, out } = await a2c(changed);
    expect(code).toBe(1);
    const cause = "cause: the call r3 was answered 'failed' and is now answered 'cancelled'";
    expect(out).toContain(`  ${cause}\n`);
    const [, again = ''] = /again: npx -p a2c-actors a2c (.*)$/m.exec(out) ?? [];
    expect(again).toMatch(/ --until \d+$/);
    expect(await commandLine(again.split(' '))).toMatchObject({
      code: 1,
      out: expect.stringContaining(cause),
    });
  });

  it('is 2 for a violated invariant, 3 for what never ended', async () => {
    const [two, three] = [await a2c(broken), await a2c(stuck)];
    expect([two.code, three.code]).toEqual([2, 3]);
    expect(two.out).toMatch(/^BROKEN .*\n {2}no message is lost: host -> nobody: hello\n/);
    expect(three.out).toMatch(/^STUCK .*\n {2}no root is left: computer#1 is left\n/);
  });

  it('is 5 for what is no trace, with its line and a remedy', async () => {
    expect(await a2c(unusable)).toMatchObject({
      code: 5,
      out: `UNUSABLE ${unusable}: line 1: its first line is no head of an a2c-trace\n  Is it a trace? Record one with: a2c up --record DIR\n`,
    });
  });

  it.each([
    [
      'a config that this version cannot read',
      '"plan":{',
      '"config":{"mcpServers":7},"known":{},"policy":{"timing":{}},"old":{',
      /record \d+ \(0.001 s\), your program made its computer: its config cannot be read by this version: ./,
    ],
    [
      'a host of an unknown kind',
      'host:office',
      'host:palace',
      /record \d+ \(0.000 s\), your program made its palace: it cannot be replayed: ./,
    ],
  ])('is 5 for %s, and says which record it is about', async (_, from, to, text) => {
    const { code, out } = await a2c(fileOf('other.trace.ndjson', changedText(life, from, to)));
    expect({ code, out }).toEqual({ code: 5, out: expect.stringMatching(text) });
    expect(out).toMatch(/\n {2}Replay it with the version that wrote it, 0, or record it again\.\n$/);
    expect(out).not.toContain('undefined');
  });

  it.each([
    [[], "missing required argument 'path'"],
    [['--level', 'steps', good], "unknown option '--level'"],
    [['--accept', '--until', '3', good], "cannot be used with option '--accept'"],
    [['--until', 'soon', good], 'a whole number'],
    [[join(folder, 'nowhere')], 'nowhere: no such trace or folder'],
    [[join(folder, 'empty')], 'no *.trace.ndjson in'],
    [['--junit', join(folder, 'nowhere', 'x.xml'), good], '--junit: ENOENT'],
    [['--html', join(folder, 'x.html'), good, good], '--html takes one trace'],
    [['--html', join(folder, 'none', 'x.html'), good], 'no such file or directory'],
    [['--server', 'other', good], "no server 'other' in"],
    [['--server', 'fs', good, good], '--server takes one trace'],
    [['--server', 'fs', '--junit', 'x.xml', good], 'cannot be used with'],
  ])('is 64 for %j, and says what is wrong', async (argv, text) => {
    mkdirSync(join(folder, 'empty'), { recursive: true });
    const { code, err } = await a2c(...argv);
    expect(code).toBe(64);
    expect(err).toContain(text);
  });

  it('is the highest of several files, and each has its verdict', async () => {
    const { code, out } = await a2c(good, broken, changed, good);
    expect(code).toBe(2);
    expect(
      lines(out)
        .filter((line) => /^[A-Z]/.test(line))
        .map((line) => line.split(' ')[0]),
    ).toEqual(['SAME', 'BROKEN', 'CHANGED', 'SAME']);
    expect(lines(out).at(-1)).toBe('2 of 4 the same');
  });

  it('is for a folder that of all traces in it and below, in the order of their names', async () => {
    const all = join(folder, 'all');
    fileOf('all/b.trace.ndjson', 'x');
    fileOf('all/a/z.trace.ndjson', readFileSync(good, 'utf8'));
    fileOf('all/notes.txt', 'not a trace, and not asked');
    const { code, out } = await a2c(all);
    expect(code).toBe(5);
    expect(lines(out).map((line) => line.split(':')[0])).toEqual([
      `SAME ${join(all, 'a/z.trace.ndjson')}`,
      `UNUSABLE ${join(all, 'b.trace.ndjson')}`,
      '  Is it a trace? Record one with',
      '1 of 2 the same',
    ]);
  });

  it('is 130 after Ctrl-C between two files, and what was known is told', async () => {
    const aborter = new AbortController();
    const { code, out } = await commandLine(['replay', good, good, good], {
      signal: aborter.signal,
      onLine: () => aborter.abort(),
    });
    expect(code).toBe(130);
    expect(lines(out).filter((line) => line.startsWith('SAME'))).toHaveLength(1);
  });
});

describe('the output of a2c replay', () => {
  it('is one document with --json, with everything that the text says', async () => {
    const { code, out, err } = await a2c('--json', good, changed);
    expect({ code, err, lines: lines(out).length }).toEqual({ code: 1, err: '', lines: 1 });
    const { replays } = JSON.parse(out) as { replays: Record<string, unknown>[] };
    expect(replays).toMatchObject([
      {
        file: good,
        verdict: 'same',
        inputs,
        violations: [],
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      {
        file: changed,
        verdict: 'changed',
        text: expect.stringContaining('cause: '),
        difference: {
          cause: expect.stringContaining('the call r3'),
          now: expect.stringContaining('cancelled'),
        },
        outcomes: {
          calls: {
            r3: { tool: 'hang', server: 'fs', end: 'cancelled', code: 'ToolCallCancelled', answers: 1 },
          },
        },
      },
    ]);
  });

  it('says with --until where every machine stands after that input', async () => {
    const { line } =
      life.lines
        .map((each) => ({ line: each }))
        .find(({ line: { text } }) => text.includes('"child.started"')) ?? {};
    const { code, out } = await a2c('--until', String(line?.s), good);
    expect(code).toBe(0);
    expect(lines(out).slice(1)).toEqual(
      expect.arrayContaining([
        '  office#1  {serving:open}',
        expect.stringMatching(/^ {2}computer\/client:fs#\d+ {2}\{on:handshaking\}$/),
        expect.stringMatching(/^ {2}computer\/client:fs\/connection\/process#\d+ {2}running$/),
      ]),
    );
  });

  it('is a line at the file at GitHub, escaped', async () => {
    vi.stubEnv('GITHUB_ACTIONS', 'true');
    const { out } = await a2c(fileOf('a,b:c.trace.ndjson', 'x%y'), good);
    const said = lines(out).filter((line) => line.startsWith('::error'));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(
      /^::error file=\S*a%2Cb%3Ac\.trace\.ndjson,title=unusable::UNUSABLE .*%0A {2}Is it a trace/,
    );
  });
  afterEach(() => vi.unstubAllEnvs());

  it('is with --junit a suite with a case for each file', async () => {
    const file = join(folder, 'report.xml');
    await a2c('--junit', file, good, broken, unusable);
    const xml = readFileSync(file, 'utf8');
    expect(elementsIn(xml).filter((name) => name === 'testcase')).toHaveLength(3);
    expect(xml).toContain('<testsuites tests="3" failures="2"');
    expect(xml).toContain('<failure type="broken" message="BROKEN ');
  });
});

function elementsIn(xml: string): string[] {
  // oxlint-disable-next-line no-control-regex
  if (/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(xml))
    throw new Error('no character of XML');
  const errorHandler = (_level: string, message: unknown): never => {
    throw new Error(String(message));
  };
  const parsed = new DOMParser({ errorHandler }).parseFromString(xml, 'text/xml');
  return Array.from(parsed.getElementsByTagName('*'), ({ tagName }) => tagName);
}

describe('JUnit XML', () => {
  it('is well-formed, whatever a file is called and whatever went wrong', () => {
    const wild = 'a<b>&"c"\' ]]> \u0000\u001b[31m\ud800 \ufffe é 😀\n--';
    const failure = { kind: wild, text: wild };
    const xml = junitXml(wild, [
      { name: wild, seconds: 0.0015, failure },
      { name: 'x', seconds: 0 },
    ]);
    expect(elementsIn(xml)).toEqual(['testsuites', 'testsuite', 'testcase', 'failure', 'testcase']);
    expect(xml).toContain('a&lt;b&gt;&amp;&quot;c&quot;&apos;');
    expect(xml).toContain('é 😀');
    expect(xml).toContain('time="0.002"');
  });
});

describe('a2c replay --accept', () => {
  it('takes over what is done now, says what came to another end, and after it the trace is the same', async () => {
    const file = fileOf('accepted.trace.ndjson', changedLife);
    const { code, out } = await a2c('--accept', file);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^ACCEPTED .*: written again, with another record \d+ and what follows from it\n {2}recorded \| now\n/,
      ),
    });
    expect(out).toContain(
      "  call r3: failed, outcome unknown (ToolCallCancelled: Call 'r3' was cancelled: asked) | cancelled, ",
    );
    const now = await replay(file);
    expect(now.text).toMatch(/^SAME [^\n]*$/);
    expect(now.digest).toBe(replayOf('life', life).digest);
  });

  it('writes a file of gzip as one, and leaves what is the same', async () => {
    const file = join(folder, 'accepted.trace.ndjson.gz');
    writeFileSync(file, gzipSync(changedLife));
    expect(await a2c('--accept', file)).toMatchObject({ code: 0 });
    expect((await replay(file)).verdict).toBe('same');
    const before = readFileSync(file);
    expect(await a2c('--accept', file)).toMatchObject({ code: 0, out: expect.stringMatching(/^SAME/) });
    expect(readFileSync(file)).toEqual(before);
  });

  it.each([
    ['broken', broken, 2],
    ['stuck', stuck, 3],
    ['unusable', unusable, 5],
  ])('does not take over what is %s', async (_, file, wanted) => {
    const before = readFileSync(file, 'utf8');
    const { code, out } = await a2c('--accept', file);
    expect({ code, out }).toEqual({
      code: wanted,
      out: expect.stringContaining(`not accepted: ${file} is as it was`),
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
