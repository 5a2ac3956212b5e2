import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A real wire between a peer and an office, which can be cut. */
export class Cable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCutUntil = 0;

  private constructor(port: number) {
    this.#server = createServer((near) => {
      if (performance.now() < this.#isCutUntil) return void near.destroy();
      const far = connect(port, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
  }
  static async to(port: number): Promise<Cable> {
    const cable = new Cable(port);
    cable.#server.listen(0, '127.0.0.1');
    await once(cable.#server, 'listening');
    return cable;
  }
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  /** Both ends hear it now; nobody gets through again for so long. */
  cut(ms: number): void {
    this.#isCutUntil = performance.now() + ms;
    for (const socket of this.#sockets) socket.destroy();
  }
  close(): void {
    this.#server.close();
    this.cut(Infinity);
  }
}
