import type { TransportMaker, TransportSpec } from '../../../actors/servers/launch-specs.ts';
import type { RemoteSpec } from '../../../adapters/mcp/index.ts';
import { createBehaviour } from '../../fixtures/mcp-behaviour.mjs';
import { patient } from '../patience.ts';
import { createPort } from './session.port.ts';
import type { SessionSubject, SessionWorld } from './session.harness.ts';

/** The server's end of one connection, as it stands on the wire under test. */
export interface ServerWire {
  /** Sends one message, or a text that is none, unchanged. */
  send(text: string): void;
  /** Ends the connection, after what was sent. */
  end(): void;
}
/** End of a connection that hears what comes over it. */
export interface ServerEnd {
  /** One message. */
  receive(text: string): void;
  /** The connection has ended, from whichever side. */
  ended(): void;
}
/** A place where the servers of the contract can be reached. */
export interface Listening {
  /** With these `transport` arrives here. */
  readonly facts: TransportSpec['facts'];
  /** Takes no new connections; open ones may stay. */
  close(): Promise<void> | void;
}
/** A transport, and what it needs to be tested. */
export interface TransportUnderTest {
  /** Transport as a host gives it to `createComputer`. */
  readonly transport: TransportMaker;
  /** Listens at a place of its own; `accept` is called for each connection that comes. */
  listen(accept: (wire: ServerWire) => ServerEnd): Promise<Listening>;
  /** How long a fact may take, in ms, before its case fails. Default 20,000. */
  readonly patienceMs?: number;
}

/** A transport as what `sessionContract` is held against: with our own port around it, and our servers behind it. */
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
      // A session may have been closed before there was anything to connect to.
      for (const place of await Promise.all(places)) await place.close();
      await gone();
    },
  };
}
