import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer, type RawData } from 'ws';
import { createActor, createMachine } from 'xstate';
import { connectStately } from '../../adapters/telemetry.ts';

let receiver: WebSocketServer;
beforeEach(async () => {
  receiver = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(receiver, 'listening');
});
afterEach(async () => {
  for (const socket of receiver.clients) socket.terminate();
  receiver.close();
  await once(receiver, 'close');
});

test('actors, events and snapshots reach a local receiver', async () => {
  const seen = new Set<string>();
  const complete = new Promise<void>((resolve) => {
    receiver.on('connection', (socket) =>
      socket.on('message', (data: RawData) => {
        const { type } = JSON.parse((data as Buffer).toString('utf8')) as { type: string };
        seen.add(type);
        if (seen.size === 3) resolve();
      }),
    );
  });
  const sink = await connectStately(`ws://127.0.0.1:${(receiver.address() as AddressInfo).port}`);
  const machine = createMachine({ initial: 'off', states: { off: { on: { go: 'on' } }, on: {} } });
  const actor = createActor(machine, { inspect: (event) => sink.inspect(event) }).start();
  actor.send({ type: 'go' });
  await complete;
  actor.stop();
  sink.stop();
  expect([...seen].toSorted()).toEqual(['@xstate.actor', '@xstate.event', '@xstate.snapshot']);
});

test('what is no WebSocket URL is refused with an example', async () => {
  await expect(connectStately('http://x')).rejects.toThrow('ws://127.0.0.1:8080');
});
