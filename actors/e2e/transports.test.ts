import { describe, expect, it, onTestFinished } from 'vitest';
import { launched, linked } from '../../scenarios/fixtures/hosted.ts';
import { startHttpServer, type HttpServer } from '../../scenarios/fixtures/http-server.ts';
import type { ComputerOptions } from '../index.ts';
import { endingComputer } from '../../scenarios/fixtures/ending-computer.ts';
import { Looks } from '../../scenarios/fixtures/looks.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests of servers of every kind behind one computer: real processes, real HTTP, and one inside this process. */
const mark = crypto.randomUUID();

const http = async (kind: 'streamable' | 'sse'): Promise<HttpServer> => {
  const looks = new Looks();
  const one = await startHttpServer({ kind, heard: looks.again });
  onTestFinished(async () => {
    // The HTTP server notices the closed stream a moment later.
    await looks.until(() => one.listening === 0);
    await one.stop();
  });
  return one;
};
const start = (mcpServers: object, options: ComputerOptions) =>
  endingComputer(mark, { config: foreign({ mcpServers }), ...options });
const textOf = (result: unknown): string =>
  (result as { content: readonly { text: string }[] }).content[0]?.text ?? '';

describe('servers of every transport', () => {
  it('stand side by side: tools of all are offered, and calls reach each of them', async () => {
    const [overHttp, overSse, inside] = [await http('streamable'), await http('sse'), linked()];
    const aliased = (prefix: string): object => ({
      tool_meta: { echo: { alias: `${prefix}_echo` } },
      ...{ autoApprove: ['all'], forbidden_tools: ['slow'] },
    });
    const { computer: host } = await start(
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

  it('servers of each transport are answered by their host, and heard when they log', async () => {
    const name = 'stdio';
    const asked: unknown[] = [];
    const { computer: host, ear } = await start(
      { [name]: launched(mark, 'full') },
      {
        answers: {
          roots: () => [{ uri: 'file:///srv/a', name: 'a' }],
          sample: async ({ server, params }) => {
            asked.push([server, params]);
            return { model: 'm', role: 'assistant', content: { type: 'text', text: 'four' } };
          },
          elicit: async ({ server, params }) => {
            asked.push([server, params]);
            return { action: 'accept', content: { age: 7 } };
          },
        },
      },
    );
    const ask = async (method: string, params: object = {}): Promise<unknown> =>
      JSON.parse(textOf((await host.callTool('askHost', { method, params })).result));
    expect(await ask('roots/list')).toEqual({ result: { roots: [{ uri: 'file:///srv/a', name: 'a' }] } });
    const sampling = { messages: [], maxTokens: 10 };
    expect(await ask('sampling/createMessage', sampling)).toMatchObject({
      result: { content: { text: 'four' } },
    });
    const form = { message: 'How old?', requestedSchema: { type: 'object', properties: {} } };
    expect(await ask('elicitation/create', form)).toEqual({
      result: { action: 'accept', content: { age: 7 } },
    });
    expect(asked).toMatchObject([
      [name, sampling],
      [name, { message: 'How old?' }],
    ]);
    await host.callTool('log', { level: 'warning', logger: 'disk', data: { free: 3 } });
    await ear.until(() => ear.of('server.logged').length > 0);
    expect(ear.of('server.logged')).toEqual([{ name, level: 'warning', logger: 'disk', data: { free: 3 } }]);
  });
});
