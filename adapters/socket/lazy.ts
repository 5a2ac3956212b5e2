import { during } from '../clock.ts';
import type { PortInstance } from '../../machines/kernel/ports.ts';
import type { Links, LinksOptions } from './link.ts';
import type { Offices, OfficesOptions } from './office.ts';

/**
 * The same ports, of which Socket.IO is loaded when the first of them is opened: it takes longer than everything else that a
 * command needs, and most commands sit in no office.
 */
export function lazyLinks(options: LinksOptions = {}): Links {
  let loaded: Links | undefined;
  const load = async (): Promise<Links> =>
    (loaded ??= (await during(import('./link.ts'))).createLinks(options));
  return {
    open: (at, input, emit) =>
      loaded?.open(at, input, emit) ?? opened(load().then((links) => () => links.open(at, input, emit))),
    request: (from, request, emit) => {
      if (loaded) return loaded.request(from, request, emit);
      // Nobody asks over a link before it is open: this one is refused as any other that has no link.
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

/** A port instance that opens later: what it is told until then it hears in order, and nothing opens once it was closed. */
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
