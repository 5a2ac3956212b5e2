import type { ClientWire } from '../../adapters/mcp/serve/wire.ts';

/** Server side of an MCP transport, such as those of the MCP SDK, that was not started. */
export interface ServeTransport {
  /** Begins to deliver messages. */
  start(): Promise<void>;
  /** Sends one JSON-RPC message to the client; `relatedRequestId` is the request of the client that it belongs to. */
  send(message: never, options?: { readonly relatedRequestId?: string | number }): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
  /** Called with each message of the client. */
  onmessage?: ((message: never) => void) | undefined;
  /** Called when the connection is over. */
  onclose?: (() => void) | undefined;
}
/** Starts the transport at once. Who has set `onclose` is told, too. */
export function wireOn(transport: ServeTransport): ClientWire {
  const wire: ClientWire = {
    onmessage: () => {},
    onclose: () => {},
    send: (message, related) =>
      void transport
        .send(message as never, related === undefined ? {} : { relatedRequestId: related })
        .catch(() => {}),
    close: () => void transport.close().catch(() => {}),
  };
  transport.onmessage = (message: unknown) => wire.onmessage(message);
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    wire.onclose();
  };
  void transport.start().catch(() => wire.onclose());
  return wire;
}
