import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readJson } from '../../machines/config/json-text.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { startGuarded } from '../../scenarios/fixtures/guarded-server.ts';
import { Spoken, type Told } from '../../scenarios/fixtures/served.ts';
import { configFiles, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const everything = file('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const telling = file('scenarios/fixtures/telling-server.mjs');
const windows = file('scenarios/fixtures/windows-server.mjs');
const wrapping = (...words: readonly string[]): readonly string[] => ['--', process.execPath, ...words];
const newFolder = (): string => testFolder('served');
const killedAfter = (spoken: Spoken): Spoken => {
  onTestFinished(() => void spoken.child.kill('SIGKILL'));
  return spoken;
};
const serving = (args: readonly string[], how: { cwd?: string; stateDir?: string } = {}): Spoken =>
  killedAfter(Spoken.serving(args, { stateDir: how.stateDir ?? newFolder(), ...how }));
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const untilGone = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20)); // real time: a process of the system ends or starts
};

const working = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } };
const completed = { ref: { type: 'ref/prompt', name: 'completable-prompt' } };
/** Requests in their order, for a client that is served bare and by `a2c serve`. */
const script: readonly (readonly [method: string, params?: object])[] = [
  ['ping'],
  ['tools/list'],
  ['resources/list'],
  ['resources/templates/list'],
  ['prompts/list'],
  ['tools/call', { name: 'echo', arguments: { message: 'hé\u0000llo' } }],
  ['tools/call', { name: 'echo', arguments: {} }],
  ['tools/call', { name: 'no such tool', arguments: {} }],
  ['tools/call', { name: 'get-sum', arguments: { a: 1, b: 2.5 } }],
  ['tools/call', { name: 'get-structured-content', arguments: { location: 'New York' } }],
  ['tools/call', { name: 'get-annotated-message', arguments: { messageType: 'error', includeImage: true } }],
  ['tools/call', { name: 'get-resource-links', arguments: { count: 2 } }],
  ['tools/call', { name: 'get-tiny-image', arguments: {}, _meta: { 'a.test/x': 1 } }],
  ['tools/call', { name: 'trigger-sampling-request', arguments: { prompt: 'x', maxTokens: 5 } }],
  ['tools/call', { name: 'trigger-elicitation-request', arguments: {} }],
  ['tools/call', { name: 'get-roots-list', arguments: {} }],
  ['tools/call', { ...working, _meta: { progressToken: 'p' } }],
  ['resources/read', { uri: 'demo://resource/static/document/architecture.md' }],
  ['resources/read', { uri: 'demo://resource/dynamic/text/1' }],
  ['resources/read', { uri: 'nowhere://x' }],
  ['resources/subscribe', { uri: 'demo://resource/dynamic/text/1' }],
  ['resources/unsubscribe', { uri: 'demo://resource/dynamic/text/1' }],
  ['prompts/get', { name: 'simple-prompt' }],
  ['prompts/get', { name: 'args-prompt', arguments: { city: 'Ghent' } }],
  ['prompts/get', { name: 'no such prompt' }],
  ['completion/complete', { ...completed, argument: { name: 'department', value: 'E' } }],
  ['logging/setLevel', { level: 'error' }],
  ['logging/setLevel', { level: 'loud' }],
  ['no/such/method'],
];
/** What a client sees of a server: each answer with what came before it, without ids and times. */
async function seen(spoken: Spoken): Promise<readonly object[]> {
  spoken.answer = (method) => {
    if (method === 'roots/list') return { roots: [{ uri: 'file:///tmp', name: 'tmp' }] };
    const content = { type: 'text', text: 'sampled' };
    if (method === 'sampling/createMessage')
      return { role: 'assistant', content, model: 'm', stopReason: 'endTurn' };
    return method === 'elicitation/create' ? { action: 'decline' } : undefined;
  };
  const begun = await spoken.begin({ roots: { listChanged: true }, sampling: {}, elicitation: {} });
  // Registers its tools for clients with these capabilities a moment after it was told that the client is ready.
  let tools: Told;
  do tools = await spoken.ask('tools/list');
  while (!JSON.stringify(tools).includes('get-roots-list'));
  const steps: object[] = [{ initialize: withoutLists(begun) }];
  for (const [method, params] of script) {
    const from = spoken.told.length;
    const { id: _, jsonrpc: __, ...answer } = await spoken.ask(method, params as Record<string, unknown>);
    const between = spoken.told
      .slice(from, -1)
      .filter((told) => told.method !== undefined && !/list_changed|\/message$|^roots/.test(told.method))
      .map((told) => ({ method: told.method, params: told.params }));
    steps.push({ method, params, between, answer });
  }
  spoken.child.stdin.end();
  await spoken.ended;
  return JSON.parse(
    JSON.stringify(steps).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}:\d\d:\d\d [AP]M/g, 'TIME'),
  ) as object[];
}
const withoutLists = ({ result = {} }: Told): object => ({
  ...result,
  capabilities: JSON.parse(
    JSON.stringify(result['capabilities']).replaceAll(/,?"listChanged":(?:true|false)/g, ''),
  ) as object,
});

const introduction = {
  ...{ protocolVersion: '2025-11-25', capabilities: {} },
  clientInfo: { name: 'x', version: '1' },
};
/** A client of the revision without sessions, which declines what it is asked. */
async function modern(
  transport: Parameters<Client['connect']>[0],
  onAsked: () => void = () => {},
): Promise<Client> {
  const client = new Client(
    { name: 'modern', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', () => {
    onAsked();
    return { action: 'decline' };
  });
  await closedAfter(client).connect(transport);
  return client;
}

describe('a wrapped server', () => {
  it('is the same to a client as a bare one, message by message', async () => {
    const bare = killedAfter(new Spoken(process.execPath, [everything]));
    const stateDir = newFolder();
    const first = serving(wrapping(everything), { stateDir });
    await first.begin();
    await first.call('echo', { message: 'hi' });
    first.child.stdin.end();
    await first.ended;
    const [one, other] = [await seen(bare), await seen(serving(wrapping(everything), { stateDir }))];
    for (const [n, step] of one.entries()) expect(other[n]).toEqual(step);
    expect(other).toHaveLength(one.length);
  });

  it('gets what its client has put into the environment', async () => {
    process.env['SERVED_TEST'] = 'passed on';
    const spoken = serving(wrapping(telling, 'serve'));
    delete process.env['SERVED_TEST'];
    await spoken.begin();
    expect(JSON.stringify(await spoken.call('good'))).toContain('SERVED_TEST=passed on');
  });

  it('is told at once when it was seen before, before it has started again', async () => {
    const stateDir = newFolder();
    const first = serving(wrapping(telling, 'serve'), { stateDir });
    const { result } = await first.begin();
    await first.ask('tools/list');
    first.child.stdin.end();
    await first.ended;
    const again = serving(wrapping(telling, 'serve'), { stateDir });
    expect((await again.begin()).result).toEqual(result);
    const { result: listed } = await again.ask('tools/list');
    expect(listed).toMatchObject({
      tools: [{ name: 'fail' }, { name: 'failed' }, { name: 'good' }, { name: 'die' }],
    });
  });

  it('is told with its trace when it dies in a call, comes back, and its tools stay', async () => {
    const spoken = serving(wrapping(telling, 'serve'));
    await spoken.begin();
    const before = await spoken.ask('tools/list');
    const { error } = await spoken.call('die');
    expect(error).toMatchObject({ code: -32_000, data: { outcome: 'unknown', exit_code: 3 } });
    expect(readFileSync(String(error?.data?.['trace']), 'utf8')).toContain('a2c');
    expect((await spoken.ask('tools/list')).result).toEqual(before.result);
    expect(await spoken.call('good')).toHaveProperty('result');
    expect(spoken.told.filter(({ method = '' }) => method.endsWith('list_changed'))).toEqual([]);
  });

  it.each(['the end of its input', 'SIGTERM', 'SIGKILL'] as const)(
    'leaves no process after %s',
    async (how) => {
      const deaf = `process.on('SIGTERM',()=>{});setInterval(()=>{},1e3);'${newFolder()}'`;
      const spoken = serving(wrapping('-e', deaf));
      spoken.send({ id: 1, method: 'initialize', params: introduction });
      let pid = 0;
      while (pid === 0) {
        const { stdout } = spawnSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
        const line = stdout.split('\n').find((each) => each.includes(deaf) && !each.includes('main.js'));
        pid = Number.parseInt(line ?? '0', 10);
        await new Promise((resolve) => setTimeout(resolve, 50)); // real time: a process of the system ends or starts
      }
      if (how === 'the end of its input') spoken.child.stdin.end();
      else spoken.child.kill(how);
      await spoken.ended;
      await untilGone(pid);
      expect(isAlive(pid)).toBe(false);
    },
  );
});

describe('a2c serve', () => {
  it('refuses a config of a folder that nobody has trusted with the reason at each request', async () => {
    const cwd = newFolder();
    const server = { command: process.execPath, args: [telling, 'serve'] };
    writeFileSync(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { one: server } }));
    const spoken = serving([], { cwd });
    // Speaks late, as a client does that starts slowly.
    await spoken.until(() => spoken.stderr.includes('its folder is not trusted'));
    expect(await spoken.begin()).toHaveProperty('result');
    const { error } = await spoken.ask('tools/list');
    expect(error?.message).toContain('its folder is not trusted');
    expect(error?.message).toContain('--trust');
  });

  it('takes over an edit of its config, and keeps the last good one while the file has a mistake', async () => {
    const config = join(newFolder(), 'a2c.json');
    const write = (servers: object): void => writeFileSync(config, JSON.stringify({ mcpServers: servers }));
    const one = { command: process.execPath, args: [telling, 'serve', 'first'] };
    write({ one });
    const spoken = serving(['-c', config]);
    await spoken.begin();
    expect(JSON.stringify(await spoken.call('good'))).toContain('first');
    expect((await spoken.ask('tools/list')).result).toMatchObject({ tools: { length: 4 } });
    const isChanged = ({ method = '' }: Told): boolean => method === 'notifications/tools/list_changed';
    write({ one: { ...one, args: [telling, 'serve', 'second'] }, two: { ...one, disabled: true } });
    await spoken.until(() => spoken.stderr.split('server one').length > 3);
    expect(JSON.stringify(await spoken.call('good'))).toContain('second');
    write({ one: { comand: 'x' } });
    await spoken.until(() => spoken.stderr.includes('is not taken over'));
    expect(spoken.stderr).toContain('comand');
    expect(JSON.stringify(await spoken.call('good'))).toContain('second');
    write({});
    await spoken.until(() => spoken.told.some(isChanged));
    expect((await spoken.ask('tools/list')).result).toEqual({ tools: [] });
  });

  it('names the login that a server needs, and has its tools once its user has logged in', async () => {
    const { url } = await startGuarded();
    const stateDir = newFolder();
    const config = configFiles(stateDir)({ far: { type: 'http', url } });
    const spoken = serving(['-c', config], { stateDir });
    await spoken.begin();
    expect((await spoken.ask('tools/list')).result).toEqual({ tools: [] });
    await spoken.until(() => /log in: .*login far -c/.test(spoken.stderr));
    const login = startCommand(['login', 'far', '-c', config], { XDG_STATE_HOME: stateDir });
    const [page] = await login.said(/http\S+\/authorize\S*(?=\n)/);
    expect((await fetch(page)).status).toBe(200);
    await spoken.until(() => spoken.told.some(({ method }) => method === 'notifications/tools/list_changed'));
    expect((await spoken.call('greet')).result).toMatchObject({ content: [{ text: 'hello' }] });
  });

  it('asks the user of its client where the config wants that', async () => {
    const one = { command: process.execPath, args: [telling, 'serve'] };
    const spoken = serving(['-c', JSON.stringify({ mcpServers: { one } }), '--confirm', 'elicit']);
    const asked: unknown[] = [];
    let action = 'decline';
    spoken.answer = (method, params) => {
      asked.push(params['message']);
      return method === 'elicitation/create' ? { action } : undefined;
    };
    await spoken.begin({ elicitation: {} });
    expect(JSON.stringify(await spoken.call('good'))).toContain('decline');
    action = 'accept';
    expect((await spoken.call('good')).result).toMatchObject({ content: [{ type: 'text' }] });
    expect(asked).toEqual([expect.stringContaining('good'), expect.stringContaining('good')]);
    await spoken.call('good', { note: ' '.repeat(2_000) });
    expect(asked.at(-1)).toMatch(/\n\(16 more characters are not shown\)$/);
  });

  it('serves a client of the revision without sessions, and asks it by its answers', async () => {
    const stateDir = newFolder();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [file('dist/actors/main.js'), 'serve', ...wrapping(everything)],
      env: { ...(process.env as Record<string, string>), XDG_STATE_HOME: stateDir },
      stderr: 'ignore',
    });
    const client = await modern(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    const echo = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
    expect(echo.content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
    const asked = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} });
    expect(JSON.stringify(asked.content)).toContain('declined');
  });

  it('is shown to its user, who restarts a server of it', async () => {
    const stateDir = newFolder();
    const spoken = serving(wrapping(telling, 'serve'), { stateDir });
    await spoken.begin();
    expect(await spoken.call('good')).toHaveProperty('result');
    const before = process.env['XDG_STATE_HOME'];
    process.env['XDG_STATE_HOME'] = stateDir;
    try {
      const shown = await commandLine(['serve', 'status', '--json']);
      expect(JSON.parse(shown.out)).toMatchObject({
        servings: [{ name: `serve for test (pid ${process.pid})`, servers: [{ state: 'ready' }] }],
      });
      expect((await commandLine(['serve', 'restart', 'node'])).out).toContain('is up again');
      expect(await spoken.call('good')).toHaveProperty('result');
      expect((await commandLine(['serve', 'restart', 'nobody'])).code).toBe(1);
    } finally {
      process.env['XDG_STATE_HOME'] = before;
    }
  });

  it('takes over HTTP only clients that show the token', async () => {
    const { url, headers } = await overHttp(wrapping(telling, 'serve'));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: introduction });
    const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const post = (given: object): Promise<Response> =>
      fetch(url, { method: 'POST', headers: { ...types, ...given }, body });
    expect((await post({})).status).toBe(401);
    expect((await post({ ...headers, origin: 'https://evil.example' })).status).toBe(403);
    const answer = await post(headers);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('"telling"');
  });

  it('keeps the subscription of a client over HTTP when another one ends its own or leaves', async () => {
    const { url, headers } = await overHttp(wrapping(windows));
    const [log, main] = ['log', 'main/tab1?priority=80'];
    const updates: string[] = [];
    const of = (path: string) => ({ uri: `window://com.example.windows/${path}` });
    const connected = async (name: string) => {
      const client = closedAfter(new Client({ name, version: '1' }));
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updates.push(`${name} ${params.uri}`);
      });
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
      await client.connect(transport);
      await client.subscribeResource(of(log));
      return { client, transport };
    };
    const [{ client }, other] = [await connected('one'), await connected('other')];
    const change = (path: string) =>
      client.callTool({ name: 'show_window', arguments: { path, text: 'new' } });
    const told = async (...paths: string[]): Promise<void> => {
      const all = paths.map((path) => `one ${of(path).uri}`);
      await expect.poll(() => updates).toEqual(all);
    };
    await other.client.unsubscribeResource(of(log));
    await change(log);
    await told(log);
    await client.unsubscribeResource(of(log));
    await client.subscribeResource(of(main));
    await change(log);
    await change(main);
    await told(log, main);
    await other.client.subscribeResource(of(log));
    await other.transport.terminateSession();
    await change(log);
    await change(main);
    await told(log, main, main);
  });

  it('serves over HTTP clients without sessions, and asks each for its own calls alone', async () => {
    const { url, headers } = await overHttp(wrapping(everything));
    const asked: string[] = [];
    const connected = (name: string): Promise<Client> => {
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
      return modern(transport, () => void asked.push(name));
    };
    const [one, other] = [await connected('one'), await connected('other')];
    expect((await one.listTools()).tools.map(({ name }) => name)).toContain('trigger-elicitation-request');
    for (const client of [one, other, one]) {
      const answer = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} });
      expect(JSON.stringify(answer.content)).toContain('declined');
    }
    expect(asked).toEqual(['one', 'other', 'one']);
    const progress: number[] = [];
    await other.callTool(working, { onprogress: (told) => progress.push(told.progress) });
    expect(progress).toEqual([1, 2]);
  });
});
/** Serves over HTTP, and resolves with where and how a client reaches it. */
async function overHttp(words: readonly string[]) {
  const spoken = serving(['--http', ...words]);
  const printed = /^\{"mcpServers".*\}$/m;
  await spoken.until(() => printed.test(spoken.stderr));
  const [line = ''] = printed.exec(spoken.stderr) ?? [];
  return (JSON.parse(line) as { mcpServers: { a2c: { url: string; headers: Record<string, string> } } })
    .mcpServers.a2c;
}

describe('an installation', () => {
  const before = `{
  // mine
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "some-server"], "env": {"A":"b"} },
    "bare": {"command":"my-server"},
    "web": { "url": "https://example.com/mcp" }, // stays
  }
}
`;
  const parsed = (text: string): unknown => readJson(text);
  const written = async (how = '--yes') => {
    const path = join(newFolder(), 'servers.json');
    writeFileSync(path, before);
    const { out } = await commandLine(['serve', 'install', path, how]);
    return { text: readFileSync(path, 'utf8'), path, out };
  };

  it('shows what it would write, and writes nothing without a yes', async () => {
    const { out, text } = await written('--dry-run');
    expect(out).toContain('- files: npx -y some-server');
    expect(text).toBe(before);
  });

  it('puts each program behind a2c serve, keeps the old file, and is taken back', async () => {
    const { text, path } = await written();
    expect(text).toMatch(/"serve",\s*"--",\s*"npx",\s*"-y",\s*"some-server"/);
    expect(text).toMatch(/"serve",\s*"--",\s*"my-server"/);
    expect(text).toContain('// stays');
    expect(readFileSync(`${path}.bak`, 'utf8')).toBe(before);
    await commandLine(['serve', 'uninstall', path, '--yes']);
    const back = readFileSync(path, 'utf8');
    expect(parsed(back)).toEqual(parsed(before));
    expect(back).toContain('// stays');
  });

  it('is taken back after its user has edited the file, which keeps the edit', async () => {
    const { text, path } = await written();
    writeFileSync(path, text.replace('// mine', '// mine, and more').replace('"web"', '"net"'));
    await commandLine(['serve', 'uninstall', path, '--yes']);
    const back = readFileSync(path, 'utf8');
    expect(parsed(back)).toEqual(parsed(before.replace('"web"', '"net"')));
    expect(back).toContain('// mine, and more');
  });

  it('is taken back as one with a second one, with a server added between them', async () => {
    const { text, path } = await written();
    const added = '"late": { "command": "late-server" },\n    "files"';
    writeFileSync(path, text.replace('"files"', added));
    await commandLine(['serve', 'install', path, '--yes']);
    expect(readFileSync(path, 'utf8')).toMatch(/"serve",\s*"--",\s*"late-server"/);
    await commandLine(['serve', 'uninstall', path, '--yes']);
    expect(parsed(readFileSync(path, 'utf8'))).toEqual(parsed(before.replace('"files"', added)));
  });
});
