import { connect, createServer, type Server, type Socket } from 'node:net';
import { io } from 'socket.io-client';
import { createLinks } from '../../../adapters/socket/link.ts';
import { createOffices } from '../../../adapters/socket/office.ts';
import type { RelayTiming } from '../../../machines/office/rooms/relay.ts';
import { NAMESPACE } from '../../../machines/protocol/protocol.ts';
import { patient } from '../patience.ts';
import { createWaiting } from '../waiting.ts';
import type { Heard, Peer, Transport } from './link-world.ts';

const patienceMs = 10_000;

async function socketPeer(url: string, changed: () => void): Promise<Peer> {
  const socket = io(`${url}${NAMESPACE}`, { forceNew: true, reconnection: false, transports: ['websocket'] });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('connect_error', reject);
  });
  const peer: Peer = {
    heard: [],
    onAsked: () => {},
    emit: (event, payload, onAck) =>
      void (onAck ? socket.emit(event, ...payload, onAck) : socket.emit(event, ...payload)),
    isClosed: () => !socket.connected,
    close: () => void socket.disconnect(),
  };
  socket.onAny((event: string, ...args: unknown[]) => {
    const last = args.at(-1);
    const heard: Heard = {
      event,
      body: args[0],
      ack: typeof last === 'function' ? (last as Heard['ack']) : undefined,
    };
    peer.heard.push(heard);
    if (heard.ack) peer.onAsked(heard);
    changed();
  });
  socket.on('disconnect', changed);
  return peer;
}

/** So that a wire can be cut under a healthy link. */
class Detours {
  readonly #servers: Server[] = [];
  readonly #sockets = new Map<string, Set<Socket>>();

  open(url: string): Promise<string> {
    const target = Number(new URL(url).port);
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
    this.#servers.push(server);
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        const detour = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
        this.#sockets.set(detour, sockets);
        resolve(detour);
      });
    });
  }
  cut(url: string): void {
    for (const socket of this.#sockets.get(url) ?? []) socket.destroy();
  }
  close(): void {
    for (const url of this.#sockets.keys()) this.cut(url);
    for (const server of this.#servers) server.close();
  }
}

export function createSockets(limits: RelayTiming): Transport {
  const offices = createOffices({ timing: limits });
  const links = createLinks();
  const waiting = createWaiting();
  const detours = new Detours();
  return {
    office: offices.open,
    link: links.open,
    ask: links.request,
    has: links.has,
    peer: socketPeer,
    detour: (url) => detours.open(url),
    cut: (_name, url) => detours.cut(url),
    until: (probe) => patient(waiting.until(probe), probe.toString(), patienceMs),
    changed: () => waiting.heard(() => {})(undefined),
    freed: () => offices.closed(),
    close: async () => {
      detours.close();
      await offices.closed();
    },
  };
}
