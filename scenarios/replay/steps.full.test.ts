import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sha256Of } from './report/files.ts';
import {
  blocksOf,
  examplesOf,
  filled,
  mistakesIn,
  sectionOf,
  type Block,
  type Example,
} from './report/page.ts';
import { replay } from './replay.ts';
import { exitCodeOf, verdicts } from './report/verdict.ts';
import { builtModule } from '../fixtures/built-module.ts';
import { compiled } from '../fixtures/linked-project.ts';
import { readTrace } from '../../machines/trace/reading.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { traceOf } from './world/world.ts';
import { root } from '../fixtures/checkout.ts';

/** After a change of machines or reports, A2C_UPDATE_PAGES=1 records the trace again and fills the pages. */
const isUpdating = process.env['A2C_UPDATE_PAGES'] === '1';
const docs = join(root, 'docs/replay.md');
const readme = join(root, 'README.md');
const kept = join(root, 'examples/traces/acme.trace.ndjson');
const page = readFileSync(docs, 'utf8');

const folder = testFolder('steps');
const [checkout, here] = [join(folder, 'checkout'), join(folder, 'here')];
const at = (...path: string[]): string => join(here, ...path);
const typist = join(checkout, 'dist/scenarios/fixtures/typist.mjs');
const printed = new Map<string, string>();

beforeAll(() => {
  mkdirSync(at('node_modules'), { recursive: true });
  for (const part of ['package.json', 'examples', 'scenarios/fault-server', 'scenarios/fault-server/words'])
    cpSync(join(root, part), join(checkout, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'dir');
  symlinkSync(checkout, at('node_modules/a2c-actors'), 'dir');
  for (const name of ['@modelcontextprotocol', 'vitest', 'zod'])
    symlinkSync(join(root, 'node_modules', name), at('node_modules', name), 'dir');
  symlinkSync(join(checkout, 'examples'), at('examples'), 'dir');
  // A copy, for the page mends something in it.
  cpSync(join(root, 'dist'), join(checkout, 'dist'), { recursive: true });
  builtModule('scenarios/fixtures/typist.mjs', typist);
  for (const { text } of blocksOf(page)) {
    const [, name] = /^\/\/ (\S+\.(?:mjs|ts))\n/.exec(text) ?? [];
    if (name !== undefined) writeFileSync(at(name), text);
  }
  writeFileSync(at('package.json'), '{ "type": "module" }');
  const [config] = blocksOf(page).filter(({ language }) => language === 'json');
  writeFileSync(at('shop.json'), config?.text ?? '');
});
afterAll(() => {
  if (!isUpdating) return;
  for (const file of [docs, readme]) {
    const old = readFileSync(file, 'utf8');
    const texts = examplesOf(old).flatMap(({ commands, prints }): [Block, string][] => {
      const now = printed.get(commands);
      return prints && now !== undefined ? [[prints, now]] : [];
    });
    writeFileSync(file, filled(old, new Map(texts)));
  }
});

// Neither of this run nor of the CI server that runs it.
const { GITHUB_ACTIONS: _, ...inherited } = process.env;
const clean = Object.fromEntries(Object.entries(inherited).filter(([name]) => !name.startsWith('VITEST')));
const env = { ...clean, XDG_STATE_HOME: at('state'), NO_COLOR: '1' };

interface Typed {
  readonly out: string;
  readonly codes: readonly number[];
}
/** One after another in one process; `npx` is the build. */
function typed(...blocks: string[]): Typed[] {
  const lines = blocks.map((block) => block.trimEnd().split('\n'));
  const how = { cwd: here, env, encoding: 'utf8', input: JSON.stringify(lines), timeout: 60_000 } as const;
  return JSON.parse(execFileSync(process.execPath, [typist], how)) as Typed[];
}
const walk = (...headings: string[]): number[] =>
  walkThrough(headings.flatMap((heading) => examplesOf(sectionOf(page, heading))));
function walkThrough(examples: readonly Example[]): number[] {
  const results = typed(...examples.map(({ commands }) => commands));
  for (const [n, { commands, prints }] of examples.entries()) {
    const out = results[n]?.out ?? '';
    // Also when the page is filled: the mistake of a test must not become what the page promises.
    expect(mistakesIn(out), commands).toEqual([]);
    printed.set(commands, out);
    if (!isUpdating) expect(out, commands).toBe(prints?.text ?? '');
  }
  return results.flatMap(({ codes }) => codes);
}
function edit(file: string, old: string, now: string): void {
  const parts = readFileSync(file, 'utf8').split(old);
  expect(parts, old).toHaveLength(2);
  writeFileSync(file, parts.join(now));
}
function mend(heading: string, file: string): void {
  const [diff] = blocksOf(sectionOf(page, heading)).filter(({ language }) => language === 'diff');
  const [old = '', now = ''] = (diff?.text ?? '').split('\n').map((line) => line.slice(1));
  edit(at(file), old, now);
}
interface Ran {
  readonly code: number | null;
  readonly out: string;
}
function ran(...args: string[]): Ran {
  const how = { cwd: here, env, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, how);
  return { code: status, out: stdout + stderr };
}
// The README's examples lie in the same folder, and are no tests of the reader.
const vitest = (...files: string[]): Ran =>
  ran('node_modules/vitest/vitest.mjs', 'run', ...files, '--exclude', 'examples/**');
const green = { code: 0, out: expect.stringContaining('pass') as string };

describe('docs/replay.md', () => {
  it('keeps the trace of a server that dies, and it happens again (step 1)', async () => {
    walk('## 1. Record it');
    const fresh = at('traces/acme.trace.ndjson');
    expect(await replay(fresh)).toMatchObject({ verdict: 'same', violations: [] });
    if (isUpdating)
      for (const file of [kept, join(checkout, 'examples/traces/acme.trace.ndjson')])
        copyFileSync(fresh, file);
    // The order of a lost stream and a lost process is up to the system, and a busy one is late with timers.
    const inputsIn = (file: string): string[] =>
      traceOf(file)
        .trace.lines.flatMap(({ record }) => (record.k === 'in' ? [record.ev?.type ?? 'timer'] : []))
        .filter((type) => !['timer', 'deadline', 'late', 'session.waits'].includes(type))
        .toSorted();
    expect(inputsIn(fresh)).toEqual(inputsIn(kept));
    copyFileSync(kept, fresh);
  });

  it('gets it at the prompt, too (step 1)', async () => {
    const up = [join(checkout, 'dist/actors/main.js'), 'up', '--port', '0', '--config', 'shop.json'];
    const how = { cwd: here, env, encoding: 'utf8', input: 'trace asked\nquit\n', stdio: 'pipe' } as const;
    const out = execFileSync(process.execPath, up, how);
    const [name = ''] = readdirSync(at('asked'));
    expect(out).toContain(`asked/${name}\n`);
    expect(await replay(at('asked', name))).toMatchObject({ verdict: 'same' });
  });

  it('has every word and code of a report', () => {
    const rows = [...page.matchAll(/^\| `([A-Z]+)` \| (\d) \|/gm)].map(([, word, code]) => [
      word,
      Number(code),
    ]);
    expect(rows).toEqual(verdicts.map((verdict) => [verdict.toUpperCase(), exitCodeOf(verdict)]));
  });

  it('sees it and understands it (steps 2 and 6)', () => {
    expect(walk('## 2. See it', '## 6. Understand it')).toEqual([0, 0, 0, 0, 0, 0]);
    const script = blocksOf(readFileSync(join(root, 'docs/trace-format.md'), 'utf8'));
    writeFileSync(at('check.mjs'), script.find(({ language }) => language === 'js')?.text ?? '');
    for (const file of ['traces/acme.trace.ndjson', 'never.trace.ndjson'])
      expect(execFileSync(process.execPath, ['check.mjs', file], { cwd: here, encoding: 'utf8' })).toBe(
        'it fits\n',
      );
    const whole = script.find(({ language }) => language === 'json trace')?.text ?? '';
    expect(readTrace(whole, sha256Of)).toMatchObject({ ok: true });
  });

  it('is red until the server is mended (step 3)', () => {
    const heading = '## 3. Red until your server is mended';
    const [before, after] = examplesOf(sectionOf(page, heading));
    expect(walkThrough(before ? [before] : [])).toEqual([1]);
    const red = vitest('server.test.ts');
    const said = /RED {2}'shop'[^]*expected 'red' to be 'green'/;
    expect(red).toMatchObject({ code: 1, out: expect.stringMatching(said) });
    mend(heading, 'server.mjs');
    expect(walkThrough(after ? [after] : [])).toEqual([0]);
    expect(vitest('server.test.ts')).toMatchObject(green);
  });

  it('is red until the code of the host is mended (step 4)', () => {
    const both = (): Ran[] => [vitest('mine.test.ts'), ran('--test', 'mine.node.mjs')];
    expect(both()).toMatchObject([green, green]);
    mend('## 4. Red until your own code is mended', 'mine.mjs');
    expect(both()).toMatchObject([{ code: 1 }, { code: 1 }]);
    edit(at('mine.mjs'), "startsWith('read_')", "startsWith('re')");
    expect(both()).toMatchObject([green, green]);
  });

  it('has tests that a strict compiler takes', () => {
    const tests = ['server', 'mine', 'file', 'traces'].map((name) => `${name}.test.ts`);
    const types = ['--allowJs', '--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    expect(compiled(here, tests, ...types)).toBe('');
  });

  it('is red until a config file is mended (step 4)', () => {
    expect(vitest('file.test.ts')).toMatchObject(green);
    edit(at('shop.json'), '["report"]', '[]');
    expect(vitest('file.test.ts')).toMatchObject({ code: 1 });
    edit(at('shop.json'), '[]', '["report"]');
  });

  it('has an example in the README that goes as it stands there', () => {
    const section = sectionOf(readFileSync(readme, 'utf8'), '## Replay a failure');
    // An install here would change the packages of this checkout, to which the folder is linked.
    const examples = examplesOf(section).filter(({ commands }) => !commands.includes('npm install'));
    expect(walkThrough(examples)).toEqual([0]);
  });

  it('guards it, and takes over what is wanted (step 5)', () => {
    const section = sectionOf(page, '## 5. Guard it in CI');
    const [guard, ...changed] = examplesOf(section);
    expect(walkThrough(guard ? [guard] : [])).toEqual([0]);
    expect(readFileSync(at('traces.xml'), 'utf8')).toContain('tests="1" failures="0"');
    expect(vitest()).toMatchObject(green);
    const example = readFileSync(join(root, 'examples/replay.test.mjs'), 'utf8');
    expect(section).toContain(`\`\`\`js\n${example}\`\`\``);
    expect(ran('--test', 'node_modules/a2c-actors/examples/replay.test.mjs')).toMatchObject(green);
    edit(typist, '&& canRetry(c)\n', "&& canRetry(c) && c.failure?.details?.['exit_code'] !== 3\n");
    expect(walkThrough(changed)).toEqual([1, 0]);
  });

  it('has a workflow of at most twenty lines whose parts fit together (step 5)', () => {
    const [workflow] = blocksOf(page).filter(({ language }) => language === 'yaml');
    const text = workflow?.text.trimEnd() ?? '';
    expect(text.split('\n').length).toBeLessThanOrEqual(20);
    const parts = parse(text) as { jobs: Record<string, { steps: Record<string, unknown>[] }> };
    expect(Object.keys(parts)).toEqual(['name', 'on', 'permissions', 'jobs']);
    const steps = Object.values(parts.jobs).flatMap((job) => job.steps);
    const runs = steps.flatMap(({ run }) => run ?? []);
    const [guard] = examplesOf(sectionOf(page, '## 5. Guard it in CI'));
    expect(runs).toEqual(['npm ci', guard?.commands.trimEnd(), 'npx vitest run']);
    const paths = steps.flatMap((step) => (step['with'] as { path?: string } | undefined)?.path ?? []);
    expect(runs[1]).toContain(`--junit ${paths[0]}`);
    for (const uses of steps.flatMap((step) => step['uses'] ?? []))
      expect(uses).toMatch(/^actions\/(checkout|setup-node|upload-artifact)@v\d+$/);
  });
});
