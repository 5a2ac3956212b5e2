import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEar, launched, linked, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { startHttpServer, type HttpServer } from '../../scenarios/fixtures/http-server.ts';
import type { Answers, Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Tests of requests and notices from servers to their host, over pipes, over HTTP and within this process. */
const mark = crypto.randomUUID();
let ear: ReturnType<typeof createEar>;
let http: HttpServer;
let computer: Computer | undefined;
beforeEach(async () => {
  ear = createEar();
  http = await startHttpServer({ kind: 'streamable', heard: () => ear.look() });
});
afterEach(async () => {
  await computer?.close();
  await http.stop();
  expect(pidsOf(mark)).toEqual([]);
});

const inside = linked('full');
const serversOf = (): Record<string, object> => ({
  stdio: launched(mark, 'full'),
  http: { url: `${http.url}/full`, autoApprove: ['all'] },
  inside: { type: 'inmemory', autoApprove: ['all'] },
});
const start = async (name: string, answers?: Answers): Promise<Computer> =>
  (computer = await bootedComputer({
    config: { mcpServers: { [name]: serversOf()[name] ?? {} } },
    inMemory: { inside: inside.connect },
    onEvent: ear.onEvent,
    ...(answers && { answers }),
  }));
/** Answer of the host to a request of the server, as the server reports it. */
const askHost = async (host: Computer, method: string, params: object = {}): Promise<unknown> => {
  const { result } = await host.callTool('askHost', { method, params });
  return JSON.parse((result as unknown as { content: readonly { text: string }[] }).content[0]?.text ?? '');
};

describe.each(['stdio', 'http', 'inside'])('a server (%s)', (name) => {
  it('is answered by the host where it asks for roots, a sample or a word of a person', async () => {
    const asked: unknown[] = [];
    const host = await start(name, {
      roots: () => [{ uri: 'file:///srv/a', name: 'a' }],
      sample: async ({ server, params }) => {
        asked.push([server, params]);
        return { model: 'm', role: 'assistant', content: { type: 'text', text: 'four' } };
      },
      elicit: async ({ server, params }) => {
        asked.push([server, params]);
        return { action: 'accept', content: { age: 7 } };
      },
    });
    expect(await askHost(host, 'roots/list')).toEqual({
      result: { roots: [{ uri: 'file:///srv/a', name: 'a' }] },
    });
    const sampling = { messages: [], maxTokens: 10 };
    expect(await askHost(host, 'sampling/createMessage', sampling)).toMatchObject({
      result: { content: { text: 'four' } },
    });
    const form = { message: 'How old?', requestedSchema: { type: 'object', properties: {} } };
    expect(await askHost(host, 'elicitation/create', form)).toEqual({
      result: { action: 'accept', content: { age: 7 } },
    });
    expect(asked).toMatchObject([
      [name, sampling],
      [name, { message: 'How old?' }],
    ]);
  });

  it('is told by code that its host does not do what it was not given', async () => {
    const host = await start(name);
    for (const method of ['roots/list', 'sampling/createMessage', 'elicitation/create', 'foo/bar'])
      expect(await askHost(host, method)).toMatchObject({ error: { code: -32601 } });
    expect(await askHost(host, 'ping')).toEqual({ result: {} });
  });

  it('is heard with level and logger when it logs', async () => {
    const host = await start(name);
    await host.callTool('log', { level: 'warning', logger: 'disk', data: { free: 3 } });
    await ear.until(() => ear.of('server.logged').length > 0);
    expect(ear.of('server.logged')).toEqual([{ name, level: 'warning', logger: 'disk', data: { free: 3 } }]);
  });
});
