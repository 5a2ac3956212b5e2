import { expect, it } from 'vitest';
import { columnsOf } from '../../adapters/terminal/typed-line.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';

it('help begins with three examples, has its commands in groups, and no line over 80 columns', async () => {
  const { out } = await commandLine(['--help']);
  const [first = ''] = out.split('\nUsage:');
  expect(first.match(/^ {2}a2c .+$/gm)).toHaveLength(3);
  expect(out.match(/^[A-Z].*:$/gm)).toEqual([
    'Options:',
    'Use servers:',
    'Say which servers there are:',
    'Find what is wrong:',
    'Host them for remote agents:',
    'Record and replay:',
  ]);
  const names = [...out.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(25);
  for (const command of ['--help', ...names]) {
    const help = await commandLine([command, ...(command === '--help' ? [] : ['--help'])]);
    const lines = help.out.split('\n');
    expect([command, lines.filter((line) => columnsOf(line) > 80)]).toEqual([command, []]);
  }
});
