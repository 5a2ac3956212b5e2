import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installed } from '../../fixtures/installed.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = join(root, 'node_modules/.cache/conformance');
/** The suite needs Node 22, which is a package of npm, too; our own host runs on the Node that runs the tests. */
const node = '22.23.3';
export const suites = { stable: '0.1.16', newest: '0.2.0-alpha.12' } as const;
export type Suite = keyof typeof suites;

export const install = (): Promise<string> =>
  installed('conformance', [
    `node@${node}`,
    ...Object.entries(suites).map(
      ([name, version]) => `${name}@npm:@modelcontextprotocol/conformance@${version}`,
    ),
  ]);
const cliOf = (suite: Suite): readonly [string, string] => [
  join(home, 'node_modules/node/bin/node'),
  join(home, 'node_modules', suite, 'dist/index.js'),
];
export const kinds = ['client', 'server'] as const;
/** A host of ours, or a server that is reached through `a2c serve`. */
export type Kind = (typeof kinds)[number];
export async function scenariosOf(suite: Suite, kind: Kind): Promise<readonly string[]> {
  const [bin, cli] = cliOf(suite);
  const { stdout } = await run(bin, [cli, 'list']);
  const [, after = ''] = stdout.split(kind === 'client' ? /^Client scenarios.*$/m : /^Server scenarios.*$/m);
  const [listed = ''] = after.trimStart().split(/\n\s*\n/);
  return [...listed.matchAll(/^\s*- (\S+)/gm)].map(([, name]) => name ?? '');
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly description: string;
  readonly errorMessage?: string;
}
/** A scenario passes when a check of it succeeded and none failed; one whose checks are all skipped was not played. */
export type Verdict = 'passes' | 'fails' | 'not played';
export interface Judged {
  readonly verdict: Verdict;
  /** Number of its checks with this status. */
  readonly skipped: number;
  readonly warnings: number;
  readonly problems: readonly string[];
}
/** The suite's own 30 s is short for a driver whose code is compiled beside four others. */
const scenarioMs = 100_000;
export const withDriver: readonly string[] = [
  '--command',
  `${process.execPath} --import ${join(root, 'node_modules/tsx/dist/esm/index.mjs')} ${join(root, 'scenarios/contracts/conformance/driver.mjs')}`,
  '--timeout',
  String(scenarioMs),
];
export async function play(
  suite: Suite,
  kind: Kind,
  words: readonly string[],
  scenario: string,
  folder: string,
): Promise<Judged> {
  const [bin, cli] = cliOf(suite);
  const args = [cli, kind, ...words, '--scenario', scenario, '-o', folder];
  const { code, said } = await run(bin, args, { cwd: folder, maxBuffer: 1 << 26 }).then(
    ({ stdout, stderr }) => ({ code: 0, said: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      said: error.stdout + error.stderr,
    }),
  );
  const checks = checksIn(folder);
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const problems = bad.map(
    ({ id, status, description, errorMessage }) => `${status} ${id}: ${errorMessage ?? description}`,
  );
  const count = (wanted: string): number => checks.filter(({ status }) => status === wanted).length;
  const [succeeded, skipped, warnings] = [count('SUCCESS'), count('SKIPPED'), count('WARNING')];
  if (succeeded === 0) problems.push(`no check succeeded: ${said.slice(-400)}`);
  const isSkipped = bad.length === 0 && succeeded === 0 && skipped > 0;
  const isPassed = code === 0 && succeeded > 0;
  return { verdict: isSkipped ? 'not played' : isPassed ? 'passes' : 'fails', skipped, warnings, problems };
}
function checksIn(folder: string): readonly Check[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const file = files.find((name) => name.endsWith('checks.json'));
  return file === undefined ? [] : (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[]);
}
