import { expect, it } from 'vitest';
import { A2cError, createAgent, createComputer, createOffice } from '../index.ts';
import { createPresenter } from '../presenter/index.ts';

/** Methods by the name of their first argument that is wrong here. */
const methods = {
  computer: {
    ...{ 'servers.start': 'name', 'servers.stop': 'name', 'servers.restart': 'name', 'servers.logs': 'name' },
    ...{ 'servers.logout': 'name', 'servers.remove': 'name', 'servers.watch': 'name' },
    ...{ 'skills.read': 'name', 'prompts.get': 'server', readResource: 'uri', cancel: 'reqId' },
    ...{ 'debug.cachedResult': 'handle', 'debug.mark': 'text' },
  },
  agent: {
    ...{ tools: 'computer', config: 'computer', desktop: 'computer', finder: 'computer' },
    ...{ 'skills.list': 'computer', 'skills.read': 'computer', resources: 'computer' },
    ...{ readResource: 'computer', 'documents.metadata': 'computer', 'documents.pages': 'computer' },
    ...{ 'documents.page': 'computer', 'documents.element': 'computer' },
    ...{ 'files.put': 'computer', 'files.get': 'computer', cancel: 'reqId', 'debug.mark': 'text' },
  },
  office: { disconnect: 'id', 'debug.mark': 'text' },
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

const methodIn = (handle: object, path: string): Method =>
  path
    .split('.')
    .reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], handle) as Method;

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
        const error = await errorOf(() => methodIn(handles[kind as keyof typeof handles], method)(wrong));
        expect(error, `${kind}.${method}(${JSON.stringify(wrong)})`).toBeInstanceOf(A2cError);
        expect(error).toMatchObject({ code: 'BadRequest', details: { option: argument } });
      }
  const second = (computer.servers.watch as unknown as Method).bind(computer, 's', 'x');
  expect(await errorOf(second)).toMatchObject({ code: 'BadRequest', details: { option: 'uris' } });
  const put = (agent.files.put as unknown as Method).bind(agent, 'pc', { a: 1 });
  expect(await errorOf(put)).toMatchObject({ code: 'BadRequest', details: { option: 'source' } });
  const others = {
    'debug.writeTrace': ['dir', 7],
    drain: ['timeoutMs', { timeoutMs: -1 }],
    on: ['listener', 'seat.changed', 7],
  } as const;
  for (const [method, [option, ...given]] of Object.entries(others)) {
    expect(await errorOf(() => methodIn(office, method)(...given)), method).toMatchObject({
      code: 'BadRequest',
      details: { option },
    });
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
