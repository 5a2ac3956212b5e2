import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { subprotocol, type ToPage } from '../../machines/inspection.ts';
import { bridgeTo } from './bridge.ts';

const told = (goes: (host: WebSocket) => void): Promise<ToPage> =>
  new Promise((resolve) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => subprotocol });
    server.on('connection', goes);
    void once(server, 'listening').then(() => {
      const { port } = server.address() as AddressInfo;
      const send = (message: ToPage): void => {
        server.close();
        resolve(message);
      };
      bridgeTo(`http://127.0.0.1:${port}/#token=abc`, { send, waiting: 0 });
    });
  });

it('a host that goes without a word is lost for a page of several hosts, and one that says why has ended', async () => {
  expect(await told((host) => host.terminate())).toMatchObject({ type: 'closed', isLost: true });
  const closed = JSON.stringify({ type: 'closed', reason: 'the host closed' });
  expect(await told((host) => host.send(closed))).toEqual({
    ...{ type: 'closed', reason: 'the host closed', isLost: false },
  });
});
