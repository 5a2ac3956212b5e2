import { during } from '../clock.ts';
import { lazyPort } from '../lazy-port.ts';
import type { PortInstance } from '../../machines/kernel/ports.ts';
import type { Links, LinksOptions } from './link.ts';

/** Loading Socket.IO takes longer than all else that a command needs, and most commands use no office. */
export function lazyLinks(options: LinksOptions = {}): Links {
  let loaded: Links | undefined;
  let loading: Promise<Links> | undefined;
  const load = (): Promise<Links> =>
    (loading ??= during(import('./link.ts').then((link) => (loaded = link.createLinks(options)))));
  return {
    open: (at, input, emit) =>
      loaded?.open(at, input, emit) ?? opened(load().then((links) => () => links.open(at, input, emit))),
    // No link is open while Socket.IO loads, so a request is refused as usual.
    request: lazyPort(async () => (await load()).request),
    has: (key) => loaded?.has(key) ?? false,
    partOf: (ticket) => loaded?.partOf(ticket),
    holdPart: (ticket, bytes) => loaded?.holdPart(ticket, bytes),
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
