import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  sessionPortOf,
  type Notice,
  type RemoteSpec,
  type SessionPort,
  type SessionPortOptions,
} from '../../adapters/mcp/index.ts';
import { createLedger, processPortOf, type Ledger } from '../../adapters/process/index.ts';
import type { Give, Leaf, ProcessCommand, SessionFact } from '../../machines/ports.ts';
import { startHttpServer, type HttpServer, type HttpServerOptions } from '../fixtures/http-server.ts';
import { createBehaviour } from '../fixtures/mcp-behaviour.mjs';
import { createWaiting } from './process.world.ts';
import type { ContractSession, SessionWorld } from './session.stage.ts';

const serverFile = new URL('../fixtures/mcp-server.mjs', import.meta.url).pathname;

export interface RealSessionWorld extends SessionWorld {
  readonly notices: readonly Notice[];
  readonly port: SessionPort;
}
/** Options of the port that a test may give; the limit is small, so that a test meets it quickly. */
export type WorldOptions = Partial<SessionPortOptions>;

/** The port under test, and who waits for its facts. */
function createPort(options: WorldOptions) {
  const notices: Notice[] = [];
  const { heard, until } = createWaiting();
  const port = sessionPortOf({
    ledger: { streamsOf: () => undefined },
    clientInfo: { name: 'contract', version: '0.0.0' },
    resultBytes: 64 * 1024,
    notice: (_server, notice) => notices.push(notice),
    ...options,
  });
  let count = 0;
  /** Sessions of which a fact may still come. */
  const living = new Set<string>();
  const open = (server: string, process: string | null, give: Give<SessionFact>): ContractSession => {
    const key = `session:${(count += 1)}`;
    living.add(key);
    const told = heard<SessionFact>((fact) => {
      if (fact.type === 'session.failed' || fact.type === 'session.lost') living.delete(key);
      give(fact);
    });
    const leaf = port.open(key, { server, generation: 1, key, process }, told);
    const close = (): void => {
      living.delete(key);
      leaf.close();
    };
    closers.push(close);
    return { key, close };
  };
  const closers: (() => void)[] = [];
  return {
    port,
    notices,
    until,
    heard,
    open,
    resultBytes: options.resultBytes ?? 64 * 1024,
    ask: ((from, question, give) => port.ask(from, question, heard(give))) as SessionWorld['ask'],
    ended: () => until(() => living.size === 0),
    closeAll: async (): Promise<void> => {
      for (const close of closers) close();
      await port.closed();
    },
  };
}

export interface StdioWorld extends RealSessionWorld {
  readonly ledger: Ledger;
}
/** Sessions over the streams of real processes. */
export function createStdioWorld(options: WorldOptions = {}): StdioWorld {
  const ledger = createLedger({ reaper: false, stateDir: false });
  const { heard, until, open, ...rest } = createPort({ ledger, ...options });
  const children: Leaf<ProcessCommand>[] = [];
  const stderr: string[] = [];
  let count = 0;
  const start = (behaviour: string): string => {
    const key = `process:${(count += 1)}`;
    const spec = { command: process.execPath, args: [serverFile, behaviour], env: {} };
    const port = processPortOf({ launchOf: () => spec, ledger });
    const leaf = port(key, { server: behaviour, generation: 1, key }, (fact) => {
      if (fact.type === 'child.exited') stderr.push(fact.stderr);
      heard(() => {})(fact);
    });
    children.push(leaf);
    return key;
  };
  return {
    ...rest,
    ledger,
    until,
    open: (behaviour, give) => open(behaviour, start(behaviour), give),
    openOnNothing: (give) => open('nothing', 'process:nobody', give),
    cancels: async () => {
      for (const child of children) child.tell({ type: 'child.closeStdin' });
      await until(() => stderr.length === children.length);
      return stderr.join('').match(/^cancelled /gm)?.length ?? 0;
    },
    settled: async () => {
      ledger.killAll();
      await ledger.closed();
      // The end of a stream is told on the turn of the loop after the end of its process.
      await new Promise((resolve) => setImmediate(resolve));
    },
    dispose: () => {
      ledger.killAll();
      return ledger.closed();
    },
  };
}

/** Where nobody listens: the port of a service that nobody runs any more. */
const nowhere = 'http://127.0.0.1:1/mcp';
const quick = { most: 2, firstMs: 5 };

export interface HttpWorld extends RealSessionWorld {
  readonly server: HttpServer;
}
export interface HttpWorldOptions extends WorldOptions {
  readonly serves?: Partial<HttpServerOptions>;
  /** Over what a URL of this world has otherwise. */
  readonly spec?: object;
}
/** Sessions with one real HTTP server, which has every behaviour under its own path. */
export async function createHttpWorld(
  kind: 'streamable' | 'sse',
  { serves, spec, ...options }: HttpWorldOptions = {},
): Promise<HttpWorld> {
  let rejects: number | undefined;
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
      if (rejects === undefined) return serves?.instead?.(seen, response) ?? false;
      response.writeHead(rejects).end();
      return true;
    },
  });
  const specOf = (name: string): RemoteSpec =>
    ({
      kind,
      url: name === 'nothing' ? nowhere : `${server.url}/${name}`,
      headers: {},
      timeoutMs: 5_000,
      sseReadTimeoutMs: 60_000,
      terminateOnClose: true,
      ...spec,
    }) as RemoteSpec;
  return {
    ...rest,
    server,
    open: (behaviour, give) => open(behaviour, null, give),
    openOnNothing: (give) => open('nothing', null, give),
    ready: () => rest.until(() => server.listening === server.sessions),
    remote: {
      forget: () => server.forget(),
      reject: (status) => {
        rejects = status;
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
}

/** Sessions with servers of this process. */
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
    open: (behaviour, give) => open(behaviour, null, give),
    openOnNothing: (give) => open('nothing', null, give),
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
  its.onmessage = (message) => server.receive(message as never);
  return ours;
}
