import { expect, it } from 'vitest';
import { columnsOf } from '../../adapters/terminal/typed-line.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { daily } from './words.ts';

const isOwnOption = /^ {2}(?:-\w, )?--/;

it('help is one screen: three examples, the commands of every day, and the names of the others', async () => {
  const { out } = await commandLine(['help']);
  const lines = out.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => columnsOf(line) > 80)).toEqual([]);
  const [first = '', rest = ''] = out.split('\nUsage:');
  expect(first.match(/^ {2}a2c .+$/gm)).toHaveLength(3);
  expect(daily).toHaveLength(13);
  for (const name of daily) expect(rest).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  expect(rest).toContain('trace show|replay|verify|fork|redact|why');
  expect(rest).toContain('lab sim|judge');
});

it('help names each command', async () => {
  const { out } = await commandLine(['help']);
  const all = await commandLine(['completion', 'fish', 'a2c ']);
  const names = all.out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
  expect(names.length).toBeGreaterThan(35);
  expect(names.filter((name) => !new RegExp(`^ .*\\b${name}\\b`, 'm').test(out))).toEqual([]);
});

it('the help of each command has at most a dozen options of its own, and no line over 80 columns', async () => {
  const { out } = await commandLine(['help']);
  const more = out.slice(out.indexOf('More:')).split('\n').slice(1).join(' ');
  const nouns = /(?:trace|lab) \S+/g;
  const behind = [...more.matchAll(nouns)].flatMap(([all]) => {
    const [noun = '', names = ''] = all.split(' ');
    return names.split('|').map((name) => [noun, name]);
  });
  const plain = more.replaceAll(nouns, '').trim().split(/\s+/);
  const commands = [...[...daily, ...plain].map((name) => [name]), ...behind];
  expect(commands.length).toBeGreaterThan(38);
  for (const command of commands) {
    const help = await commandLine(['help', ...command]);
    const lines = help.out.split('\n');
    expect([command, help.code, lines.filter((line) => columnsOf(line) > 80)]).toEqual([command, 0, []]);
    expect(lines[0]).toContain(`Usage: a2c ${command.join(' ')} `);
    expect([command, lines.filter((line) => isOwnOption.test(line)).length <= 12]).toEqual([command, true]);
  }
});

it.each([
  [
    ['show', '--help'],
    ['trace', 'show', '--help'],
  ],
  [
    ['help', 'replay'],
    ['trace', 'replay', '--help'],
  ],
  [
    ['sim', '--help'],
    ['lab', 'sim', '--help'],
  ],
  [
    ['mcp', 'list', '--help'],
    ['list', '--help'],
  ],
  [
    ['claude', 'mcp', 'add', '--help'],
    ['add', '--help'],
  ],
])('%j is taken as %j', async (old, today) => {
  expect((await commandLine(old)).out).toBe((await commandLine(today)).out);
});

it('help of a word that is no command says so', async () => {
  expect(await commandLine(['help', 'nonsense'])).toMatchObject({
    ...{ code: 64, out: '' },
    err: expect.stringContaining("unknown command 'nonsense'"),
  });
});
