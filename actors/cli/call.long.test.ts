import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of `a2c call` and `a2c tools NAME`: which servers they start, and how they explain a wrong command. */
const fixtureOf = (name: string): string =>
  new URL(`../../scenarios/fixtures/${name}.mjs`, import.meta.url).href;
const folder = testFolder('call');

let files = 0;
/** Config whose servers each leave a line in the file `started` when they are launched. */
function configOf(
  names: readonly string[],
  fixtures: string | Readonly<Record<string, string>> = 'mcp-server',
): { readonly file: string; readonly started: () => string[] } {
  const at = join(folder, `${(files += 1)}`);
  const log = `${at}.started`;
  writeFileSync(log, '');
  const launcherOf = (name: string): string => {
    const fixture = typeof fixtures === 'string' ? fixtures : (fixtures[name] ?? 'mcp-server');
    const launcher = `${at}.${name}.mjs`;
    writeFileSync(
      launcher,
      `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(log)}, process.argv[2] + '\\n');
await import(${JSON.stringify(fixtureOf(fixture))});`,
    );
    return launcher;
  };
  const mcpServers = Object.fromEntries(
    names.map((name) => [name, { command: process.execPath, args: [launcherOf(name), name] }]),
  );
  writeFileSync(`${at}.json`, JSON.stringify({ mcpServers }));
  const started = (): string[] => {
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    writeFileSync(log, '');
    return lines.toSorted();
  };
  return { file: `${at}.json`, started };
}

describe('a2c call', () => {
  it('starts all servers while no list has the tool, and from then on that one alone', async () => {
    const { file, started } = configOf(['one', 'two'], { one: 'typed-server' });
    const first = await commandLine(['call', 'echo', 'text=hi', '-c', file]);
    expect(first).toMatchObject({ code: 0, out: 'hi\n' });
    expect(first.err).toContain('no list of tools has echo yet; starting all servers');
    expect(started()).toEqual(['one', 'two']);
    const second = await commandLine(['call', 'echo', 'text=again', '-c', file]);
    expect(second).toEqual({ code: 0, out: 'again\n', err: '' });
    expect(started()).toEqual(['two']);
  });

  it('waits half a second for a server that stays when its stdin is closed, or as its config says', async () => {
    const args = [fileURLToPath(fixtureOf('shutdown-server')), 'deaf'];
    const graceOf = async (a2c: object): Promise<string | undefined> => {
      const config = { mcpServers: { deaf: { command: process.execPath, args } }, a2c };
      const into = join(folder, `traces-${(files += 1)}`);
      const words = ['call', 'echo', 'text=hi', '-c', JSON.stringify(config), '--record', into];
      expect(await commandLine(words)).toMatchObject({ code: 0, out: 'hi\n' });
      const [trace = ''] = readdirSync(into);
      return /stdinGrace of deaf (\d+)/.exec(readFileSync(join(into, trace), 'utf8'))?.[1];
    };
    expect(await graceOf({})).toBe('500');
    expect(await graceOf({ timeouts: { stdinGraceMs: 20 } })).toBe('20');
  });

  it('names a server behind a URL that cannot be reached, and what to do', async () => {
    const far = { mcpServers: { far: { type: 'http', url: 'http://127.0.0.1:1/mcp' } } };
    const { code, err } = await commandLine(['call', 'far.echo', '-c', JSON.stringify(far)]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^error: Server 'far' cannot be reached: .*\n {2}check the URL/),
    ]);
  });

  it('refuses a name that two servers turn out to have, whichever is up first', async () => {
    const { file, started } = configOf(['one', 'two']);
    const { code, err } = await commandLine(['call', 'echo', 'text=hi', '-c', file]);
    expect(code).toBe(2);
    expect(err).toContain("Several servers have a tool 'echo': one, two");
    expect(started()).toEqual(['one', 'two']);
  });

  it.each([[['two.echo']], [['two', 'echo']]])(
    'starts with %j the server that it names alone',
    async (words) => {
      const { file, started } = configOf(['one', 'two']);
      const told = await commandLine(['call', ...words, 'text=hi', '-c', file]);
      expect(told).toEqual({ code: 0, out: 'hi\n', err: '' });
      expect(started()).toEqual(['two']);
    },
  );

  it('names the nearest to an unknown tool: of all servers, or of those that ran before without starting any', async () => {
    const { file, started } = configOf(['one', 'two']);
    const { code, err } = await commandLine(['call', 'ecko', '-c', file]);
    expect(code).toBe(2);
    expect(err).toContain('Did you mean echo? List the tools: a2c tools');
    expect(started()).toEqual(['one', 'two']);
    for (const line of ['call ecko', 'tools ecko', 'tools onne', 'call onne.echo']) {
      const told = await commandLine([...line.split(' '), '-c', file]);
      expect(told.code).toBe(line.startsWith('call') ? 2 : 1);
      expect(told.err).toMatch(/Did you mean (echo|one|one\.echo)[?,]/);
    }
    expect(started()).toEqual([]);
  });

  it.each([['call'], ['tools']])('names both servers that have one name: %s', async (command) => {
    const { file, started } = configOf(['one', 'two']);
    await commandLine(['tools', '-c', file]);
    started();
    const { code, err } = await commandLine([command, 'echo', '-c', file]);
    expect(code).toBe(command === 'call' ? 2 : 1);
    expect(err).toContain("Several servers have a tool 'echo': one, two");
    expect(err).toContain(`a2c ${command} one.echo -c ${file} or a2c ${command} two.echo -c ${file}`);
    expect(started()).toEqual([]);
  });

  it('shows the signature where arguments are wrong', async () => {
    const { file } = configOf(['one'], 'typed-server');
    const { code, err } = await commandLine(['call', 'get_next', 'n=x', '-c', file]);
    expect(code).toBe(2);
    expect(err).toMatch(/^ {2}get_next\(n: integer\) {2}\(more: a2c tools get_next -c \S+\)$/m);
    for (const words of [['n=1'], ['1'], ['--n', '1'], ['--n=1'], ['{n: 1}']])
      expect(await commandLine(['call', 'get_next', ...words, '-c', file])).toMatchObject({ out: '2\n' });
    expect(await commandLine(['call', 'one.get_next(n: 1)', '-c', file])).toMatchObject({
      code: 64,
      err: expect.stringContaining('a2c call TOOL key=value'),
    });
  });
});

describe('a2c tools NAME', () => {
  it('lists the tools of a server, and starts it alone', async () => {
    const { file, started } = configOf(['one', 'two']);
    const { code, out } = await commandLine(['tools', 'two', '-c', file]);
    expect(code).toBe(0);
    expect(out).toMatch(/^two {2}ready, \d+ tools$/m);
    expect(out).not.toContain('one');
    expect(started()).toEqual(['two']);
  });

  it('says how a tool is called, with a call to copy', async () => {
    const { file } = configOf(['one'], 'typed-server');
    const { code, out } = await commandLine(['tools', 'get_next', '-c', file]);
    expect(code).toBe(0);
    expect(out).toMatch(/^get_next\(n: integer\)\nof one\nThe next number\n/);
    expect(out).toMatch(/^a2c call get_next n=1 -c \S+$/m);
  });

  it('ends with 1 and the nearest names for a tool that nobody has', async () => {
    const { file } = configOf(['one']);
    const { code, err } = await commandLine(['tools', 'ecko', '-c', file]);
    expect(code).toBe(1);
    expect(err).toContain("No server and no tool is called 'ecko'");
    expect(err).toContain('Did you mean echo?');
  });
});
