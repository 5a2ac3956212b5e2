import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { presenting } from '../../scenarios/fixtures/presenting.ts';

/** Tests of the commands of a presenter for its servers (cases 8 to 18), with real processes. */
let mark = '';
let host: Awaited<ReturnType<typeof presenting>> | undefined;
const good = (more: object = {}): object => launched(mark, 'echo', more);
const bad = (): object => ({
  command: process.execPath,
  args: ['-e', 'process.exit(3)'],
  env: { MARK: mark },
});
const open = async (config: object | string): Promise<NonNullable<typeof host>> =>
  (host = await presenting(config));
const opened = async (config: object | string): Promise<NonNullable<typeof host>> => {
  const one = await open(config);
  await one.presenter.initialize();
  return one;
};
const never = { a2c: { restart: 'never' } };

beforeEach(() => {
  mark = crypto.randomUUID();
});
afterEach(async () => {
  await host?.end();
  host = undefined;
  expect(pidsOf(mark)).toEqual([]);
});

describe('starting', () => {
  it('of a name that nobody knows rejects, and tells nothing (case 8)', async () => {
    const { presenter, told } = await opened({ mcpServers: {} });
    await expect(presenter.startServer('ghost')).rejects.toMatchObject({ code: 404 });
    expect(told).toEqual([]);
  });
  it('twice at once is one process and one outcome (case 9; there the second call does not wait)', async () => {
    const { presenter, line } = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    await Promise.all([presenter.startServer('a'), presenter.startServer('a')]);
    expect([pidsOf(mark).length, line()]).toEqual([1, ['running', 'client-list-updated', 'server-started']]);
    expect(presenter.isServerRunning('a')).toBe(true);
  });
  it('of one that exits is status, notification, list, and then the rejection (case 10)', async () => {
    const { presenter, line } = await opened({ mcpServers: { a: bad() }, defaultServers: [] });
    const atRejection = await presenter.startServer('a').catch(() => line());
    expect(atRejection).toEqual(['stopped', 'notification', 'client-list-updated']);
    expect(presenter.getRunningClients()).toEqual([]);
  });
  it('is told to have stopped when the presenter closes', async () => {
    const { presenter, line } = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    await presenter.startServer('a');
    await presenter.close();
    expect(line().slice(3)).toEqual(['stopped', 'client-list-updated', 'server-stopped']);
  });
  it('a stopped server is no event when it is stopped again (case 11)', async () => {
    const { presenter, told } = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    await presenter.stopServer('a');
    expect(told).toEqual([]);
  });
});

describe('initialize', () => {
  // In case 12 one default server does not exist; here that is a mistake of the file.
  it('starts nothing before it is called, then the defaults; a failure stops nobody (case 12)', async () => {
    const { presenter, of, until } = await open({
      mcpServers: { a: { ...bad(), ...never }, b: good(), c: good() },
      defaultServers: ['a', 'b'],
    });
    expect(pidsOf(mark)).toEqual([]);
    await presenter.initialize();
    await until(() => presenter.isServerRunning('b') && of('notification').length > 0);
    expect(of('mcp:server-started')).toEqual(['b']);
    expect(of('notification')).toMatchObject([{ server: 'a' }]);
    expect(presenter.getMcpDefaultServers()).toEqual(['a', 'b']);
    expect(presenter.getDefaultClients().map(({ name }) => name)).toEqual(['b']);
  });
  it('does not wait for a server that is slow', async () => {
    const { presenter } = await opened({ mcpServers: { a: launched(mark, 'mute') } });
    expect(presenter.computer.servers().find(({ name }) => name === 'a')?.state).toBe('connecting');
  });
  it('starts all that are enabled where there are no defaults, and none where the list is empty', async () => {
    const { presenter, until } = await opened({ mcpServers: { a: good(), b: { ...good(), disable: true } } });
    await until(() => presenter.isServerRunning('a'));
    expect(presenter.getMcpDefaultServers()).toEqual(['a']);
    await expect(presenter.startServer('b')).rejects.toThrow('disabled in its config');
    await host?.end();
    const other = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    expect(other.presenter.computer.servers().map(({ state }) => state)).not.toContain('connecting');
    expect(pidsOf(mark)).toEqual([]);
  });
  it('starts nothing while MCP is off; there are no tools and no calls (cases 13, 14)', async () => {
    const { presenter } = await opened({ mcpServers: { a: good() }, mcpEnabled: false });
    expect([presenter.getMcpEnabled(), pidsOf(mark)]).toEqual([false, []]);
    expect(await presenter.getAllToolDefinitions()).toEqual([]);
    expect(
      presenter.openAIToolsToMcpTool({ id: 'c1', function: { name: 'echo', arguments: '{}' } }),
    ).toBeUndefined();
    await expect(presenter.startServer('a')).rejects.toThrow('switched off');
    const call = { id: 'c1', type: 'function', function: { name: 'echo', arguments: '{}' } } as const;
    const server = { name: 'a', icons: '', descriptions: '' };
    expect(await presenter.callTool({ ...call, server })).toMatchObject({
      content: 'Error: MCP is switched off',
      rawData: { toolCallId: 'c1', isError: true },
    });
  });
});

describe('the switch', () => {
  it('off ends every process, one that still connects too, and on starts the defaults', async () => {
    const { presenter, until, of } = await opened({
      mcpServers: { a: good(), slow: launched(mark, 'mute') },
    });
    await until(() => presenter.isServerRunning('a') && pidsOf(mark).length === 2);
    await presenter.setMcpEnabled(false);
    expect([pidsOf(mark), host?.json()['mcpEnabled']]).toEqual([[], false]);
    expect(of('mcp:server-stopped')).toEqual(['a']);
    await presenter.setMcpEnabled(true);
    await until(() => presenter.isServerRunning('a'));
  });
});

describe('a change of a server', () => {
  it('that runs starts it again (case 15)', async () => {
    const { presenter, until, line, json } = await opened({ mcpServers: { a: good() } });
    await until(() => presenter.isServerRunning('a'));
    const [before] = pidsOf(mark);
    await presenter.updateMcpServer('a', { args: [...(presenter.getMcpServers()['a']?.args ?? []), 'x'] });
    expect(pidsOf(mark)).not.toEqual([before]);
    expect((json()['mcpServers'] as { a: { args: string[] } }).a.args.at(-1)).toBe('x');
    expect(line().filter((name) => name === 'server-stopped')).toEqual([]);
  });
  it('that cannot start is taken back and rejects; stopped is told only if the old one does not come back', async () => {
    const { presenter, until, of, text } = await opened({ mcpServers: { a: good() } });
    await until(() => presenter.isServerRunning('a'));
    const before = text();
    await expect(presenter.updateMcpServer('a', { command: '/no/such/program' })).rejects.toThrow(
      'back as it was',
    );
    await until(() => presenter.isServerRunning('a'));
    expect([text(), of('mcp:server-stopped'), of('notification').length]).toEqual([before, [], 1]);
  });
  it('that still starts, and cannot start as it was changed, is taken back and rejects', async () => {
    const { presenter, until, text } = await opened({ mcpServers: {} });
    await presenter.addMcpServer('a', good() as never);
    const before = text();
    await expect(presenter.updateMcpServer('a', { command: '/no/such/program' })).rejects.toThrow(
      "Server 'a' could not be started as it was changed, and is back as it was: ",
    );
    await until(() => presenter.isServerRunning('a'));
    expect(text()).toBe(before);
  });
  it('of its icon alone starts nothing again', async () => {
    const { presenter, until } = await opened({ mcpServers: { a: good() } });
    await until(() => presenter.isServerRunning('a'));
    const before = pidsOf(mark);
    await presenter.updateMcpServer('a', { icons: '🌍' });
    expect(pidsOf(mark)).toEqual(before);
    const [definition] = await presenter.getAllToolDefinitions();
    expect(definition?.server.icons).toBe('🌍');
  });
  it('that would be a mistake rejects, and nothing is written', async () => {
    const { presenter, text } = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    const before = text();
    await expect(presenter.updateMcpServer('a', { args: 'x' as never })).rejects.toMatchObject({
      code: 'ConfigInvalid',
    });
    expect([text(), presenter.configStatus().state]).toEqual([before, 'inForce']);
  });
});

describe('adding and removing', () => {
  it('a name that is taken is false, also of two at once (case 16)', async () => {
    const { presenter, json } = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    expect(await presenter.addMcpServer('a', { command: 'other' })).toBe(false);
    expect(await presenter.addMcpServer('buildInFileSystem', { command: 'other' })).toBe(false);
    const both = ['1', '2'].map((arg) => presenter.addMcpServer('b', { command: 'node', args: [arg] }));
    expect((await Promise.all(both)).filter(Boolean)).toEqual([true]);
    expect(Object.keys(json()['mcpServers'] as object)).toEqual(['a', 'b']);
  });
  it.each(['__proto__', '/', '服务器', 'x'.repeat(200), 'a b.c'])('takes any name: %s', async (name) => {
    const { presenter, until } = await opened({ mcpServers: {} });
    expect(await presenter.addMcpServer(name, good() as never)).toBe(true);
    await until(() => presenter.isServerRunning(name));
    await presenter.removeMcpServer(name);
    expect([pidsOf(mark), Object.hasOwn(presenter.getMcpServers(), name)]).toEqual([[], false]);
  });
  it('a default that runs is stopped, and is in neither list; each change is told whole (cases 17, 78)', async () => {
    const { presenter, until, of } = await opened({
      mcpServers: { a: good(), b: good() },
      defaultServers: ['a', 'b'],
    });
    await until(() => presenter.isServerRunning('a') && presenter.isServerRunning('b'));
    await presenter.removeMcpServer('a');
    expect(pidsOf(mark)).toHaveLength(1);
    const [changed, ...more] = of('mcp:config-changed');
    expect(more).toEqual([]);
    expect(Object.keys(changed?.mcpServers ?? {})).not.toContain('a');
    expect(changed).toMatchObject({ defaultServers: ['b'], mcpEnabled: true });
    await presenter.toggleMcpDefaultServer('b');
    await presenter.toggleMcpDefaultServer('b');
    expect(of('mcp:config-changed').map(({ defaultServers }) => defaultServers)).toEqual([['b'], [], ['b']]);
    expect(presenter.isServerRunning('b')).toBe(true);
  });
  it('a reset keeps the own servers, brings the built-in ones back, and starts nothing (case 18)', async () => {
    const { presenter } = await opened({
      mcpServers: { mine: good(), late: good(), off: { ...good(), disable: true } },
      defaultServers: ['mine'],
    });
    await presenter.removeMcpServer('Artifacts');
    await presenter.updateMcpServer('buildInFileSystem', { icons: '!' });
    await presenter.addMcpDefaultServer('buildInFileSystem');
    expect(Object.keys(presenter.getMcpServers())).not.toContain('Artifacts');
    await presenter.resetToDefaultServers();
    expect(Object.keys(presenter.getMcpServers()).toSorted()).toEqual([
      ...['Artifacts', 'buildInFileSystem', 'late', 'mine', 'off'],
    ]);
    expect(presenter.getMcpServers()['buildInFileSystem']).toMatchObject({ icons: '📁', disable: true });
    expect(presenter.getMcpServers()['off']?.disable).toBe(true);
    expect(presenter.getMcpDefaultServers()).toEqual(['mine']);
    expect(['late', 'off', 'buildInFileSystem'].filter((name) => presenter.isServerRunning(name))).toEqual(
      [],
    );
  });
  it('the built-in file system reads, says that it does not write, and runs when it is enabled', async () => {
    const { presenter, until, folder } = await opened({ mcpServers: {} });
    const { descriptions, disable } = presenter.getMcpServers()['buildInFileSystem'] ?? {};
    expect([descriptions, disable]).toEqual([expect.stringContaining('does not write'), true]);
    await presenter.updateMcpServer('buildInFileSystem', { disable: false, args: [folder] });
    await until(() => presenter.isServerRunning('buildInFileSystem'));
    const names = (await presenter.getAllToolDefinitions()).map(({ function: f }) => f.name);
    expect(names).toContain('read_file');
    const read = presenter.openAIToolsToMcpTool({
      id: 'c1',
      function: { name: 'read_file', arguments: '{"path": "a2c.json"}' },
    });
    if (!read) throw new Error('read_file is not offered');
    expect((await presenter.callTool(read)).content).toContain('buildInFileSystem');
  });
});
