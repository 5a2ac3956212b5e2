import { connect, createServer, type Server, type Socket } from 'node:net';
import { io } from 'socket.io-client';
import { createLinks } from '../../../adapters/socket/link.ts';
import { createOffices } from '../../../adapters/socket/office.ts';
import type { RelayTiming } from '../../../machines/office/rooms/relay.ts';
import { NAMESPACE } from '../../../machines/protocol/protocol.ts';
import type { Heard, Peer, Transport } from './link-world.ts';

const patienceMs = 10_000;

/** Conditions are checked whenever something happened, without polling. */
class Watch {
  readonly #waiting = new Set<() => void>();

  readonly changed = (): void => {
    for (const look of [...this.#waiting]) look();
  };
  until(probe: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#waiting.delete(look);
        clearTimeout(timer);
        settle();
      };
      const look = (): void => {
        if (probe()) end(resolve);
      };
      const timer = setTimeout(() => end(() => reject(new Error(`never: ${probe.toString()}`))), patienceMs);
      this.#waiting.add(look);
      look();
    });
  }
}

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
  const watch = new Watch();
  const detours = new Detours();
  return {
    office: offices.open,
    link: links.open,
    ask: links.request,
    has: links.has,
    peer: socketPeer,
    detour: (url) => detours.open(url),
    cut: (_name, url) => detours.cut(url),
    until: (probe) => watch.until(probe),
    changed: watch.changed,
    freed: () => offices.closed(),
    close: async () => {
      detours.close();
      await offices.closed();
    },
  };
}
