import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { disagreements } from './agreement.ts';
import { planOf, type Scene } from './builder.ts';
import type { Plan } from './plan.ts';
import { playReally } from './real/play-real.ts';
import { playVirtually } from './virtual/play-virtual.ts';

const tools = { read: { takes: 10 } };
const exiting = (expecting: (s: Scene) => void): Plan =>
  planOf('exits', (s) => {
    const fs = s.server('fs', { tools: { read: { takes: 5_000 } } });
    s.fault(fs, 'proc.exit', { code: 3 });
    s.ready();
    s.settled(s.call('read'));
    expecting(s);
  });
const fs = { server: 'fs' };
const call = { call: 'call1' };
const wrongs: readonly (readonly [what: string, expecting: (s: Scene) => void, says: string])[] = [
  ['an outcome', (s) => s.expect(call).settles('succeeded'), 'expected "succeeded", saw "unknown"'],
  ['a failure code', (s) => s.expect(call).settles('unknown', { code: 4003 }), 'saw "ServerLost"'],
  ['a sentence', (s) => s.expect(call).settles('unknown', { says: 'exit code 4' }), 'without "exit code 4"'],
  ['a detail', (s) => s.expect(call).settles('unknown', { details: { exit_code: 4 } }), '"exit_code":4'],
  ['that it waits', (s) => s.expect(call).waits(), 'expected null, saw "unknown"'],
  ['a time', (s) => s.expect(call).settles('unknown', { at: 77 }), 'expected 77, saw 1'],
  ['stages', (s) => s.expect(fs).visits('connecting', 'ready'), 'visits of fs'],
  ['the stage it is in', (s) => s.expect(fs).is('ready'), 'fs: expected "ready"'],
  ['what it says', (s) => s.expect(fs).says('exit code 4'), 'without "exit code 4"'],
  ['signals', (s) => s.expect(fs).signals('stdin'), 'expected ["stdin"], saw []'],
  ['requests', (s) => s.expect(fs).requests('tools/call', 2), 'tools/call at fs: expected 2, saw 1'],
  ['at most so many', (s) => s.expect(fs).requestsAtMost('tools/call', 0), 'expected at most 0, saw 1'],
  ['processes', (s) => s.expect.processes(fs, { started: 2 }), 'started: expected 2, saw 1'],
  ['tools', (s) => s.expect.tools('+read'), 'tools: expected ["+read"]'],
  ['news', (s) => s.expect.heard('agent', 'link.changed', 1), 'expected 1, saw 0'],
  ['its computer', (s) => s.expect.stages('computer', 'degraded'), 'stages of computer'],
];

describe('a scenario as data', () => {
  it.each(wrongs)('tells when %s is not as expected', async (_, expecting, says) => {
    const { wrong } = await playVirtually(exiting(expecting));
    expect(wrong).toEqual([expect.stringContaining(says)]);
  });

  it('tells what it waited for when that never comes', async () => {
    const plan = planOf('waits', (s) => s.reaches(s.server('fs', { tools }), 'open'));
    expect((await playVirtually(plan)).wrong[0]).toContain('waited for fs to be open');
  });

  it('plays the same after it was text', async () => {
    const plan = exiting((s) => s.expect(call).settles('unknown'));
    const read = JSON.parse(JSON.stringify(plan)) as Plan;
    expect(read).toEqual(plan);
    expect((await playVirtually(read)).trace).toEqual((await playVirtually(plan)).trace);
  });

  it('waits for the next visit of a stage, not for one that was waited for', async () => {
    const plan = planOf('again', (s) => {
      const server = s.server('fs', { tools });
      s.ready();
      s.kill(server);
      s.reaches(server, 'ready');
      s.expect.processes(server, { started: 2 });
    });
    expect((await playVirtually(plan)).wrong).toEqual([]);
  });

  it('needs no test runner: only the glue knows one', () => {
    const here = new URL('./', import.meta.url);
    const knowing = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && readFileSync(new URL(name, here), 'utf8').includes("from 'vitest'"),
    );
    expect(knowing.toSorted()).toEqual(['dsl.test.ts', 'page.docs.test.ts', 'suite.ts']);
  });

  const badly = (build: (s: Scene) => void) => () => planOf('bad', build);
  it('refuses words that cannot be said there', () => {
    expect(badly((s) => s.fault(s.server('fs'), 'proc.exits'))).toThrow('proc.exit');
    expect(badly((s) => s.fault(s.server('fs'), 'host.stop'))).toThrow('no fault of server');
    expect(badly((s) => s.fault('proc.exit'))).toThrow('no fault of host');
    expect(badly((s) => s.fault(s.server('fs'), 'proc.exit', { p: 0.5 }))).toThrow('nothing to chance');
    expect(badly((s) => [s.server('fs'), s.server('fs')])).toThrow('already');
  });
});

describe('two plays of one plan', async () => {
  const plan = exiting(() => {});
  const { summary } = await playVirtually(plan);
  const other = { ...summary, requests: { fs: { initialize: 7 } } };

  it('disagree about what differs, and say what each saw', () => {
    expect(disagreements(plan, summary, summary)).toEqual([]);
    expect(disagreements(plan, summary, other)).toEqual([expect.stringContaining('"initialize":7')]);
  });
  it('may differ where the plan says why, and nowhere else', () => {
    const excused: Plan = { ...plan, differs: [{ because: 'of this test', aspects: ['requests'] }] };
    expect(disagreements(excused, summary, other)).toEqual([]);
    expect(disagreements(excused, summary, { ...other, calls: {} })).toHaveLength(1);
  });
  it('are judged by the same code: what is expected wrongly is wrong for real, too', async () => {
    const { wrong } = await playReally(exiting((s) => s.expect(call).settles('succeeded')));
    expect(wrong).toEqual([expect.stringContaining('expected "succeeded", saw "unknown"')]);
  });
  it('are not played for real where a plan is for virtual time only, as with files and skills', async () => {
    const { wrong } = await playReally(planOf('a file that stalls', (s) => s.shown(s.put(10))));
    expect(wrong).toEqual([
      'This plan is for virtual time only: a real disk neither hangs, fails nor lies on command',
    ]);
  });
});
