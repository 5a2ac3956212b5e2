import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Runtime } from '../../actors/runtime/runtime.ts';
import { invariants as held } from '../invariants/index.ts';
import { readTraceFile, sha256Of } from './report/files.ts';
import { forkTrace } from './fork.ts';
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
import { readTrace } from '../../machines/trace/index.ts';

/**
 * Runs what docs/replay.md tells a reader to type, on a build of the sources of now, and compares what is printed.
 * After a change of what machines do or reports say, A2C_UPDATE_PAGES=1 records the trace anew and fills the pages.
 */
const isUpdating = process.env['A2C_UPDATE_PAGES'] === '1';
const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = join(root, 'docs/replay.md');
const readme = join(root, 'README.md');
const kept = join(root, 'examples/traces/shaky.trace.ndjson');
const page = readFileSync(docs, 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'a2c-steps-'));
/** The package as `npm install` leaves it, and a folder of somebody who uses it. */
const [checkout, here] = [join(folder, 'checkout'), join(folder, 'here')];
const at = (...path: string[]): string => join(here, ...path);
const typist = join(checkout, 'dist/scenarios/fixtures/typist.mjs');
/** What was printed, by its command. */
const printed = new Map<string, string>();

beforeAll(() => {
  mkdirSync(at('node_modules'), { recursive: true });
  for (const part of ['package.json', 'examples', 'scenarios/fault-server', 'scenarios/fault-server/words'])
    cpSync(join(root, part), join(checkout, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'dir');
  symlinkSync(checkout, at('node_modules/a2c-actors'), 'dir');
  // The README is for somebody who stands in a checkout.
  symlinkSync(join(checkout, 'examples'), at('examples'), 'dir');
  // A copy, for the page mends something in it.
  cpSync(join(root, 'dist'), join(checkout, 'dist'), { recursive: true });
  cpSync(join(root, 'scenarios/fixtures/typist.mjs'), typist);
  const [config] = blocksOf(page).filter(({ language }) => language === 'json');
  writeFileSync(at('shaky.json'), config?.text ?? '');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
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
/** Blocks of commands, one after another in one process; `npx` is the build. */
function typed(...blocks: string[]): Typed[] {
  const lines = blocks.map((block) => block.trimEnd().split('\n'));
  const how = { cwd: here, env, encoding: 'utf8', input: JSON.stringify(lines), timeout: 60_000 } as const;
  return JSON.parse(execFileSync(process.execPath, [typist], how)) as Typed[];
}
/** The commands of the page that fail on purpose, by a part of what is typed, each with what it says then. */
const failures: Readonly<Record<string, readonly string[]>> = {
  'a2c call read ': ["error: Server 'shaky' ended with exit code 78"],
  '--out nonsense.trace.ndjson': ["Cannot read properties of undefined (reading 'map')"],
};
const shownBy = (commands: string): string[] =>
  Object.entries(failures).flatMap(([part, said]) => (commands.includes(part) ? said : []));
/** Types all commands of these steps; answers their exit codes. */
const walk = (...headings: string[]): number[] =>
  walkThrough(headings.flatMap((heading) => examplesOf(sectionOf(page, heading))));
function walkThrough(examples: readonly Example[]): number[] {
  const results = typed(...examples.map(({ commands }) => commands));
  for (const [n, { commands, prints }] of examples.entries()) {
    const out = results[n]?.out ?? '';
    // Also when the page is filled: the mistake of a test must not become what the page promises.
    expect(mistakesIn(out, shownBy(commands)), commands).toEqual([]);
    printed.set(commands, out);
    if (!isUpdating) expect(out, commands).toBe(prints?.text ?? '');
  }
  return results.flatMap(({ codes }) => codes);
}
const traceIn = (file: string) => {
  const read = readTraceFile(file);
  if (!read.ok) throw new Error(read.problem);
  return read.trace;
};
const inputsIn = (file: string) =>
  traceIn(file).lines.flatMap(({ s, record }) =>
    record.k === 'in' ? [{ s, type: record.ev?.type ?? record.via }] : [],
  );

describe('docs/replay.md', () => {
  it('1. gets the trace of a server that misbehaves, and its inputs happen again', async () => {
    expect(walk('## 1. Get the trace')).toEqual([1]);
    const fresh = at('traces/shaky.trace.ndjson');
    expect(await replay(fresh)).toMatchObject({ verdict: 'same', violations: [] });
    const inputs = inputsIn(fresh);
    const died = inputs.find(({ type }) => type === 'child.exited')?.s ?? -1;
    const changes = { at: died, set: new Map(), inject: [], skip: new Set([died]) };
    expect(forkTrace(traceIn(fresh), changes, 'hung').differences.join()).toContain('stdin closed → SIGTERM');
    // Which comes first of a lost stream and a lost process is up to the system; the page is about one order.
    if (isUpdating)
      for (const file of [kept, join(checkout, 'examples/traces/shaky.trace.ndjson')])
        copyFileSync(fresh, file);
    // And on a slow machine a moment more passes, which some timer is for.
    const typesIn = (some: typeof inputs): string[] =>
      some
        .map(({ type }) => type)
        .filter((type) => type !== 'timer' && type !== 'deadline')
        .toSorted();
    copyFileSync(kept, fresh);
    expect(typesIn(inputs)).toEqual(typesIn(inputsIn(kept)));
  });

  it('1. gets it at the prompt, too', async () => {
    const up = [join(checkout, 'dist/actors/main.js'), 'up', '--port', '0', '--config', 'shaky.json'];
    const how = { cwd: here, env, encoding: 'utf8', input: 'trace asked\nquit\n', stdio: 'pipe' } as const;
    const out = execFileSync(process.execPath, up, how);
    const [name = ''] = readdirSync(at('asked'));
    expect(out).toContain(`asked/${name}\n`);
    expect(await replay(at('asked', name))).toMatchObject({ verdict: 'same' });
  });

  it('1. gets it from a host that met an alarm', async () => {
    const notices: string[] = [];
    const notice = (text: string): void => void notices.push(text);
    const runtime = new Runtime({ stateDir: at('crashed'), reaper: false, notice });
    runtime.directory.defect('computer', 'made up');
    await runtime.close();
    const [name = ''] = readdirSync(at('crashed/traces'));
    expect(notices.join('\n')).toContain(`a2c replay ${at('crashed/traces', name)}`);
    expect(name).toMatch(/-crash\.trace\.ndjson$/);
  });

  it('2. has every word and code of a report, and every invariant', () => {
    const section = sectionOf(page, '## 2. See it again');
    const rows = [...section.matchAll(/^\| `([A-Z]+)` \| (\d) \|/gm)].map(([, word, code]) => [
      word,
      Number(code),
    ]);
    expect(rows).toEqual(verdicts.map((verdict) => [verdict.toUpperCase(), exitCodeOf(verdict)]));
    const [, invariants = ''] = section.split('| invariant |\n|---|\n');
    const told = invariants
      .split('\n\n')[0]
      ?.split('\n')
      .map((row) => row.replaceAll('|', '').trim());
    expect(told?.filter((row) => row !== '')).toEqual(held.map(({ invariant }) => invariant));
  });

  it('2. sees it again, 3. understands it', () => {
    expect(walk('## 2. See it again', '## 3. Understand it')).toEqual([0, 0, 0, 0, 0, 0, 2, 0]);
    const script = blocksOf(readFileSync(join(root, 'docs/trace-format.md'), 'utf8'));
    writeFileSync(at('check.mjs'), script.find(({ language }) => language === 'js')?.text ?? '');
    for (const file of ['traces/shaky.trace.ndjson', 'nonsense.trace.ndjson'])
      expect(execFileSync(process.execPath, ['check.mjs', file], { cwd: here, encoding: 'utf8' })).toBe(
        'it fits\n',
      );
    const whole = script.find(({ language }) => language === 'json trace')?.text ?? '';
    expect(readTrace(whole, sha256Of)).toMatchObject({ ok: true });
  });

  it('5. has an example for node:test that passes', () => {
    const example = readFileSync(join(root, 'examples/replay.test.mjs'), 'utf8');
    expect(sectionOf(page, '## 5. Guard it')).toContain(`\`\`\`js\n${example}\`\`\``);
    const how = { cwd: checkout, env, encoding: 'utf8' } as const;
    expect(execFileSync(process.execPath, ['examples/replay.test.mjs'], how)).toMatch(/pass 1\n[^]*fail 0\n/);
  });

  it('5. has an example for vitest that passes', async () => {
    const [example] = blocksOf(page).filter(({ language }) => language === 'ts');
    const [, imports = '', body = ''] = /^((?:import .*\n)+)([^]*)$/.exec(example?.text ?? '') ?? [];
    expect(imports).toContain("import { replay } from 'a2c-actors/replay';");
    const ran: Promise<void>[] = [];
    const test = (_name: string, run: () => Promise<void>): void => void ran.push(run());
    const around = { expect, test, readdirSync: (path: string) => readdirSync(at(path)) };
    runInNewContext(body, { ...around, replay: (path: string) => replay(at(path)) });
    await Promise.all(ran);
    expect(ran).toHaveLength(2);
  });

  it('2. has an example in the README that goes as it stands there', () => {
    const section = sectionOf(readFileSync(readme, 'utf8'), '## Replay a failure');
    expect(walkThrough(examplesOf(section))).toEqual([0]);
  });

  it('4. mends it, and proves it, 5. guards it', () => {
    const [diff] = blocksOf(page).filter(({ language }) => language === 'diff');
    const [old = '', mended = ''] = (diff?.text ?? '').split('\n').map((line) => line.slice(1).trim());
    expect(readFileSync(join(root, 'machines/client/client.setup.ts'), 'utf8').split(old)).toHaveLength(2);
    const built = join(checkout, 'dist/machines/client/client.setup.js');
    writeFileSync(built, readFileSync(built, 'utf8').replace(old, mended));
    expect(walk('## 4. Mend it, and prove it', '## 5. Guard it')).toEqual([1, 0, 0]);
    expect(readFileSync(at('traces.xml'), 'utf8')).toContain('tests="1" failures="0"');
  });

  it('5. has a workflow of at most twenty lines whose parts fit together', () => {
    const [workflow] = blocksOf(page).filter(({ language }) => language === 'yaml');
    const lines = (workflow?.text ?? '').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(20);
    for (const line of lines) expect(line).toMatch(/^( {2})*(- )?[\w-]+:( [^\s].*)?$/);
    const keys = lines.filter((line) => /^\w/.test(line)).map((line) => line.split(':')[0]);
    expect(keys).toEqual(['name', 'on', 'permissions', 'jobs']);
    const runs = lines.flatMap((line) => /- run: (.*)/.exec(line)?.[1] ?? []);
    expect(runs[0]).toBe('npm ci');
    // The command is the one that was just run.
    expect(examplesOf(sectionOf(page, '## 5. Guard it'))[0]?.commands).toContain(`\n${runs[1]}\n`);
    const path = lines.flatMap((line) => /^ +path: (.*)/.exec(line)?.[1] ?? []);
    expect(runs[1]).toContain(`--junit ${path[0]}`);
    for (const line of lines.filter((each) => each.includes('uses:')))
      expect(line).toMatch(/- uses: actions\/(checkout|setup-node|upload-artifact)@v\d+$/);
  });
});
