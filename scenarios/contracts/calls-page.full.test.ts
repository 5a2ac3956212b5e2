import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { callPhases, outcomes } from '../../machines/protocol/messages/answers.ts';
import { blocksOf } from '../replay/report/page.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { compiled, linkedProject } from '../fixtures/linked-project.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/calls.md'), 'utf8');
const server = fileURLToPath(new URL('../fixtures/mcp-server.mjs', import.meta.url));
const here = testFolder('calls-page');
const names = ['rules', 'once', 'calling'];

beforeAll(() => {
  linkedProject(here, '@types/node');
  const blocks = blocksOf(page).filter(({ language }) => language === 'ts');
  expect(page.match(/^<!-- \S+\.ts -->$/gm)).toEqual(names.map((name) => `<!-- ${name}.ts -->`));
  for (const [n, { text }] of blocks.entries()) writeFileSync(join(here, `${names[n]}.ts`), text);
});

it('docs/calls.md has a row for every phase and every outcome', () => {
  const firsts = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, word]) => word);
  expect(firsts).toEqual(expect.arrayContaining([...callPhases, ...outcomes]));
});

it('docs/calls.md has examples that the compiler takes', () => {
  const files = names.map((name) => `${name}.ts`);
  expect(compiled(here, files, '--types', 'node')).toBe('');
});

it('docs/calls.md has a rule and a dialog that decide as it says, and calls that tell how far they are', () => {
  const config = { mcpServers: { fixture: { command: process.execPath, args: [server] } } };
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `
    import { start } from './out/rules.js';
    import { patiently, takenBack } from './out/calling.js';
    const asked = [];
    const answers = ['always', 'yes', 'no'];
    const computer = await start(${JSON.stringify(config)}, async (text) => {
      asked.push(text);
      return answers.shift() ?? 'no';
    });
    const outcomes = [];
    for (const [tool, params] of [
      ['echo', { text: 'hi' }],
      ['methods', {}],
      ['methods', {}],
      ['seen', {}],
      ['fail', {}],
    ]) {
      const { outcome, phase, failure } = await computer.callTool(tool, params);
      outcomes.push([tool, outcome, phase, failure?.details.reason_given ?? null]);
    }
    answers.push('always', 'always');
    const { steps, outcome } = await patiently(computer, 'work', {});
    const back = await takenBack(computer, 'hang', { label: 'x' });
    await computer.close();
    console.log(JSON.stringify({ asked, outcomes, steps, outcome, back }));
    process.exit(0);`,
    ],
    { cwd: here, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    asked: [
      ...['methods', 'seen', 'fail', 'work'].map((tool) => `run ${tool} of fixture (it says: ${tool})? {}`),
      'run hang of fixture (it says: hang)? {"label":"x"}',
    ],
    outcomes: [
      ['echo', 'succeeded', null, null],
      ['methods', 'succeeded', null, null],
      ['methods', 'succeeded', null, null],
      ['seen', 'succeeded', null, null],
      ['fail', 'failed', 'confirming', 'not today'],
    ],
    steps: ['1/2 step 1', '2/2 step 2'],
    outcome: 'succeeded',
    back: { running: ['fixture hang confirming'], outcome: 'failed' },
  });
});
