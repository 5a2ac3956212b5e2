import { describe, expect, it } from 'vitest';
import { launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { presentingEach } from '../../scenarios/fixtures/presenting.ts';

/** Tests of the commands of a presenter for its servers, with real processes. */
const each = presentingEach();
const { open, opened, server: good } = each;
const bad = (): object => good({ args: ['-e', 'process.exit(3)'] });
const never = { a2c: { restart: 'never' } };

describe('the start of a server', () => {
  it('rejects for a name that nobody knows, and tells nothing', async () => {
    const { presenter, told } = await opened({ mcpServers: {} });
    await expect(presenter.startServer('ghost')).rejects.toMatchObject({ code: 'NotFound' });
    expect(told).toEqual([]);
  });
  it('is one process and one outcome when it is ordered twice at once', async () => {
    const { presenter, line } = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    await Promise.all([presenter.startServer('a'), presenter.startServer('a')]);
    expect([pidsOf(each.mark).length, line()]).toEqual([
      1,
      ['running', 'client-list-updated', 'server-started'],
    ]);
    expect(presenter.isServerRunning('a')).toBe(true);
  });
  it('is for one that exits status, notification, list, and then the rejection', async () => {
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
});

describe('the initialization of a presenter', () => {
  // A default server that does not exist would be a mistake of the file.
  it('starts nothing before it is called, then the defaults; a failure stops nobody', async () => {
    const { presenter, of, until } = await open({
      mcpServers: { a: { ...bad(), ...never }, b: good(), c: good() },
      defaultServers: ['a', 'b'],
    });
    expect(pidsOf(each.mark)).toEqual([]);
    await presenter.initialize();
    await until(() => presenter.isServerRunning('b') && of('notification').length > 0);
    expect(of('mcp:server-started')).toEqual(['b']);
    expect(of('notification')).toMatchObject([{ server: 'a' }]);
    expect(presenter.getMcpDefaultServers()).toEqual(['a', 'b']);
    expect(presenter.getDefaultClients().map(({ name }) => name)).toEqual(['b']);
  });
  it('does not wait for a server that is slow', async () => {
    const { presenter } = await opened({ mcpServers: { a: launched(each.mark, 'mute') } });
    expect(presenter.computer.status().servers.find(({ name }) => name === 'a')?.state).toBe('connecting');
  });
  it('starts all that are enabled where there are no defaults, and none where the list is empty', async () => {
    const { presenter, until } = await opened({ mcpServers: { a: good(), b: { ...good(), disable: true } } });
    await until(() => presenter.isServerRunning('a'));
    expect(presenter.getMcpDefaultServers()).toEqual(['a']);
    await expect(presenter.startServer('b')).rejects.toThrow('disabled in its config');
    await each.host?.end();
    const other = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    expect(other.presenter.computer.status().servers.map(({ state }) => state)).not.toContain('connecting');
    expect(pidsOf(each.mark)).toEqual([]);
  });
  it('starts nothing while MCP is off; there are no tools and no calls', async () => {
    const { presenter } = await opened({ mcpServers: { a: good() }, mcpEnabled: false });
    expect([presenter.getMcpEnabled(), pidsOf(each.mark)]).toEqual([false, []]);
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
  it('ends every process when it goes off, one that still connects too, and starts the defaults when it goes on', async () => {
    const { presenter, until, of } = await opened({
      mcpServers: { a: good(), slow: launched(each.mark, 'mute') },
    });
    await until(() => presenter.isServerRunning('a') && pidsOf(each.mark).length === 2);
    await presenter.setMcpEnabled(false);
    expect([pidsOf(each.mark), each.host?.json()['mcpEnabled']]).toEqual([[], false]);
    expect(of('mcp:server-stopped')).toEqual(['a']);
    await presenter.setMcpEnabled(true);
    await until(() => presenter.isServerRunning('a'));
  });
});

describe('a change of a server', () => {
  it('starts it again when it runs', async () => {
    const { presenter, until, line, json } = await opened({ mcpServers: { a: good() } });
    await until(() => presenter.isServerRunning('a'));
    const [before] = pidsOf(each.mark);
    await presenter.updateMcpServer('a', { args: [...(presenter.getMcpServers()['a']?.args ?? []), 'x'] });
    expect(pidsOf(each.mark)).not.toEqual([before]);
    expect((json()['mcpServers'] as { a: { args: string[] } }).a.args.at(-1)).toBe('x');
    expect(line().filter((name) => name === 'server-stopped')).toEqual([]);
  });
  it('is taken back and rejects when it cannot start; stopped is told only if the old one does not come back', async () => {
    const { presenter, until, of, text } = await opened({ mcpServers: { a: good() } });
    await until(() => presenter.isServerRunning('a'));
    const before = text();
    await expect(presenter.updateMcpServer('a', { command: '/no/such/program' })).rejects.toThrow(
      'back as it was',
    );
    await until(() => presenter.isServerRunning('a'));
    expect([text(), of('mcp:server-stopped'), of('notification').length]).toEqual([before, [], 1]);
  });
  it('rejects when it would be a mistake, and nothing is written', async () => {
    const { presenter, text } = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    const before = text();
    await expect(presenter.updateMcpServer('a', { args: 'x' as never })).rejects.toMatchObject({
      code: 'ConfigInvalid',
    });
    expect([text(), presenter.configStatus().state]).toEqual([before, 'inForce']);
  });
});

describe('a presenter that adds and removes servers', () => {
  it('gives false for a name that is taken, also for two at once', async () => {
    const { presenter, json } = await opened({ mcpServers: { a: good() }, defaultServers: [] });
    expect(await presenter.addMcpServer('a', { command: 'other' })).toBe(false);
    expect(await presenter.addMcpServer('buildInFileSystem', { command: 'other' })).toBe(false);
    const both = ['1', '2'].map((arg) => presenter.addMcpServer('b', { command: 'node', args: [arg] }));
    expect((await Promise.all(both)).filter(Boolean)).toEqual([true]);
    expect(Object.keys(json()['mcpServers'] as object)).toEqual(['a', 'b']);
  });
  it('stops a default that runs and takes it out of both lists; each change is told whole', async () => {
    const { presenter, until, of } = await opened({
      mcpServers: { a: good(), b: good() },
      defaultServers: ['a', 'b'],
    });
    await until(() => presenter.isServerRunning('a') && presenter.isServerRunning('b'));
    await presenter.removeMcpServer('a');
    expect(pidsOf(each.mark)).toHaveLength(1);
    const [changed, ...more] = of('mcp:config-changed');
    expect(more).toEqual([]);
    expect(Object.keys(changed?.mcpServers ?? {})).not.toContain('a');
    expect(changed).toMatchObject({ defaultServers: ['b'], mcpEnabled: true });
    await presenter.toggleMcpDefaultServer('b');
    await presenter.toggleMcpDefaultServer('b');
    expect(of('mcp:config-changed').map(({ defaultServers }) => defaultServers)).toEqual([['b'], [], ['b']]);
    expect(presenter.isServerRunning('b')).toBe(true);
  });
  it('keeps the own servers in a reset, brings the built-in ones back, and starts nothing', async () => {
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
  it('runs the built-in file system when it is enabled, which reads, and says that it does not write', async () => {
    const { presenter, until, folder } = await opened({ mcpServers: {} });
    const { descriptions, disable } = presenter.getMcpServers()['buildInFileSystem'] ?? {};
    expect([descriptions, disable]).toEqual([expect.stringContaining('does not write'), true]);
    await presenter.updateMcpServer('buildInFileSystem', { disable: false, args: [folder] });
    await until(() => presenter.isServerRunning('buildInFileSystem'));
    const names = (await presenter.getAllToolDefinitions()).map(({ function: f }) => f.name);
    expect(names).toContain('read');
    const read = presenter.openAIToolsToMcpTool({
      id: 'c1',
      function: { name: 'read', arguments: '{"path": "a2c.json"}' },
    });
    if (!read) throw new Error('read is not offered');
    expect((await presenter.callTool(read)).content).toContain('buildInFileSystem');
  });
});
