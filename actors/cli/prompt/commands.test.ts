import { describe, expect, it } from 'vitest';
import type { KnownNames } from '../completing.ts';
import { PromptCommands, isUnfinished, wordsIn } from './commands.ts';

const commands = new PromptCommands();
const heard: unknown[][] = [];
const hear = (...given: unknown[]): number => heard.push(given.slice(0, -2));
commands.add('Tools', ['tools', 'tools list'], 'lists them').does(hear);
commands.add('Tools', ['tools call', 'call'], 'calls one').argument('<tool...>').does(hear);
commands.add('Inputs', ['inputs value set'], 'sets one').argument('<input>').argument('[value]').does(hear);
commands.add('Files', ['read'], 'reads one').argument('<uri>').option('--server <server>').does(hear);
const mode = { description: 'how' };
const known: KnownNames = {
  servers: ['files', 'other'],
  tools: async () => [
    { server: 'files', original: 'read_file', name: 'read_file', schema: { properties: { mode, to: {} } } },
    { server: 'files', original: 'read_dir', name: 'read_dir', schema: {} },
    { server: 'files', original: 'write', name: undefined, schema: {} },
    { server: 'other', original: 'write', name: undefined, schema: {} },
  ],
  others: { input: ['token'] },
};

describe('commands of the prompt', () => {
  it.each([
    ['tools', 'tools', ''],
    ['TOOLS  call   echo {"A": "b  c"}', 'tools call', 'echo {"A": "b  c"}'],
    ['call echo', 'tools call', 'echo'],
    ['tools echo', 'tools', 'echo'],
    ['inputs value set a b c', 'inputs value set', 'a b c'],
  ])('are found in %s by the longest name, whatever the case', (line, name, rest) => {
    const found = commands.find(line);
    expect([found?.command.name(), found?.rest]).toEqual([name, rest]);
  });

  it.each([
    ['tools call', 'echo {"A": "b  c"} -x', [['echo', '{"A": "b  c"}', '-x']]],
    ['inputs value set', `a  "b  c"`, ['a', 'b  c']],
    ['inputs value set', 'a', ['a', undefined]],
    ['read', 'dpe://a/b', ['dpe://a/b']],
  ])('%s takes %s', async (name, rest, given) => {
    heard.length = 0;
    await commands.find(name)?.command.run(rest);
    expect(heard).toEqual([given]);
  });

  it.each([
    ['tools', 'and more', { message: expect.stringContaining('too many') }],
    ['tools call', '', { message: 'usage: tools call <tool...>' }],
    ['read', 'a b', { message: expect.stringContaining('too many'), remedy: 'usage: read [options] <uri>' }],
    ['read', 'a --other', { message: "unknown option '--other'" }],
  ])('%s does not take %j', async (name, rest, why) => {
    const told = commands.find(name)?.command.run(rest);
    await expect(told).rejects.toMatchObject({ code: 'BadRequest', ...why });
  });

  it('propose the nearest for what is none of them', () => {
    expect(commands.find('tols')).toBeUndefined();
    const remedy = 'Did you mean tools? Type help.';
    expect(commands.unknown('tols')).toMatchObject({ code: 'BadRequest', remedy });
    expect(commands.unknown('zzzzzzzz').remedy).toBe('Type help.');
  });

  it('are listed, or those of one word, and the only one is shown whole', () => {
    const all = commands.help();
    expect(all).toMatch(/\n {2}tools +what can be called/);
    expect(all).toContain('Inputs: inputs value set\n');
    expect(all.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(commands.help('tools')).not.toContain('Inputs');
    expect(commands.help('call')).toMatch(/^Usage: tools call \| call <tool\.\.\.>\n\ncalls one$/);
    expect(commands.help('nothing')).toContain('no command');
  });

  it.each([
    ['to', ['tools ', 'tools list ', 'tools call '], 'to'],
    ['tools c', ['tools call '], 'tools c'],
    ['call re', ['read_file ', 'read_dir '], 're'],
    ['call w', [], 'call w'],
    ['call other', ['other.write ', 'other.'], 'other'],
    ['call other.', ['other.write '], 'other.'],
    ['call other ', ['write '], ''],
    ['call files w', ['write '], 'w'],
    ['call read_file ', ['mode=', 'to='], ''],
    ['call files read_file m', ['mode='], 'm'],
    ['call read_file mode=fast ', ['to='], ''],
    ['call nothing x', [], 'call nothing x'],
    ['inputs value set ', ['token '], ''],
    ['read a --s', ['--server '], '--s'],
    ['read a --server f', ['files '], 'f'],
    ['nothing', [], 'nothing'],
  ])('complete %j', async (line, words, part) => {
    expect(await commands.complete(line, known)).toEqual([words, part]);
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
    ['read file(1).txt', ['read', 'file(1).txt']],
  ])('are read in %j', (line, words) => {
    expect(wordsIn(line)).toEqual(words);
  });

  it('are not whole while a bracket is open', () => {
    for (const line of ['call x {', 'call x {"a": [1]', 'x {"}": "{"']) expect(isUnfinished(line)).toBe(true);
    for (const line of ['call x', 'x {}', 'x {"{": 1}', 'x }']) expect(isUnfinished(line)).toBe(false);
  });
});
