import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { registryProber } from '../../../adapters/index.ts';
import type { Ports, RequestFact } from '../../../machines/kernel/ports.ts';
import { registryPort } from '../../../machines/process/registry.machine.ts';
import { ScriptedRegistries } from '../../stage/scripted/host-ports.ts';

/** The port `npmRegistry`, as the product fills it and as scenarios fake it. */
interface World {
  readonly ask: Ports['request'];
  /** A registry that answers with this status; 0: it hangs. Its URL. */
  open(status: number): Promise<string>;
  /** URL of a closed port. */
  nobody(): Promise<string>;
  /** When the question to this registry has been given up. */
  aborted(registry: string): Promise<void>;
  /** When this registry has been asked. */
  asked(registry: string): Promise<void>;
}
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
const real = (): World => {
  const ends = new Map<string, Promise<unknown>>();
  const begun = new Map<string, Promise<unknown>>();
  return {
    ask: registryProber((registry) => registry),
    open: async (status) => {
      const server = createServer((request, response) => {
        if (status === 0) return;
        response
          .writeHead(request.url === '/npm/-/ping' ? status : 404, { location: '/elsewhere' })
          .end('{}');
      });
      servers.push(server);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/`;
      begun.set(url, once(server, 'request'));
      ends.set(
        url,
        new Promise((resolve) => server.once('connection', (socket) => void socket.once('close', resolve))),
      );
      return url;
    },
    nobody: async () => {
      const server = createServer();
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      await new Promise((resolve) => server.close(resolve));
      return `http://127.0.0.1:${port}/npm/`;
    },
    aborted: async (registry) => void (await ends.get(registry)),
    asked: async (registry) => void (await begun.get(registry)),
  };
};
const fake = (): World => {
  const registries = new ScriptedRegistries({
    setTimeout,
    clearTimeout: (timer) => clearTimeout(timer as number),
  });
  let opened = 0;
  const url = (): string => `https://registry-${(opened += 1)}/`;
  return {
    ask: registries.request,
    open: async (status) => {
      const registry = url();
      registries.acts.set(registry, status === 0 ? 'hangs' : { ms: 0, isUsable: status === 200 });
      return registry;
    },
    nobody: async () => {
      const registry = url();
      registries.acts.set(registry, { ms: 0, isUsable: false });
      return registry;
    },
    aborted: async (registry) => expect(registries.aborted).toContain(registry),
    asked: async (registry) => expect(registries.probed).toContain(registry),
  };
};
const probe = (registry: string) => ({
  ...{ id: 'probe:0', target: registryPort, method: 'probe' },
  params: { registry },
});

describe.each([
  ['real', real],
  ['fake', fake],
])('a probe of a registry, %s', (_, open) => {
  const answer = (world: World, registry: string): Promise<RequestFact> =>
    new Promise((resolve) => void world.ask('registry', probe(registry), resolve));
  it.each([
    [200, true],
    [503, false],
    [302, false],
    [404, false],
  ])('says that one that answers with HTTP %i can be used: %s', async (status, isUsable) => {
    const world = open();
    expect(await answer(world, await world.open(status))).toEqual({
      ...{ type: 'ask.answered', id: 'probe:0' },
      result: { isUsable },
    });
  });
  it('says that one that nobody answers cannot be used', async () => {
    const world = open();
    expect(await answer(world, await world.nobody())).toMatchObject({ result: { isUsable: false } });
  });
  it('is aborted when it is withdrawn, and tells nobody anything', async () => {
    const world = open();
    const registry = await world.open(0);
    const told: RequestFact[] = [];
    const withdraw = world.ask('registry', probe(registry), (fact) => told.push(fact));
    await world.asked(registry);
    withdraw();
    await world.aborted(registry);
    expect(told).toEqual([]);
  });
});

it('credentials in the URL of a registry are sent as such', async () => {
  const server = createServer(({ headers }, response) => {
    response.writeHead(headers.authorization === `Basic ${btoa('me:p/w')}` ? 200 : 401).end();
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = registryProber(() => `http://me:p%2Fw@127.0.0.1:${port}/`);
  const fact = await new Promise((resolve) => void ask('registry', probe('shown'), resolve));
  expect(fact).toMatchObject({ result: { isUsable: true } });
});
it('an address that is no URL cannot be used as a registry', async () => {
  const ask = registryProber((registry) => registry);
  for (const registry of ['', 'no url', 'ftp://h/', 'http://u:%@h/'])
    expect(await new Promise((resolve) => void ask('registry', probe(registry), resolve))).toMatchObject({
      result: { isUsable: false },
    });
});
