import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { terminalOver } from '../e2e/terminal-over.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of servers that ask the command line for folders, for input of a person, or for a model. */
const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('answering');
const data = join(folder, 'data');
mkdirSync(data);
const config = join(folder, 'a2c.json');
const s = { command: process.execPath, args: [server, 'full', data, join(folder, 'no-such')] };
writeFileSync(config, JSON.stringify({ mcpServers: { s } }));
const asks = (method: string, params: object, ...more: readonly string[]): readonly string[] => [
  ...['call', 'askHost', JSON.stringify({ method, params }), '-c', config],
  ...more,
];
const answerIn = (out: string): unknown => JSON.parse(out);
const form = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', default: 7 } },
    required: ['name'],
  },
};

async function person(argv: readonly string[], answers: readonly string[]): Promise<string> {
  const left = [...answers];
  const onText = (text: string): void => {
    if (/(: |\] )$/.test(text.replaceAll(/\u001B\[\d*[A-Z]/g, '')))
      setImmediate(() => input.write(`${left.shift() ?? ''}\r`));
  };
  const { input, told, terminal } = terminalOver({ isTerminal: true, onText });
  await commandLine(argv, { terminal });
  return told.all;
}

describe('a server that asks the command line', () => {
  it('hears for roots of this folder, and of those that its config names', async () => {
    const { out } = await commandLine(asks('roots/list', {}), { folder });
    const root = { uri: pathToFileURL(data).href, name: 'data' };
    const here = { uri: pathToFileURL(folder).href, name: folder.split('/').at(-1) };
    expect(answerIn(out)).toEqual({ result: { roots: [here, root] } });
    const told = await commandLine(asks('roots/list', {}, '--root', data), { folder });
    expect(answerIn(told.out)).toEqual({ result: { roots: [root] } });
  });

  const odd = join(folder, 'q r#1%é');
  it.each([
    ['its path', odd],
    ['its URL', pathToFileURL(odd).href],
    ['its URL with a host', pathToFileURL(odd).href.replace('file:///', 'FILE://localhost/')],
  ])('hears for roots of a folder by %s', async (_, root) => {
    const { out } = await commandLine(asks('roots/list', {}, '--root', root));
    const roots = [{ uri: pathToFileURL(odd).href, name: 'q r#1%é' }];
    expect(answerIn(out)).toEqual({ result: { roots } });
  });
  it.each(['https://host/folder', 'file://other.test/folder', 'file:///a%2Fb'])(
    'is not started where %s is a root',
    async (root) => {
      const told = await commandLine(asks('roots/list', {}, '--root', root));
      expect(told.code).toBe(64);
      expect(told.err).toContain('a folder of this machine, or its file:// URL');
    },
  );

  it('hears for a model that there is none, or what the command says', async () => {
    const sampling = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 5 };
    const refused = await commandLine(asks('sampling/createMessage', sampling));
    expect(answerIn(refused.out)).toMatchObject({ error: { code: -32601 } });
    const script = `"${process.execPath}" -e "process.stdin.on('data', (d) => console.log(JSON.parse(d).messages[0].content.text + '!'))"`;
    const told = await commandLine(asks('sampling/createMessage', sampling, '--sampling', script));
    expect(answerIn(told.out)).toMatchObject({ result: { content: { type: 'text', text: 'hi!' } } });
    const failed = await commandLine(asks('sampling/createMessage', sampling, '--sampling', 'exit 3'));
    const message = expect.stringContaining('exit code 3') as string;
    expect(answerIn(failed.out)).toMatchObject({ error: { message } });
  });

  it('hears for a person that there is none, where there is no terminal', async () => {
    const { out } = await commandLine(asks('elicitation/create', form));
    expect(answerIn(out)).toMatchObject({ error: { code: -32601 } });
  });

  it('hears for a person what was typed, and the defaults of what was not', async () => {
    const shown = await person(asks('elicitation/create', form), ['y', 'Ada', '']);
    expect(shown).toContain('server s asks: Who are you?');
    expect(shown).toContain('{"result":{"action":"accept","content":{"name":"Ada","age":7}}}');
  });

  it('has a page opened after a question, and a no is a no', async () => {
    const url = { mode: 'url', message: 'Log in', url: 'https://example.com/login', elicitationId: 'e1' };
    const shown = await person(asks('elicitation/create', url), ['n']);
    expect(shown).toContain('https://example.com/login');
    expect(shown).toContain('{"result":{"action":"decline"}}');
  });
});

describe('an input that a server needs', () => {
  it('is asked for at the terminal before its server starts, and a password is not shown', async () => {
    const file = join(folder, 'needs.json');
    const inputs = [{ type: 'promptString', id: 'what', description: 'What to say', password: true }];
    const script = `process.env.WHAT === 's3cret' || process.exit(9); import(${JSON.stringify(server)})`;
    const s = { command: process.execPath, args: ['-e', script], env: { WHAT: '${input:what}' } };
    writeFileSync(file, JSON.stringify({ mcpServers: { s }, inputs }));
    const shown = await person(['call', 'echo', 'text=started', '-c', file], ['s3cret']);
    expect(shown).toContain('What to say: ');
    expect(shown).toContain('started');
    expect(shown).not.toContain('s3cret');
  });
});
