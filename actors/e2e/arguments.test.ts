import { expect, it } from 'vitest';
import { A2cError, createAgent, createComputer, createOffice } from '../index.ts';
import { createPresenter } from '../presenter/index.ts';

/** Methods by the name of their first argument that is wrong here. */
const methods = {
  computer: {
    ...{ startServer: 'name', stopServer: 'name', restartServer: 'name', retryServer: 'name' },
    ...{ logout: 'name', removeServer: 'name', skill: 'name', readResource: 'uri', getPrompt: 'server' },
    ...{ cachedResult: 'handle', logs: 'server', cancelCall: 'reqId', watchResources: 'server' },
    mark: 'text',
  },
  agent: {
    ...{ tools: 'computer', getConfig: 'computer', getDesktop: 'computer', getFinder: 'computer' },
    ...{ skills: 'computer', skill: 'computer', getResources: 'computer' },
    ...{ readResource: 'computer', readDocumentMetadata: 'computer', readDocumentPages: 'computer' },
    ...{ readPage: 'computer', readElement: 'computer' },
    ...{ putFile: 'computer', blob: 'computer', cancel: 'reqId', mark: 'text' },
  },
  office: { disconnect: 'id', mark: 'text' },
  presenter: {
    ...{ startServer: 'name', stopServer: 'name', addMcpServer: 'name', updateMcpServer: 'name' },
    ...{ removeMcpServer: 'name', addMcpDefaultServer: 'name', removeMcpDefaultServer: 'name' },
    ...{
      toggleMcpDefaultServer: 'name',
      setMcpEnabled: 'isEnabled',
      isServerRunning: 'name',
      readResource: 'uri',
    },
  },
} as const;
type Method = (...given: readonly unknown[]) => unknown;

async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return error;
  }
}

it('a handle refuses wrong arguments with an A2cError that names the argument', async () => {
  const asked = ['a', 'b'].map((id) => ({ id, type: 'promptString', description: id }) as const);
  const office = await createOffice({ port: 0 });
  const computer = await createComputer({ config: { mcpServers: {}, inputs: asked }, stateDir: false });
  const agent = await createAgent({ url: office.url });
  const presenter = await createPresenter({ settings: { mcpServers: {} }, stateDir: false });
  const handles = { computer, agent, office, presenter };
  for (const [kind, named] of Object.entries(methods))
    for (const [method, argument] of Object.entries(named))
      for (const wrong of [undefined, null, 7, ['x'], { a: 1 }]) {
        const handle = handles[kind as keyof typeof handles] as unknown as Readonly<Record<string, Method>>;
        const error = await errorOf(() => handle[method]?.(wrong));
        expect(error, `${kind}.${method}(${JSON.stringify(wrong)})`).toBeInstanceOf(A2cError);
        expect(error).toMatchObject({ code: 400, details: { option: argument } });
      }
  const second = (computer.servers.watch as unknown as Method).bind(computer, 's', 'x');
  expect(await errorOf(second)).toMatchObject({ code: 400, details: { option: 'uris' } });
  const put = (agent.files.put as unknown as Method).bind(agent, 'pc', { a: 1 });
  expect(await errorOf(put)).toMatchObject({ code: 400, details: { option: 'source' } });
  const others = { writeTrace: ['dir', 7], drain: ['ms', -1], on: ['listener', 'seat.changed', 7] } as const;
  for (const [method, [option, ...given]] of Object.entries(others)) {
    const wrong = (office as unknown as Readonly<Record<string, Method>>)[method];
    expect(await errorOf(() => wrong?.(...given)), method).toMatchObject({ code: 400, details: { option } });
  }
  expect(await errorOf(() => (office.disconnect as unknown as Method)('x', 7))).toMatchObject({
    details: { option: 'why' },
  });
  expect(await errorOf(() => (office.admit as unknown as Method)(7))).toMatchObject({
    details: { option: 'auth' },
  });
  const { values } = computer.inputs;
  for (const id of ['a', 'b']) values.set(id, id);
  values.clear('a');
  expect(values.list()).toEqual({ b: 'b' });
  expect(await errorOf(() => (values.clear as unknown as Method)(7))).toMatchObject({
    details: { option: 'id' },
  });
  values.clear();
  expect(values.list()).toEqual({});
  for (const handle of [presenter, computer, agent, office]) await handle.close();
});
