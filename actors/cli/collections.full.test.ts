import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { launchedWith, startOverHttp } from '../../scenarios/fixtures/resource-servers.ts';
import type { RemoteServer } from '../../scenarios/fixtures/remote-server.ts';
import { createComputer, createOffice } from '../index.ts';
import { run } from './run.ts';
import { documentIn } from '../../scenarios/fixtures/command-line.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { terminalOver } from '../e2e/terminal-over.ts';
import { configFiles, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of `a2c desktop`, `a2c finder` and `a2c read` over real servers; the command runs in this process. */
const mark = crypto.randomUUID();
const folder = testFolder('systems');
const opened: RemoteServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
  expect(pidsOf(mark)).toEqual([]);
});
const fileOf = configFiles(folder);
const overHttp = async (...how: Parameters<typeof startOverHttp>): Promise<object> => {
  const server = await startOverHttp(...how);
  opened.push(server);
  return { type: 'http', url: server.url };
};

interface How {
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
}
async function a2c(argv: readonly string[], { isTerminal = false, signal }: How = {}) {
  const { terminal, told } = terminalOver({ isTerminal });
  const code = await run(argv, { terminal, signal: signal ?? new AbortController().signal });
  return { code, out: told.out, err: told.err };
}
const plan = 'dpe://h/reports%2F2026%20plan.pdf';

describe('a2c desktop', () => {
  it('waits for a server that lists slowly, and writes one document with --json', async () => {
    const config = fileOf({
      slow: launchedWith('windows', mark, '--host', 'slow', '--list-ms', '700'),
      there: await overHttp('windows', '--host', 'there', '--list-ms', '300'),
    });
    const told = await a2c(['desktop', '--json', '-c', config]);
    expect(told).toMatchObject({ code: 0, err: '' });
    expect(documentIn(told)).toEqual({
      desktops: [
        'window://slow/main/tab1?priority=80\n\na page',
        'window://slow/log\n\nstarted',
        'window://there/main/tab1?priority=80\n\na page',
        'window://there/log\n\nstarted',
      ],
      missing: [],
    });
  });

  it.each([true, false])('shows a person each window under its URI (terminal: %s)', async (isTerminal) => {
    const windows = JSON.stringify([
      { path: 'a', text: 'one\n\ntwo\u001B[31m' },
      { path: 'b', text: '' },
    ]);
    const config = fileOf({ w: launchedWith('windows', mark, '--host', 'h', '--windows', windows) });
    const { code, out } = await a2c(['desktop', '-c', config], { isTerminal });
    expect({ code, out }).toEqual({
      code: 0,
      out: '── window://h/a\none\n\ntwo\\u001b[31m\n\n── window://h/b\n',
    });
    const one = await a2c(['desktop', '--window', 'window://h/b', '--json', '-c', config]);
    expect(documentIn(one)).toEqual({ desktops: ['window://h/b'], missing: [] });
    expect(await a2c(['desktop', '--size', '0', '-c', config])).toMatchObject({
      code: 0,
      out: 'no windows\n',
    });
  });

  it('warns of a server that is not there beside what the others show', async () => {
    // The server closes its output before it exits; the reported reason must be the exit code, not the closed output.
    const program = 'process.stdout.end(); process.stdin.resume(); setTimeout(() => process.exit(7), 100)';
    const config = fileOf({
      w: launchedWith('windows', mark, '--host', 'h'),
      down: { command: process.execPath, args: ['-e', program] },
    });
    const { code, out, err } = await a2c(['desktop', '-c', config]);
    expect(code).toBe(0);
    expect(out).toContain('── window://h/log');
    expect(err).toMatch(/^warning: not all of server 'down' is shown: .*exit code 7/m);
  });
});

describe('a2c finder', () => {
  const both = async (): Promise<string> =>
    fileOf({
      here: launchedWith('documents', mark, '--host', 'h'),
      there: await overHttp('documents', '--host', 'there'),
    });

  it('writes documents, their number and who is missing with --json', async () => {
    const config = await both();
    const all = await a2c(['finder', '--json', '-c', config]);
    expect(documentIn(all)).toMatchObject({
      documents: [{ server: 'here' }, { server: 'here' }, { server: 'there' }, { server: 'there' }],
      ...{ total_count: 4, missing: [] },
    });
    const some = ['finder', '--json', '--keyword', 'nothing', 'BUDGET', '--type', 'pdf', '--offset', '1'];
    expect(documentIn(await a2c([...some, '--limit', '5', '-c', config]))).toMatchObject({
      documents: [{ server: 'there', title: 'The plan of 2026' }],
      total_count: 2,
    });
  });

  it('shows a person a table, and how many there are beside it', async () => {
    const { code, out, err } = await a2c(['finder', '--limit', '2', '-c', await both()]);
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual([
      'title             type  pages  modified              server  uri',
      `The plan of 2026  pdf   2      2026-02-14T10:30:01Z  here    ${plan}`,
      'Notes             md    1                            here    dpe://h/notes.md',
    ]);
    expect(err).toBe('2 of 4 documents\n');
  });
});

describe('a2c read', () => {
  it('writes what the server gives: texts for a person, contents with --json, a mark for a blob', async () => {
    const windows = JSON.stringify([{ path: 'picture', blob: 'AAAAAAA=' }]);
    const config = fileOf({
      docs: launchedWith('documents', mark, '--host', 'h'),
      w: launchedWith('windows', mark, '--host', 'w', '--windows', windows),
    });
    const page = `${plan}/pages/1?format=markdown`;
    const text = '| month | cost |\n| --- | --- |\n| May | 3 |\n| June | 4 |\n\n[chart: costs over time]';
    expect(await a2c(['read', page, '-c', config])).toMatchObject({ code: 0, out: `${text}\n` });
    expect(documentIn(await a2c(['read', page, '--json', '-c', config]))).toEqual({
      contents: [{ uri: page, mimeType: 'text/markdown', text }],
    });
    const picture = await a2c(['read', 'window://w/picture', '-c', config]);
    expect(picture).toMatchObject({ code: 0, out: '[blob image/png, 5 bytes]\n' });
  });

  it.each([
    [`${plan}/pages/9`, 'PageOutOfRange', { page_index: 9, page_count: 2 }],
    ['dpe://elsewhere/d', 'DocumentNotFound', { host: 'elsewhere' }],
    ['nonsense', 'InvalidDpeUri', { uri: 'nonsense', rule: 'scheme' }],
  ])('fails for %s with 1, its code, its details and a remedy', async (uri, code, details) => {
    const config = fileOf({ docs: launchedWith('documents', mark, '--host', 'h') });
    const told = await a2c(['read', uri, '--json', '-c', config]);
    expect(told.code).toBe(1);
    expect(documentIn(told)).toEqual({
      error: { code, message: expect.any(String), details, remedy: expect.any(String) },
    });
    const person = await a2c(['read', uri, '-c', config]);
    expect(person).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^error: .+\n {2}.+\n$/) });
  });
});

describe('a command with --url', () => {
  it('asks the computer of a running office instead, and answers the same', async () => {
    const config = {
      mcpServers: {
        w: launchedWith('windows', mark, '--host', 'w'),
        docs: launchedWith('documents', mark, '--host', 'h'),
      },
    };
    await using office = await createOffice({ port: 0 });
    await using _computer = await bootedComputer({ name: 'c1', config, office: { url: office.url } });
    const how = ['--json', '--url', office.url];
    expect(documentIn(await a2c(['desktop', '--size', '1', ...how]))).toEqual({
      desktops: ['window://w/main/tab1?priority=80\n\na page'],
      missing: [],
    });
    expect(documentIn(await a2c(['finder', '--type', 'pdf', ...how]))).toMatchObject({
      ...{ documents: [{ uri: plan, server: 'docs' }], total_count: 1, missing: [] },
    });
    const told = await a2c(['read', `${plan}/pages/9`, ...how]);
    expect(told.code).toBe(1);
    expect(documentIn(told)).toMatchObject({
      error: { code: 'PageOutOfRange', details: { page_index: 9, page_count: 2 } },
    });
  });
});

it('a URI that breaks a rule is refused before its config is read', async () => {
  const told = await a2c(['read', 'dpe://h/d?limit=0', '--json', '-c', join(folder, 'none.json')]);
  expect(told.code).toBe(1);
  expect(documentIn(told)).toMatchObject({ error: { message: expect.stringContaining('limit') as string } });
});

describe('a server of the SDK, which declares no subscriptions', () => {
  const program = `
    import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
    import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
    const server = new McpServer({ name: 'sdk', version: '1' });
    server.registerTool('hi', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
    server.registerResource('log', 'window://sdk/log', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'x' }] }));
    await server.connect(new StdioServerTransport());`;
  const sdk = { command: process.execPath, args: ['--input-type=module', '-e', program] };

  it('is named with the setting by a2c desktop, and a2c call says nothing of it', async () => {
    const config = fileOf({ sdk });
    const desktop = await a2c(['desktop', '-c', config]);
    expect(desktop.err).toMatch(
      /'sdk' is shown: its windows \(1\) are not shown, .*"participation": "resources"/,
    );
    expect(desktop.err.match(/are not shown/g)).toHaveLength(1);
    expect(await a2c(['call', 'hi', '-c', config])).toMatchObject({ code: 0, out: 'hello\n', err: '' });
  });
});

describe('a2c skills', () => {
  const skills = join(folder, 'skills');
  mkdirSync(join(skills, 'greet', 'files'), { recursive: true });
  writeFileSync(
    join(skills, 'greet', 'SKILL.md'),
    '---\nname: greet\ndescription: Greets a person\n---\nSay hello.\n',
  );
  writeFileSync(join(skills, 'greet', 'files', 'names.txt'), 'Ada');
  const config = join(folder, 'skills.json');
  const content = { mcpServers: {}, a2c: { skills: [skills] } };
  writeFileSync(config, JSON.stringify(content));

  it('lists the skills of the config without a server, and prints their files', async () => {
    const listed = await a2c(['skills', '--config', config]);
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('greet  config  Greets a person')]);
    expect(await a2c(['skill', 'greet', '--config', config])).toMatchObject({ code: 0, out: 'Say hello.\n' });
    const file = await a2c(['skill', 'greet', '--file', 'files/names.txt', '--config', config]);
    expect(file).toMatchObject({ code: 0, out: 'Ada\n' });
  });

  it('says what is wrong with a name or a path', async () => {
    for (const [argv, code] of [
      [['skill', 'No Name'], 'SkillNameInvalid'],
      [['skill', 'other'], 'ServerNotFound'],
      [['skill', 'greet', '--file', '../../x'], 'SkillFileNotAccessible'],
    ] as const) {
      const refused = await a2c([...argv, '--json', '--config', config]);
      expect([refused.code, documentIn(refused)]).toMatchObject([1, { error: { code } }]);
    }
  });

  it('shows the skills of a computer in an office', async () => {
    await using office = await createOffice({ port: 0 });
    const seat = { url: office.url, id: 'local' };
    await using computer = await createComputer({ name: 'c', config: content, office: seat });
    expect(computer.name).toBe('c');
    const listed = await a2c(['skills', '--url', office.url, '--json']);
    expect(documentIn(listed)).toMatchObject({
      skills: [{ computer: 'c', name: 'greet', source: 'config' }],
    });
    const text = await a2c(['skill', 'greet', '--url', office.url]);
    expect(text).toMatchObject({ code: 0, out: 'Say hello.\n' });
  });
});
