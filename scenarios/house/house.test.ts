import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../fixtures/test-folder.ts';
import { foldersInCircles, type Source } from './folder-circles.ts';
import { root } from '../fixtures/checkout.ts';

const skipped = new Set(['.git', 'node_modules', 'dist', 'coverage', 'artifacts', '.a2c']);
const binary = /\.(png|webp|jpe?g|gif|ico|woff2?|wasm|gz|tgz|pdf|docx|xlsx|pptx|log)$/;

/** Without git, because a tarball or a foreign-owned checkout has none. */
const readProject = (folder = '.'): Source[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (skipped.has(entry.name)) return [];
    if (entry.isDirectory()) return readProject(path);
    return entry.isFile() && !binary.test(entry.name)
      ? [{ path, text: readFileSync(join(root, path), 'utf8') }]
      : [];
  });

interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  readonly where: RegExp;
  readonly but?: RegExp;
}
const product = /^(machines|adapters|actors)\/.*\.tsx?$/;
const code = /^(machines|adapters|actors|scenarios)\/.*\.[cm]?[jt]sx?$/;
const tests = /\.(test|scenario)\.ts$/;
/** oxlint has no rule for these. A pattern sees one line, and no comment that fills its line. */
const bans: readonly Ban[] = [
  { what: 'throw in a machine: take a state and an output', pattern: /\bthrow\b/, where: /\.machine\.ts$/ },
  {
    what: 'async in a machine: take a callback port',
    pattern: /\basync\b|\bawait\b/,
    where: /\.machine\.ts$/,
  },
  { what: 'export *: name what is exported', pattern: /^export \*/, where: code },
  { what: 'fields packed into a literal: write them', pattern: /\.\.\.\{ \w+:/, where: product, but: tests },
  {
    what: "a '*' handler: it swallows errors of children",
    pattern: /^\s+'\*': \{/,
    where: product,
    but: tests,
  },
  {
    what: 'a number in after: take a delay of kernel/timing.ts',
    pattern: /\bafter: \{\s*\d/,
    where: product,
  },
  {
    what: 'a sleep in a test: wait in virtual time, or for the event (`// real time: why` lets a line through)',
    pattern: /^(?!.*\/\/ real time: \S).*((?<![.\w]|'.*)setTimeout\(|'node:timers\/promises')/,
    where: tests,
    but: /\/house\.test\.ts$/,
  },
];
const bannedIn = ({ path, text }: Source): string[] => {
  const mine = bans.filter(({ where, but }) => where.test(path) && but?.test(path) !== true);
  return text.split('\n').flatMap((line, n) => {
    if (/^\s*(\/\/|\/?\*)/.test(line)) return [];
    return mine.filter(({ pattern }) => pattern.test(line)).map(({ what }) => `${path}:${n + 1}: ${what}`);
  });
};

const drawer = /(^|[/.-])(utils?|helpers?|common|managers?|services?|handlers?)[/.-]|\/types\.ts$/;

const places: readonly RegExp[] = [
  /(?<![\w.~-])\/(work|root)\/[\w.-]/,
  /(?<![\w.~-])\/(home|Users)\/(?!you\b|me\b|alice\b|runner\b)\w+\/\w/,
  /"resolved": "https?:\/\/(?!registry\.npmjs\.org\/)[^"]*"/,
  /\bregistry\s*=\s*https?:\/\/(?!registry\.npmjs\.org)/,
];
const privateIn = ({ path, text }: Source): string[] =>
  places.filter((place) => place.test(text)).map((place) => `${path}: ${place.exec(text)?.[0]}`);

describe('the house', () => {
  const project = readProject();
  const sources = project.filter(({ path }) => code.test(path));

  it('is seen by its checks', () => {
    expect(sources.length).toBeGreaterThan(600);
  });

  it('has no folders in circles', () => {
    expect(foldersInCircles(sources)).toEqual([]);
  });

  it('takes the replacement where something is banned', () => {
    expect(sources.flatMap(bannedIn)).toEqual([]);
  });

  it('names files after what they hold', () => {
    expect(sources.filter(({ path }) => drawer.test(path))).toEqual([]);
  });

  it('names no machine, person or private registry in its texts', () => {
    expect(project.flatMap(privateIn)).toEqual([]);
  });
});

// Each check is shown to fail once: a check that cannot fail is worse than none.
describe('a planted violation', () => {
  it('is a circle of folders, whatever their files, but not where a test or a later import closes it', () => {
    const files = [
      { path: 'machines/client/a.ts', text: `import type { B } from '../uri/deep/b.ts';` },
      { path: 'machines/uri/deep/b.ts', text: `export {\n  c,\n} from '../../kernel/c.ts';` },
      { path: 'machines/call/d.ts', text: `import type { C } from '../kernel/c.ts';` },
    ];
    const closing = (path: string, text: string): string[] => foldersInCircles([...files, { path, text }]);
    const back = `import { a } from '../client/other.ts';`;
    expect(closing('machines/kernel/c.ts', back)).toEqual([
      'machines/client',
      'machines/kernel',
      'machines/uri',
    ]);
    expect(closing('machines/kernel/c.test.ts', back)).toEqual([]);
    expect(closing('machines/kernel/c.ts', `await import('../client/other.ts');`)).toEqual([]);
  });

  it.each([
    ['machines/a.machine.ts', 'throw e;'],
    ['machines/a.machine.ts', 'const f = async () => 1;'],
    ['actors/a.ts', `export * from './b.ts';`],
    ['machines/a.ts', 'x = { ...{ a: 1, b: 2 }, c };'],
    ['machines/a.ts', `  '*': { actions: [] },`],
    ['machines/a.ts', `m({ after: { 500: 'x' } });`],
    ['actors/a.test.ts', 'new Promise((r) => setTimeout(r, 1));'],
    ['actors/a.test.ts', `import { setTimeout as sleep } from 'node:timers/promises';`],
  ])('is banned in %s: %s', (path, text) => {
    expect(bannedIn({ path, text: `\n${text}` })).toHaveLength(1);
    expect(bannedIn({ path, text: `// ${text}` })).toEqual([]);
  });

  it('is a folder that is a drawer, or names a place of one machine', () => {
    const names = [
      'actors/call-manager.ts',
      'scenarios/utils/a.ts',
      'actors/types.ts',
      'machines/a.machine.ts',
    ];
    expect(names.map((path) => drawer.test(path))).toEqual([true, true, true, false]);
    const work = ['', 'work', 'shared'].join('/');
    const lock = ['"resolved"', '"https://npm.corp.example/zod.tgz"'].join(': ');
    for (const text of [work + '/x.md', ['', 'root', '.npmrc'].join('/'), lock])
      expect(privateIn({ path: 'README.md', text })).toHaveLength(1);
  });
});

describe('oxlint, as .oxlintrc.json has it', () => {
  const folder = testFolder('planted');
  const planted: readonly (readonly [path: string, rule: string, line: string])[] = [
    ['machines/to-adapters.ts', 'no-restricted-imports', `import '../adapters/clock.ts';`],
    ['machines/to-node.ts', 'no-restricted-imports', `import 'node:fs';`],
    ['machines/to-package.ts', 'no-restricted-imports', `import 'ws';`],
    ['machines/to-test.ts', 'no-restricted-imports', `import './a.test.ts';`],
    ['machines/opens.ts', 'no-restricted-imports', `export { createActor } from 'xstate';`],
    ['machines/clock.ts', 'no-restricted-globals', `export const now = Date.now();`],
    ['machines/chance.ts', 'no-restricted-properties', `export const drawn = Math.random();`],
    [
      'adapters/mcp/to-machine.ts',
      'no-restricted-imports',
      `import '../../machines/client/client.machine.ts';`,
    ],
    ['adapters/mcp/to-actors.ts', 'no-restricted-imports', `import '../../actors/index.ts';`],
    ['adapters/mcp/launches.ts', 'no-restricted-imports', `export { spawn } from 'node:child_process';`],
    ['adapters/connections/to-io.ts', 'no-restricted-imports', `import '../socket/office.ts';`],
    [
      'adapters/mcp/provides.ts',
      'no-restricted-properties',
      `export const { provided = it.provide({}) } = it;`,
    ],
    ['actors/api/to-scenarios.ts', 'no-restricted-imports', `import '../../scenarios/sim.ts';`],
    ['actors/api/to-node.ts', 'no-restricted-imports', `import 'node:fs';`],
    ['actors/api/waits.ts', 'no-restricted-imports', `export { waitFor } from 'xstate';`],
    ['actors/api/prints.ts', 'no-restricted-properties', `process.stdout.write('x');`],
    ['actors/api/logs.ts', 'no-console', `console.log('x');`],
    ['actors/api/default.ts', 'no-default-export', `export default 1;`],
    ['actors/api/camelCase.ts', 'filename-case', `export const a = 1;`],
    ['actors/api/later.ts', 'no-warning-comments', '// FIXME some day'],
    ['actors/api/silent.ts', 'ban-ts-comment', '// @ts-ignore'],
    ['actors/api/long.ts', 'max-lines-per-function', `export function long() {${'\nlong();'.repeat(70)}\n}`],
    ['actors/api/any.ts', 'no-explicit-any', `export let loose: any;`],
    ['actors/api/circle.ts', 'no-cycle', `import './circle-back.ts';`],
    ['actors/api/a.test.ts', 'no-restricted-imports', `import '../../scenarios/stage/harness.ts';`],
    ['actors/api/only.test.ts', 'no-focused-tests', `it.only('x', () => { expect(1).toBe(1); });`],
    ['actors/api/skipped.test.ts', 'no-disabled-tests', `it.skip('x', () => { expect(1).toBe(1); });`],
    ['scenarios/to-adapter.ts', 'no-restricted-imports', `import '../adapters/mcp/session.ts';`],
    ['scenarios/to-test.ts', 'no-restricted-imports', `import './a.test.ts';`],
  ];

  it('finds each planted violation', () => {
    cpSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    const write = (path: string, text: string): void => {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), `\n${text}\n`);
    };
    for (const [path, , line] of planted) write(path, line);
    write('actors/api/circle-back.ts', `import type {} from './circle.ts';`);
    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
    const argv = [oxlint, '--format=unix'];
    const output = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' }).stdout;
    const missed = planted.filter(
      ([path, rule]) =>
        !output.split('\n').some((line) => line.startsWith(`${path}:`) && line.includes(rule)),
    );
    expect(missed, output).toEqual([]);
  });
});
