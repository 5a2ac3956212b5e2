import { newWire, type ClientWire } from './wire.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const isStateless = (message: unknown): boolean => {
  const { method, params } = fieldsOf(message);
  return method === 'server/discover' || versionKey in fieldsOf(fieldsOf(params)['_meta']);
};

/** Clients without sessions are translated by the MCP SDK, which is loaded only then. */
export function anyRevision(wire: ClientWire): ClientWire {
  const inner: ClientWire = {
    ...newWire(),
    send: (message, related) => wire.send(message, related),
    close: () => wire.close(),
  };
  let isOpened = false;
  let translated: Promise<(message: unknown) => void> | undefined;
  wire.onmessage = (message) => {
    if (!isOpened && isStateless(message))
      translated = import('./translator.ts').then(({ translator }) => translator(wire, inner));
    isOpened = true;
    if (translated) void translated.then((take) => take(message));
    else inner.onmessage(message);
  };
  wire.onclose = () => inner.onclose();
  return inner;
}
