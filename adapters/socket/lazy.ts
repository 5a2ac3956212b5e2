import { during } from '../clock.ts';
import type { PortInstance } from '../../machines/kernel/ports.ts';
import type { Links, LinksOptions } from './link.ts';
import type { Offices, OfficesOptions } from './office.ts';

/** Loading Socket.IO takes longer than all else that a command needs, and most commands use no office. */
export function lazyLinks(options: LinksOptions = {}): Links {
  let loaded: Links | undefined;
  const load = async (): Promise<Links> =>
    (loaded ??= (await during(import('./link.ts'))).createLinks(options));
  return {
    open: (at, input, emit) =>
      loaded?.open(at, input, emit) ?? opened(load().then((links) => () => links.open(at, input, emit))),
    request: (from, request, emit) => {
      if (loaded) return loaded.request(from, request, emit);
      // Opens no request while Socket.IO loads: there is no link yet, so the request is refused as usual.
      let stop = (): void => {};
      let isOver = false;
      void load().then((links) => {
        if (!isOver) stop = links.request(from, request, emit);
      });
      return () => {
        isOver = true;
        stop();
      };
    },
    has: (key) => loaded?.has(key) ?? false,
    partOf: (ticket) => loaded?.partOf(ticket),
    holdPart: (ticket, bytes) => loaded?.holdPart(ticket, bytes),
  };
}
export function lazyOffices(options: OfficesOptions = {}): Offices {
  let loaded: Offices | undefined;
  let loading: Promise<Offices> | undefined;
  const load = (): Promise<Offices> =>
    (loading ??= during(import('./office.ts').then((office) => (loaded = office.createOffices(options)))));
  return {
    open: (at, input, emit) =>
      loaded?.open(at, input, emit) ?? opened(load().then((offices) => () => offices.open(at, input, emit))),
    closed: async () => (await loading)?.closed(),
  };
}

/** Wraps a port instance that opens later: commands until then are kept in order, and nothing is opened after `close`. */
function opened<Command>(opening: Promise<() => PortInstance<Command>>): PortInstance<Command> {
  const told: Command[] = [];
  let instance: PortInstance<Command> | undefined;
  let isClosed = false;
  void opening.then((open) => {
    if (isClosed) return;
    instance = open();
    for (const command of told) instance.tell(command);
  });
  return {
    tell: (command) => {
      if (instance) instance.tell(command);
      else if (!isClosed) told.push(command);
    },
    close: () => {
      isClosed = true;
      instance?.close();
    },
  };
}
