import { registerUnreached } from '../../machines/office/rooms/register.ts';
import type { Server as HttpServer } from 'node:http';
import type { Emit, OfficeFact, OfficeInput } from '../../machines/kernel/ports.ts';
import { listenFailure, notLoopback, officeUrl } from '../../machines/office/rooms/loopback.ts';
import { NAMESPACE } from '../../machines/protocol/protocol.ts';
import type { Cluster } from '../connections/nodes/cluster.ts';
import { draining } from '../connections/office-wire.ts';
import { partWith, type OfficeServer } from './entry/entrants.ts';
import type { Strangers } from './entry/strangers.ts';

/** Time in ms after which peers that do not answer the closing handshake are cut off. */
const partingMs = 500;

interface Listening {
  readonly input: OfficeInput;
  readonly http: HttpServer;
  readonly cluster: Cluster | undefined;
  /** Tells whether the office may listen: it is on loopback, or has authentication. */
  readonly isAllowed: boolean;
  readonly isSecure: boolean;
  /** Tells whether the office was closed while it was being opened. */
  readonly isOver: () => boolean;
}
/** Starts to listen and resolves with whether that worked; a node of several first joins the others. */
export function listening(
  { input: { host, port }, http, cluster, isAllowed, isSecure, isOver }: Listening,
  emit: Emit<OfficeFact>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const failed = (message: string): void => {
      resolve(false);
      // Later errors, such as too many open files, do not end the office, because the server goes on
      // listening.
      if (!isOver() && !http.listening) emit({ type: 'office.failed', message });
    };
    http.on('error', (error: NodeJS.ErrnoException) => failed(listenFailure(host, port, error.code)));
    http.once('listening', () => {
      resolve(true);
      const address = http.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      if (!isOver()) emit({ type: 'office.opened', url: officeUrl(host, bound, isSecure), port: bound });
    });
    if (!isAllowed) return queueMicrotask(() => failed(notLoopback(host)));
    if (!cluster) return void http.listen(port, host);
    cluster.start((isReached) => {
      if (isOver()) resolve(false);
      else if (isReached) http.listen(port, host);
      else failed(registerUnreached);
    });
  });
}

/** Closes an office: sends the last answers, then frees the port, including keep-alive connections and dead peers. */
export async function shut(io: OfficeServer, http: HttpServer, strangers: Strangers): Promise<void> {
  const freed = new Promise<void>((resolve) => void http.close(() => resolve()));
  // Peers are disconnected without a goodbye in the namespace, because python-socketio would not reconnect
  // after one.
  for (const socket of io.of(NAMESPACE).sockets.values()) partWith(socket, draining);
  const cut = (): void => {
    for (const connection of strangers.connections) connection.destroy();
  };
  const timer = setTimeout(cut, partingMs);
  await freed;
  clearTimeout(timer);
  await io.close();
}
