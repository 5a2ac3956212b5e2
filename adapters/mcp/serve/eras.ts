import { newWire, type ClientWire } from './stdio.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

/** Key of `_meta` by which every request of the revision 2026-07-28 names its revision. */
const versionKey = 'io.modelcontextprotocol/protocolVersion';
/** Tells whether the first message of a client is of a revision without sessions. */
const isStateless = (message: unknown): boolean => {
  const { method, params } = fieldsOf(message);
  return method === 'server/discover' || versionKey in fieldsOf(fieldsOf(params)['_meta']);
};

/**
 * Makes a wire for clients of every revision: those of a client without sessions are translated, by the MCP SDK, which is
 * loaded only then.
 */
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
