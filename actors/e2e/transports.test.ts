import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEar, launched, linked, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import {
  startHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from '../../scenarios/fixtures/http-server.ts';
import type { Computer, ComputerOptions } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

/** Tests of servers of every kind behind one computer: real processes, real HTTP, and one inside this process. */
const mark = crypto.randomUUID();
const auto = { autoApprove: ['all'] };

let computer: Computer | undefined;
let ear: ReturnType<typeof createEar>;
const opened: HttpServer[] = [];
const http = async (options: Partial<HttpServerOptions> = {}): Promise<HttpServer> => {
  const one = await startHttpServer({ kind: 'streamable', heard: () => ear.look(), ...options });
  opened.push(one);
  return one;
};
const start = async (mcpServers: object, options: ComputerOptions = {}): Promise<Computer> =>
  (computer = await bootedComputer({
    name: 'c1',
    config: foreign({ mcpServers }),
    onEvent: ear.onEvent,
    ...options,
    timing: anyTiming({ backoffMs: 20, ...options.timing }),
  }));
const asked = ({ seen }: HttpServer, method: string): number =>
  seen.filter(({ body }) => body?.['method'] === method).length;
const textOf = (result: unknown): string =>
  (result as { content: readonly { text: string }[] }).content[0]?.text ?? '';
const statusOf = (name: string) => computer?.status().servers.find((each) => each.name === name);

beforeEach(() => {
  ear = createEar();
});
afterEach(async () => {
  await computer?.close();
  computer = undefined;
  // The HTTP server notices the closed stream a moment later.
  await ear.until(() => opened.every(({ listening }) => listening === 0));
  for (const one of opened.splice(0)) await one.stop();
  expect(pidsOf(mark)).toEqual([]);
});

describe('servers of every transport', () => {
  it('stand side by side: tools of all are offered, and calls reach each of them', async () => {
    const [overHttp, overSse, inside] = [await http(), await http({ kind: 'sse' }), linked()];
    const aliased = (prefix: string): object => ({
      tool_meta: { echo: { alias: `${prefix}_echo` } },
      ...only,
    });
    const only = { ...auto, forbidden_tools: ['slow'] };
    const host = await start(
      {
        stdio: launched(mark, 'echo', aliased('stdio')),
        http: { type: 'http', url: `${overHttp.url}/echo`, ...aliased('http') },
        sse: { type: 'sse', url: `${overSse.url}/echo`, ...aliased('sse') },
        inside: { type: 'inmemory', ...aliased('inside') },
      },
      { inMemory: { inside: inside.connect } },
    );
    expect(host.status().servers.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready', 'ready']);
    for (const name of ['stdio', 'http', 'sse', 'inside']) {
      const { outcome, server, result } = await host.callTool(`${name}_echo`, { text: name });
      expect([outcome, server, textOf(result)]).toEqual(['succeeded', name, name]);
    }
    expect(inside.sessions).toBe(1);
  });

  it('get headers as they stand in the config, whatever their scheme', async () => {
    const one = await http();
    const headers = { authorization: 'Basic YTpi', 'X-Team': 'blue' };
    await start({ r: { url: `${one.url}/echo`, headers, ...auto } });
    for (const { headers: came } of one.seen) expect(came).toMatchObject({ authorization: 'Basic YTpi' });
    expect(one.seen[0]?.headers['x-team']).toBe('blue');
  });
});

describe('an HTTP server', () => {
  it('is greeted once more when it forgot its session, asked for its lists again, and no other is restarted', async () => {
    const one = await http();
    const host = await start({ r: { url: `${one.url}/echo`, ...auto }, s: launched(mark, 'pages') });
    const lists = asked(one, 'tools/list');
    one.forget();
    // A 404 for the session shows that the call was not executed, so it is sent once more.
    expect(await host.callTool('echo', { text: 'x' })).toMatchObject({ outcome: 'succeeded' });
    await ear.until(() => statusOf('r')?.state === 'ready' && asked(one, 'tools/list') > lists);
    expect(await host.callTool('echo', { text: 'again' })).toMatchObject({ outcome: 'succeeded' });
    expect([asked(one, 'initialize'), asked(one, 'tools/list')]).toEqual([2, lists + 1]);
    expect(one.seen.filter(({ body }) => JSON.stringify(body ?? '').includes('"text":"x"'))).toHaveLength(2);
    expect(ear.statesOf('r')).not.toContain('waiting');
    expect(ear.statesOf('s')).toEqual(['connecting', 'ready']);
  });

  it.each([401, 403])(
    'rests at once with its own words and what is to be done when it answers %i, and is not asked again',
    async (status) => {
      const one = await http({
        instead: (_, response) => {
          response.writeHead(status, { 'content-type': 'text/plain' }).end('The token ended yesterday');
          return true;
        },
      });
      const host = await start({ r: { url: `${one.url}/echo`, headers: { Authorization: 'Bearer old' } } });
      const { state, reason, nextTryMs } = statusOf('r') ?? {};
      expect([state, nextTryMs]).toEqual([status === 401 ? 'unauthorized' : 'open', undefined]);
      expect(reason).toContain(String(status));
      expect(reason).toContain('The token ended yesterday');
      const failure = ear.of('server.changed').at(-1)?.failure;
      expect(failure?.remedy).toMatch(/\w/);
      expect(one.seen).toHaveLength(1);
      expect(await host.callTool('echo')).toMatchObject({ outcome: 'failed' });
      expect(one.seen).toHaveLength(1);
    },
  );

  it('is reached over SSE without a type when it does not know the other way', async () => {
    const one = await http({ kind: 'sse' });
    const host = await start({ r: { url: `${one.url}/echo`, ...auto } });
    expect(statusOf('r')).toEqual({ name: 'r', state: 'ready' });
    expect(one.seen[0]?.method).toBe('POST');
    expect(textOf((await host.callTool('echo', { text: 'hi' })).result)).toBe('hi');
    // The computer remembers the transport that worked, and uses it first in the next session.
    const seen = one.seen.length;
    await host.servers.restart('r');
    expect(one.seen[seen]?.method).toBe('GET');
  });

  it('is waited for when it is down, says when it is tried again, and comes back', async () => {
    const first = await http();
    const { port } = new URL(first.url);
    await first.stop();
    opened.splice(0);
    const host = await start({ r: { url: `${first.url}/echo`, ...auto } });
    expect(statusOf('r')).toMatchObject({
      state: 'waiting',
      reason: expect.stringContaining('nobody listens') as string,
      nextTryMs: expect.any(Number) as number,
    });
    const back = ear.until(() => statusOf('r')?.state === 'ready');
    await http({ port: Number(port) });
    await back;
    expect(textOf((await host.callTool('echo', { text: 'hi' })).result)).toBe('hi');
    expect(statusOf('r')).toEqual({ name: 'r', state: 'ready' });
  });
});
