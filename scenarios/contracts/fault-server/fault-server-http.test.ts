import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../fault-server/config.mjs';
import { remoteWith } from './fault-server-remote.ts';
import { starting } from './fault-server-harness.ts';

describe.concurrent('the fault server at a URL', { timeout: 200_000 }, () => {
  it('prints where it is, is an MCP server there, each session a start, and ends with its input', async (t) => {
    const remote = await remoteWith(starting(t.onTestFinished), {
      tools: { read: { changes: true } },
      later: { 2: { name: 'second' } },
    });
    const { peer } = remote;
    expect(JSON.parse(peer.lines[0] ?? '')).toMatchObject({
      url: remote.url,
      kind: 'streamable',
      pid: peer.pid,
    });
    const [first, second] = [await remote.initialize(), await remote.initialize()];
    expect([first.text, second.text].map((text) => /"name":"([\w-]+)"/.exec(text)?.[1])).toEqual([
      'fault-server',
      'second',
    ]);
    const said = await remote.send({ message: { method: 'notifications/initialized' } });
    const called = await remote.send({ message: { id: 1, method: 'tools/call', params: { name: 'read' } } });
    expect([said.status, said.text, called.status]).toEqual([202, '', 200]);
    expect(called.text.match(/"method":"notifications\/tools\/list_changed"|"text":"read"/g)).toHaveLength(2);
    const left = await remote.send({ method: 'DELETE' });
    const gone = await remote.send({ message: { id: 2, method: 'ping' } });
    expect([left.status, gone.status]).toEqual([200, 404]);
    expect(await peer.leave()).toEqual({ code: 0, signal: null });
    expect(peer.lines).toHaveLength(1);
  });

  it('ends by SIGTERM, and after its time', async (t) => {
    const start = starting(t.onTestFinished);
    const [told, old] = await Promise.all([remoteWith(start, {}), remoteWith(start, { lifeMs: 500 })]);
    told.peer.child.kill('SIGTERM');
    expect(await told.peer.ended()).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await old.peer.ended()).toEqual({ code: 70, signal: null });
  });

  it('speaks MCP of 2024-11-05 where it is told to: one stream that everything comes back on', async (t) => {
    const remote = await remoteWith(starting(t.onTestFinished), { http: { kind: 'sse' } });
    let text = '';
    const heard = (what: RegExp): Promise<string> =>
      new Promise((resolve) => {
        const look = (): void => {
          const [, found] = what.exec(text) ?? [];
          if (found !== undefined) resolve(found);
        };
        stream.on('data', look);
        look();
      });
    const stream = await new Promise<IncomingMessage>((resolve) => get(remote.url, resolve));
    stream.setEncoding('utf8').on('data', (more: string) => (text += more));
    stream.on('error', () => {});
    const path = await heard(/^event: endpoint\ndata: (\S+)$/m);
    remote.url = new URL(path, remote.url).href;
    expect((await remote.call(1)).status).toBe(202);
    expect(await heard(/"text":"([^"]+)"/)).toBe('text 1');
    stream.destroy();
    await remote.peer.leave();
  });
});

describe('the config of a server at a URL', () => {
  const of = (config: object, asked?: object) => readConfig(JSON.stringify(config), asked);

  it('is in the config, on the command line, or in both', () => {
    expect(of({}).http).toBeUndefined();
    expect(of({ http: true }).http).toEqual({ port: 0, kind: 'streamable' });
    expect(of({ http: { kind: 'sse' } }, { port: 8080 }).http).toEqual({ port: 8080, kind: 'sse' });
    expect(of({ http: {}, later: { 2: { faults: [] } } }).later).toHaveLength(1);
  });

  it.each([
    [{ http: { prot: 1 } }, 'http: unknown key prot'],
    [{ http: { port: 70_000 } }, 'http.port: 70000 is too much'],
    [{ http: { kind: 'soap' } }, 'http.kind: soap is none of'],
    [{ http: {}, faults: [{ fault: 'proc.exit' }] }, 'proc.exit: not over HTTP'],
    [{ faults: [{ fault: 'net.reset' }] }, 'net.reset: not over stdio'],
    [{ resources: 'note://1' }, 'resources: not a list'],
  ])('is refused for %j', (config, message) => {
    expect(() => of(config)).toThrow(message);
  });
});
