import type { SourceOptions } from './options.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { run } from './run.ts';
import { configOf } from './source.ts';

let folder: string;
let said: string[];
beforeEach(() => {
  folder = testFolder('source');
  said = [];
});

/** Terminal whose person gives these answers; without answers it is a pipe. */
const terminalOf = (answers?: (string | null)[]): Terminal => {
  const say = (text: string): void => void said.push(text);
  const question = (text: string): Promise<string | null> => {
    say(text);
    return Promise.resolve(answers?.shift() ?? null);
  };
  const isInteractive = answers !== undefined;
  return { isInteractive, out: say, err: say, outText: say, errText: say, question } as unknown as Terminal;
};
const { signal } = new AbortController();
const namesOf = async (options: SourceOptions, answers?: (string | null)[]): Promise<string[]> => {
  const config = await configOf({ terminal: terminalOf(answers), signal, folder }, options);
  return config.servers.map((s) => s.name);
};
const found = { mcpServers: { theirs: { command: 'rm', args: ['-rf', 'everything'] } } };
const write = (name: string, content: unknown): void =>
  writeFileSync(join(folder, name), JSON.stringify(content));

describe('the source of servers', () => {
  it('is the documents server over the folder, when there is no config', async () => {
    expect(await namesOf({})).toEqual(['documents']);
  });
  it('is the file that is asked for, which is trusted by being asked for', async () => {
    write('mine.json', found);
    expect(await namesOf({ config: ['mine.json'] })).toEqual(['theirs']);
  });
  it('the source of servers is each file that -c names; a later file wins, and the command says so', async () => {
    write('one.json', {
      mcpServers: { a: { command: 'first' }, b: { command: 'b' } },
      a2c: { start: 'lazy' },
    });
    write('two.json', { mcpServers: { a: { command: 'second' } } });
    const config = await configOf(
      { terminal: terminalOf(), signal, folder },
      { config: ['one.json', 'two.json', '{"mcpServers": {"c": {"command": "c"}}}'] },
    );
    expect(config.servers.map((s) => [s.name, s.kind === 'stdio' && s.launch.command])).toEqual([
      ['a', 'second'],
      ['b', 'b'],
      ['c', 'c'],
    ]);
    expect(config.settings).toMatchObject({ start: 'lazy' });
    const [one, two] = [join(folder, 'one.json'), join(folder, 'two.json')];
    expect(said).toEqual([expect.stringContaining(`server a is taken from ${two}, and not from ${one}`)]);
  });
  it('has its relative paths from the folder of its file', async () => {
    mkdirSync(join(folder, 'sub/data'), { recursive: true });
    writeFileSync(join(folder, 'sub/near.mjs'), '');
    const args = './x.mjs near.mjs data/ . .. --flag far.mjs @scope/pkg https://a/b'.split(' ');
    write('sub/mine.json', { mcpServers: { a: { command: './run.sh', args, cwd: 'data' } } });
    const config = await configOf(
      { terminal: terminalOf(), signal, folder },
      { config: [join('sub', 'mine.json')] },
    );
    const sub = join(folder, 'sub');
    expect(config.servers[0]).toMatchObject({
      launch: {
        command: join(sub, 'run.sh'),
        args: [
          ...[join(sub, 'x.mjs'), join(sub, 'near.mjs'), join(sub, 'data/'), sub, folder],
          ...['--flag', 'far.mjs', '@scope/pkg', 'https://a/b'],
        ],
        cwd: join(sub, 'data'),
      },
    });
  });
  it('names the file of another application that is here, and is not used', async () => {
    mkdirSync(join(folder, '.vscode'));
    write('.vscode/mcp.json', { servers: { a: { command: 'x' } } });
    expect(await namesOf({})).toEqual(['documents']);
    expect(said).toEqual([
      'no config here; .vscode/mcp.json has servers: a2c import vscode takes them over, -c .vscode/mcp.json uses them once',
    ]);
  });
});

describe('a config found in the folder', () => {
  it('a config is searched up to the root of the repository, and no further', async () => {
    const sub = join(folder, 'repository/sub');
    mkdirSync(join(sub, 'deep'), { recursive: true });
    write('a2c.json', { mcpServers: { strange: { url: 'http://x' } } });
    const at = async (where: string): Promise<string[]> =>
      (await configOf({ terminal: terminalOf(), signal, folder: where }, {})).servers.map((s) => s.name);
    expect(await at(join(sub, 'deep'))).toEqual(['documents']);
    mkdirSync(join(folder, 'repository/.git'));
    expect(await at(join(sub, 'deep'))).toEqual(['documents']);
    write('repository/.mcp.json', { mcpServers: { ours: { url: 'http://x' } } });
    expect(await at(join(sub, 'deep'))).toEqual(['ours']);
  });
  it('starts nothing before the folder is trusted, and says what it would start and how to trust it', async () => {
    write('a2c.json', found);
    await expect(namesOf({})).rejects.toMatchObject({
      code: 'NotAllowed',
      details: { commands: ['theirs: rm -rf everything'] },
      remedy: expect.stringContaining('--trust') as string,
    });
  });
  it('is an error with exit code 1 on the command line, also as JSON', async () => {
    write('.mcp.json', found);
    const context = { terminal: terminalOf(), signal, folder };
    expect(await run(['tools', '--json'], context)).toBe(1);
    expect(JSON.parse(said.join(''))).toMatchObject({ error: { code: 'NotAllowed' } });
  });
  it('is trusted once, with --trust', async () => {
    write('mcp.json', found);
    expect(await namesOf({ trust: true })).toEqual(['theirs']);
    expect(await namesOf({})).toEqual(['theirs']);
  });
  it('is trusted once, by a person who has seen the commands', async () => {
    write('a2c.json', found);
    expect(await namesOf({}, ['yes'])).toEqual(['theirs']);
    expect(said.join('\n')).toContain('theirs: rm -rf everything');
    expect(await namesOf({}, [])).toEqual(['theirs']);
  });
  it.each([['no'], [''], [null]])('is not trusted by the answer %j', async (answer) => {
    write('a2c.json', found);
    await expect(namesOf({}, [answer])).rejects.toMatchObject({ code: 'NotAllowed' });
    await expect(namesOf({})).rejects.toMatchObject({ code: 'NotAllowed' });
  });
  it('needs no trust while it starts no program', async () => {
    write('a2c.json', { mcpServers: { off: { command: 'rm', disabled: true }, far: { url: 'http://x' } } });
    expect(await namesOf({})).toEqual(['off', 'far']);
  });
  it('is told its mistakes before anybody is asked to trust it', async () => {
    write('a2c.json', { mcpServers: { theirs: { command: 7 } } });
    await expect(namesOf({}, ['yes'])).rejects.toMatchObject({ code: 'ConfigInvalid' });
    expect(said).toEqual([]);
  });
});

it('the shape of configs is told to editors as a JSON Schema, one document on stdout', async () => {
  expect(await run(['schema'], { terminal: terminalOf(), signal, folder })).toBe(0);
  expect(said).toHaveLength(1);
  expect(JSON.parse(said[0] ?? '')).toMatchObject({ $schema: 'http://json-schema.org/draft-07/schema#' });
});
