import { createNetwork } from '../../stage/scripted/network/network.ts';
import type { RelayTiming } from '../../../machines/office/rooms/relay.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';
import type { Heard, Peer, Transport } from './link-world.ts';

export function createScripted(limits: RelayTiming): Transport {
  const clock = new VirtualClock();
  const network = createNetwork(clock, { timing: limits });
  const until = async (probe: () => boolean): Promise<void> => {
    while (!probe()) if (!clock.step()) throw new Error(`never: ${probe.toString()}`);
  };
  const peer = async (url: string): Promise<Peer> => {
    const end = network.connect(url);
    if (!end) throw new Error(`nobody listens at ${url}`);
    let closed = false;
    const peerEnd: Peer = {
      heard: [],
      onAsked: () => {},
      emit: (event, payload, onAck) => end.emit(event, payload[0], onAck),
      isClosed: () => closed,
      close: () => end.close('client namespace disconnect'),
    };
    end.listen(
      (event, args) => {
        const last = args.at(-1);
        const ack = typeof last === 'function' ? (last as Heard['ack']) : undefined;
        const heard: Heard = { event, body: args[0], ack };
        peerEnd.heard.push(heard);
        if (ack) peerEnd.onAsked(heard);
      },
      () => void (closed = true),
    );
    return peerEnd;
  };
  return {
    office: network.office,
    link: network.link,
    ask: network.request,
    has: network.has.bind(network),
    peer,
    detour: async (url) => url,
    cut: (name) => network.faults.dropLink(name),
    until,
    changed: () => {},
    freed: async () => {},
    close: async () => until(() => network.audit().connections === 0),
  };
}
