import { describe, expect, it } from 'vitest';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { launchedWith, startOverHttp } from '../../scenarios/fixtures/resource-servers.ts';
import type { Computer } from '../index.ts';
import { endingComputer } from '../../scenarios/fixtures/ending-computer.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests of the Desktop and Finder of a host over real servers: one over stdio, one over streamable HTTP. */
const mark = crypto.randomUUID();
const start = async (mcpServers: object): Promise<Computer> =>
  (await endingComputer(mark, { config: foreign({ mcpServers }) })).computer;
const overHttp = async (...how: Parameters<typeof startOverHttp>) => closedAfter(await startOverHttp(...how));

describe('the Desktop and the Finder of a computer', () => {
  it('have what the servers of every transport show, in order, also right after the start', async () => {
    const documents = await overHttp('documents', '--host', 'remote');
    const host = await start({
      windows: launchedWith('windows', mark, '--list-ms', '300'),
      here: launchedWith('documents', mark, '--host', 'here'),
      there: { type: 'http', url: documents.url },
    });
    const desktop = await host.desktop();
    expect(desktop).toEqual({
      desktops: [
        'window://com.example.windows/main/tab1?priority=80\n\na page',
        'window://com.example.windows/log\n\nstarted',
      ],
      missing: [],
    });
    expect(await host.desktop({ size: 1 })).toEqual({ desktops: desktop.desktops.slice(0, 1), missing: [] });
    const window = 'window://com.example.windows/log';
    expect(await host.desktop({ window })).toEqual({ desktops: [`${window}\n\nstarted`], missing: [] });
    const finder = await host.finder();
    expect(finder).toMatchObject({ total_count: 4, missing: [] });
    expect(finder.documents.map(({ server, title }) => `${server} ${title}`)).toEqual([
      'here The plan of 2026',
      'here Notes',
      'there The plan of 2026',
      'there Notes',
    ]);
    const some = await host.finder({ keywords: ['BUDGET'], fileType: 'pdf', offset: 1, limit: 5 });
    expect(some).toMatchObject({ total_count: 2, documents: [{ server: 'there' }] });
    expect(await host.finder({ limit: 0 })).toEqual({ documents: [], total_count: 4, missing: [] });
  });

  it('answer a host that asks the same server while it is told of a change', async () => {
    const host = await start({ w: launchedWith('windows', mark, '--host', 'h') });
    await host.desktop();
    const [uri, text] = ['window://h/new', 'hello'];
    const seen = new Promise((resolve, reject) => {
      host.on('desktop.changed', () => {
        Promise.all([
          host.desktop({ window: uri }),
          host.readResource(uri),
          host.callTool('relist_windows', {}),
        ])
          .then(([{ desktops }, contents, { outcome }]) => ({ desktops, contents, outcome }))
          .then(resolve, reject);
      });
    });
    await host.callTool('show_window', { path: 'new', text });
    expect(await seen).toMatchObject({
      ...{ desktops: [`${uri}\n\n${text}`], contents: [{ text }], outcome: 'succeeded' },
    });
  });
});

describe.each(['stdio', 'http'] as const)('a read of a resource over %s', (transport) => {
  const plan = 'dpe://h/reports%2F2026%20plan.pdf';
  const begin = async (): Promise<Computer> => {
    const flags = ['--host', 'h'] as const;
    if (transport === 'stdio') return start({ docs: launchedWith('documents', mark, ...flags) });
    const { url } = await overHttp('documents', ...flags);
    return start({ docs: { type: 'http', url } });
  };

  it('rejects with the codes of Finder, their details and what can be done', async () => {
    const host = await begin();
    const failures = [
      ['dpe://h/nothing', 'DocumentNotFound', { doc_ref: 'nothing' }],
      ['dpe://elsewhere/d', 'DocumentNotFound', { host: 'elsewhere' }],
      [`${plan}/pages/9`, 'PageOutOfRange', { page_index: 9, page_count: 2 }],
      [`${plan}/elements/x`, 'ElementNotFound', { element_id: 'x' }],
      [`${plan}/pages/x`, 'InvalidDpeUri', { uri: `${plan}/pages/x`, rule: 'sub-path' }],
      ['http://h/d', 'NotFound', { uri: 'http://h/d' }],
      ['window://h/a', 'NotFound', { uri: 'window://h/a' }],
    ] as const;
    for (const [uri, code, details] of failures)
      await expect(host.readResource(uri), uri).rejects.toMatchObject({
        ...{ name: 'A2cError', code, details, remedy: expect.any(String) },
      });
  });
});

describe('the history of a computer', () => {
  it('has the last calls, the newest first, with the fields of the protocol and without secrets', async () => {
    const secret = 'hunter2-hunter2';
    const server = launchedWith('windows', mark);
    const config = { w: { ...server, env: { ...server.env, API_KEY: secret } } };
    const host = await start(config);
    const before = Date.now();
    await host.callTool('relist_windows', {});
    await host.callTool(
      'show_window',
      { path: 'a', text: `it is ${secret}`, password: 'x' },
      { timeoutMs: 0 },
    );
    await host.callTool('close_window', { path: secret });
    await host.callTool('nobody_has_this', {});
    const [refused, last, first, earlier, ...others] = host.calls();
    expect(others).toEqual([]);
    expect(earlier).toMatchObject({ tool: 'relist_windows' });
    expect(refused).toMatchObject({ tool: 'nobody_has_this', server: '', outcome: 'failed' });
    expect(last).toEqual({
      ...{ at: expect.any(String), endedAt: expect.any(String), reqId: expect.any(String), agent: null },
      ...{ server: 'w', tool: 'close_window', arguments: { path: '***' }, timeoutMs: 60_000 },
      ...{ state: 'ended', phase: null, waitsFor: null, progress: null, outcome: 'succeeded', reason: null },
    });
    expect(first).toMatchObject({
      ...{ tool: 'show_window', timeoutMs: null },
      arguments: { path: 'a', text: 'it is ***', password: '***' },
    });
    expect(Date.parse(last?.at ?? '')).toBeGreaterThanOrEqual(before);
    expect(last?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});
