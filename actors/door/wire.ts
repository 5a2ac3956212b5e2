import type { HostDoor } from '../extras.ts';
import type { CallOutcome } from '../api/call-outcome.ts';
import { failureOf } from '../kernel/errors.ts';
import { RpcError, RpcPeer, rpcCodes, type RpcListener } from '../serve/json-rpc.ts';
import type { ServerStatus, ToolListing } from '../servers/server-handle.ts';
import type { DoorLine } from '../../adapters/door/door.ts';
import { newWire } from '../../adapters/mcp/serve/wire.ts';
import type { OfficePeer } from '../../machines/office/rooms/limits.ts';
import type { Fields } from '../../machines/protocol/json.ts';

/** First message of a host; then both sides speak JSON-RPC. `use` and later requests need the same version, `status` and `stop` do not. */
export interface Greeting {
  readonly door: 1;
  readonly version: string;
  readonly kind: HostDoor['kind'];
  readonly name: string;
  readonly pid: number;
  /** Hashed with the identity of a server, so that each proof is valid for one connection only. */
  readonly nonce: string;
}
export interface DoorStatus {
  readonly servers: readonly Pick<ServerStatus, 'name' | 'state' | 'reason' | 'nextTryMs'>[];
  readonly peers?: readonly OfficePeer[];
}
export interface DoorRequests {
  /** By proofs of the identity of a server; the status is null where this host has no such server. */
  readonly use: {
    readonly ask: { readonly server: string; readonly proofs: readonly string[] };
    readonly answer: { readonly status: ServerStatus | null };
  };
  readonly tools: { readonly ask: object; readonly answer: ToolListing };
  /** Cancelled by the notice `cancel`, so that its outcome comes all the same. */
  readonly call: {
    readonly ask: {
      readonly tool: string;
      readonly params: Fields;
      readonly reqId: string;
      readonly timeoutMs?: number;
    };
    readonly answer: CallOutcome;
  };
  readonly status: { readonly ask: object; readonly answer: DoorStatus };
  readonly stop: { readonly ask: object; readonly answer: { readonly isStopping: boolean } };
  /** Only for hosts of `a2c serve`; others refuse. */
  readonly restart: { readonly ask: { readonly server: string }; readonly answer: object };
}
export type DoorVerb = keyof DoorRequests;
export type DoorRequest = {
  [Verb in DoorVerb]: { readonly verb: Verb; readonly ask: DoorRequests[Verb]['ask'] };
}[DoorVerb];

export interface DoorPeer extends Pick<RpcPeer, 'ask' | 'notify' | 'close'> {
  heard(message: Fields): void;
  ended(): void;
}
/** An error of either side comes to the other one as its failure. */
export function peerOn(line: DoorLine, { asked, ...ears }: RpcListener): DoorPeer {
  const wire = { ...newWire(), send: (message: object) => line.send(message), close: () => line.close() };
  const peer = new RpcPeer(wire, {
    ...ears,
    asked: async (...request) => {
      try {
        return await asked(...request);
      } catch (error) {
        const failure = failureOf(error);
        throw new RpcError(rpcCodes.server, failure.message, failure);
      }
    },
  });
  return {
    ask: (...request) => peer.ask(...request),
    notify: peer.notify,
    close: () => peer.close(),
    heard: (message) => wire.onmessage(message),
    ended: () => wire.onclose(),
  };
}
