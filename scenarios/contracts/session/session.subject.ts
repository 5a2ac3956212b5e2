import type { TransportMaker, TransportSpec } from '../../../actors/servers/host-servers.ts';
import type { RemoteSpec } from '../../../adapters/mcp/http/remote.ts';
import { createBehaviour } from '../../fixtures/mcp-behaviour.mjs';
import { patient } from '../patience.ts';
import { createPort } from './session.port.ts';
import type { SessionSubject, SessionWorld } from './session.harness.ts';

/** Server side of one connection over the transport under test. */
export interface ServerWire {
  /** Sends a text unchanged: one message, or anything else. */
  send(text: string): void;
  /** Ends the connection after everything that was sent. */
  end(): void;
}
/** Receiver for one connection: the simulated server of the contract. */
export interface ServerEnd {
  /** Called with each received message. */
  receive(text: string): void;
  /** Called when the connection has ended, from either side. */
  ended(): void;
}
/** Place where a simulated server of the contract can be reached. */
export interface Listening {
  /** Facts of a transport spec; a transport with them connects to this place. */
  readonly facts: TransportSpec['facts'];
  /** Stops accepting connections; open ones may stay. */
  close(): Promise<void> | void;
}
/** Transport to test, with the settings of the test. */
export interface TransportUnderTest {
  /** Transport, as a host passes it to `createComputer`. */
  readonly transport: TransportMaker;
  /** Starts a new place for connections; `accept` is called for each connection. Rejects when that fails. */
  listen(accept: (wire: ServerWire) => ServerEnd): Promise<Listening>;
  /** Time limit in ms for each fact before its case fails; 20,000 by default. */
  readonly patienceMs?: number;
}

/**
 * Turns a transport into a subject for `sessionContract`, with this package's own port around it and simulated servers behind it.
 */
export const transportSubject = (subject: TransportUnderTest): SessionSubject => ({
  createWorld: () => worldOf(subject),
});

function worldOf({ transport, listen, patienceMs = 20_000 }: TransportUnderTest): SessionWorld {
  const inTime = <T>(awaited: Promise<T>, what: string): Promise<T> => patient(awaited, what, patienceMs);
  const places: Promise<Listening>[] = [];
  const wires = new Set<ServerWire>();
  let cancels = 0;
  const listenAs = (server: string): Promise<Listening> => {
    const place = listen((wire) => {
      wires.add(wire);
      const end = (): void => wire.end();
      const { receive } = createBehaviour(server, {
        send: (message) => wire.send(JSON.stringify(message)),
        raw: (text) => wire.send(text),
        together: (messages, answer) => {
          for (const each of [answer, ...messages]) wire.send(JSON.stringify({ jsonrpc: '2.0', ...each }));
        },
        exit: end,
        hangUp: end,
        cancelled: () => (cancels += 1),
      });
      const ended = heard(() => wires.delete(wire));
      return { receive: (text) => receive(JSON.parse(text)), ended: () => ended(undefined) };
    });
    places.push(place);
    return place;
  };
  const remoteOf = (server: string): RemoteSpec => ({
    kind: 'own',
    connect: async (signal) => {
      const place = await listenAs(server);
      if (server === 'nothing') await place.close();
      return transport({ server, facts: place.facts, signal }) as never;
    },
  });
  const { heard, open, ended, closeAll, port, until, ask, resultBytes } = createPort({ remoteOf });
  const gone = (): Promise<void> =>
    inTime(
      until(() => wires.size === 0),
      'the end of all connections',
    );
  return {
    resultBytes,
    ask,
    open: (behaviour, emit) => open(behaviour, null, emit),
    openOnNothing: (emit) => open('nothing', null, emit),
    until: (holds) => inTime(until(holds), 'the next fact'),
    cancels: async () => {
      await port.closed();
      await gone();
      return cancels;
    },
    settled: async () => {
      for (const wire of wires) wire.end();
      await inTime(ended(), 'the end of all sessions');
      await port.closed();
    },
    dispose: async () => {
      await closeAll();
      for (const wire of wires) wire.end();
      // Closes the places too, because a session may have been closed before it connected.
      for (const place of await Promise.all(places)) await place.close();
      await gone();
    },
  };
}
