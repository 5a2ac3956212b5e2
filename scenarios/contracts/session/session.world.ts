import type { ServerResponse } from 'node:http';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { RemoteSpec } from '../../../adapters/mcp/http/remote.ts';
import { createLedger, type Ledger } from '../../../adapters/process/reaper/ledger.ts';
import { processPortOf } from '../../../adapters/process/launch.ts';
import type { PortInstance } from '../../../machines/kernel/ports.ts';
import type { ProcessCommand } from '../../../machines/ports/process.ts';
import { startHttpServer, type HttpServer, type HttpServerOptions } from '../../fixtures/http-server.ts';
import { createBehaviour, type Message } from '../../fixtures/mcp-behaviour.mjs';
import { createPort, type RealSessionWorld, type WorldOptions } from './session.port.ts';

const serverFile = new URL('../../fixtures/mcp-server.mjs', import.meta.url).pathname;

export interface StdioWorld extends RealSessionWorld {
  readonly ledger: Ledger;
}
export function createStdioWorld(options: WorldOptions = {}): StdioWorld {
  const ledger = createLedger({ reaper: false, stateDir: false });
  const { heard, until, open, ...rest } = createPort({ ledger, ...options });
  const children: PortInstance<ProcessCommand>[] = [];
  const stderr: string[] = [];
  let count = 0;
  const start = (behaviour: string): string => {
    const key = `process:${(count += 1)}`;
    const spec = { command: process.execPath, args: [serverFile, behaviour], env: {} };
    const port = processPortOf({ launchOf: () => spec, ledger });
    const instance = port(key, { server: behaviour, generation: 1, spec: 1, key }, (fact) => {
      if (fact.type === 'child.exited') stderr.push(fact.stderr);
      heard(() => {})(fact);
    });
    children.push(instance);
    return key;
  };
  return {
    ...rest,
    ledger,
    until,
    open: (behaviour, emit) => open(behaviour, start(behaviour), emit),
    openOnNothing: (emit) => open('nothing', 'process:nobody', emit),
    cancels: async () => {
      for (const child of children) child.tell({ type: 'child.closeStdin' });
      await until(() => stderr.length === children.length);
      return stderr.join('').match(/^cancelled /gm)?.length ?? 0;
    },
    settled: async () => {
      ledger.killAll();
      await ledger.closed();
      // The end of a stream is reported after the end of its process.
      await new Promise((resolve) => setImmediate(resolve));
    },
    dispose: () => {
      ledger.killAll();
      return ledger.closed();
    },
  };
}

const nowhere = 'http://127.0.0.1:1/mcp';
const quick = { most: 2, firstMs: 5 };

type Refuse = (response: ServerResponse, body: Message | undefined) => unknown;
export interface HttpWorld extends RealSessionWorld {
  readonly server: HttpServer;
  refuse: Refuse | undefined;
}
export interface HttpWorldOptions extends WorldOptions {
  readonly serves?: Partial<HttpServerOptions>;
  readonly spec?: object;
}
export async function createHttpWorld(
  kind: 'streamable' | 'sse',
  { serves, spec, ...options }: HttpWorldOptions = {},
): Promise<HttpWorld> {
  const { heard, open, ended, closeAll, ...rest } = createPort({
    reopen: quick,
    remoteOf: (name) => specOf(name),
    ...options,
  });
  const server = await startHttpServer({
    kind,
    heard: () => heard(() => {})(undefined),
    ...serves,
    instead: (seen, response) => {
      if (!world.refuse) return serves?.instead?.(seen, response) ?? false;
      world.refuse(response, seen.body);
      return true;
    },
  });
  const specOf = (name: string): RemoteSpec => ({
    kind,
    url: name === 'nothing' ? nowhere : `${server.url}/${name}`,
    headers: {},
    timeoutMs: 5_000,
    sseReadTimeoutMs: 60_000,
    terminateOnClose: true,
    ...spec,
  });
  const world: HttpWorld = {
    ...rest,
    server,
    refuse: undefined,
    open: (behaviour, emit) => open(behaviour, null, emit),
    openOnNothing: (emit) => open('nothing', null, emit),
    ready: () => rest.until(() => server.listening === server.sessions),
    remote: {
      forget: () => server.forget(),
      reject: (status) => {
        world.refuse = (response) => response.writeHead(status).end();
      },
    },
    cancels: async () => {
      await rest.port.closed();
      return server.cancelled.length;
    },
    settled: async () => {
      await server.stop();
      await ended();
      await rest.port.closed();
    },
    dispose: async () => {
      await closeAll();
      await server.stop();
    },
  };
  return world;
}

export function createLinkedWorld(options: WorldOptions = {}): RealSessionWorld {
  const cancelled: unknown[] = [];
  const ends: InMemoryTransport[] = [];
  const {
    heard: _heard,
    open,
    ended,
    closeAll,
    ...rest
  } = createPort({
    remoteOf: (name) =>
      name === 'nothing' ? undefined : { kind: 'inmemory', connect: () => connect(name, ends, cancelled) },
    ...options,
  });
  const stop = async (): Promise<void> => {
    for (const end of ends) await end.close();
  };
  return {
    ...rest,
    open: (behaviour, emit) => open(behaviour, null, emit),
    openOnNothing: (emit) => open('nothing', null, emit),
    cancels: () => Promise.resolve(cancelled.length),
    settled: async () => {
      await stop();
      await ended();
    },
    dispose: async () => {
      await closeAll();
      await stop();
    },
  };
}
function connect(behaviour: string, ends: InMemoryTransport[], cancelled: unknown[]): InMemoryTransport {
  const [ours, its] = InMemoryTransport.createLinkedPair();
  ends.push(its);
  const say = (message: unknown): void => void its.send(message as never).catch(() => {});
  const end = (): void => void its.close();
  const server = createBehaviour(behaviour, {
    send: say,
    raw: (text) => text !== '' && say(text),
    together: (messages, answer) => {
      for (const each of [answer, ...messages]) say({ jsonrpc: '2.0', ...each });
    },
    exit: end,
    hangUp: end,
    cancelled: (label) => cancelled.push(label),
  });
  its.onmessage = (message) => server.receive(message);
  return ours;
}
