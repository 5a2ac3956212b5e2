import { describe, expect, it } from 'vitest';
import { CommandTable, type PromptCommand } from './command.ts';
import { isUnfinished, wordsIn } from './words.ts';

const command = (names: readonly string[], more: Partial<PromptCommand> = {}): PromptCommand => ({
  ...{ names, does: `does ${names[0]}`, run: () => {} },
  ...more,
});
const table = new CommandTable([
  {
    heading: 'Tools',
    commands: [
      command(['tools', 'tools list']),
      command(['tools call', 'call'], { takes: 'tool', args: 'NAME [ARGUMENTS]' }),
    ],
  },
  { heading: 'Inputs', commands: [command(['inputs value set'], { takes: 'input' })] },
]);
const names = async (): Promise<readonly string[]> => ['read_file', 'read_dir', 'write'];

describe('a table of commands', () => {
  it.each([
    ['tools', 'tools', ''],
    ['TOOLS  call   echo {"A": "b  c"}', 'tools call', 'echo {"A": "b  c"}'],
    ['call echo', 'tools call', 'echo'],
    ['tools echo', 'tools', 'echo'],
    ['inputs value set a b c', 'inputs value set', 'a b c'],
  ])('finds %s by its longest name, whatever the case', (line, name, rest) => {
    const found = table.find(line);
    expect([found?.command.names[0], found?.rest]).toEqual([name, rest]);
  });

  it('proposes the nearest for what it does not know', () => {
    expect(table.find('tols')).toBeUndefined();
    expect(table.unknown('tols')).toMatchObject({
      code: 400,
      remedy: expect.stringContaining('Did you mean tools'),
    });
    expect(table.unknown('zzzzzzzz').remedy).toBe('Type help.');
  });

  it('helps with all, or with those of one word and what else they are called', () => {
    expect(table.help()).toContain('Tools\n  tools');
    expect(table.help('call')).toMatch(
      /^Tools\n {2}tools call NAME \[ARGUMENTS\]\s+does tools call \(also call\)$/,
    );
    expect(table.help('nothing')).toContain('no command');
  });

  it.each([
    ['to', ['tools ', 'tools list ', 'tools call '], 'to'],
    ['tools c', ['tools call '], 'tools c'],
    ['call re', ['read_file ', 'read_dir '], 're'],
    ['call ', ['read_file ', 'read_dir ', 'write '], ''],
    ['call read_file x', [], 'call read_file x'],
    ['nothing', [], 'nothing'],
  ])('completes %j', async (line, words, part) => {
    expect(await table.complete(line, names)).toEqual([words, part]);
  });
});

describe('the words of a line', () => {
  it.each([
    ['a  b', ['a', 'b']],
    ['read path="a b" n=1', ['read', 'path=a b', 'n=1']],
    ["read 'a b'", ['read', 'a b']],
    ['read {"a": "b  } c"} d', ['read', '{"a": "b  } c"}', 'd']],
    [`read '{"a": 1}'`, ['read', '{"a": 1}']],
    ['x:=[1, 2] y', ['x:=[1,', '2]', 'y']],
    ['{"a": ', ['{"a":']],
    [`it's`, [`it's`]],
    ['', []],
  ])('%j', (line, words) => {
    expect(wordsIn(line)).toEqual(words);
  });

  it('are not whole while a bracket is open', () => {
    for (const line of ['call x {', 'call x {"a": [1]', 'x {"}": "{"']) expect(isUnfinished(line)).toBe(true);
    for (const line of ['call x', 'x {}', 'x {"{": 1}', 'x }']) expect(isUnfinished(line)).toBe(false);
  });
});
