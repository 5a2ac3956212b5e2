import type { Readable, Writable } from 'node:stream';
import { createFramer } from '../messages/framing.ts';

/** Connection to one MCP client: JSON-RPC messages both ways. Its end is told once, whichever side ended it. */
export interface ClientWire {
  onmessage: (message: unknown) => void;
  onclose: () => void;
  /** Sends a message; `related` is the id of the client's request that it belongs to. */
  send(message: object, related?: string | number): void;
  close(): void;
}
/** Makes a wire that leads nowhere yet. */
export const newWire = (): ClientWire => ({
  onmessage: () => {},
  onclose: () => {},
  send: () => {},
  close: () => {},
});
/** Largest message of a client in bytes; a longer one is dropped. */
export const mostBytes = 64 * 1024 * 1024;

/** Connects to the client that started this process, over stdin and stdout. `dropped` is told of lines that are no messages. */
export function stdioWire(
  dropped: (text: string) => void,
  { stdin, stdout }: { readonly stdin: Readable; readonly stdout: Writable } = process,
): ClientWire {
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    stdin.pause();
    wire.onclose();
  };
  const wire: ClientWire = {
    onmessage: () => {},
    onclose: () => {},
    send: (message) => {
      if (!isOver) stdout.write(`${JSON.stringify(message)}\n`);
    },
    close: end,
  };
  const framer = createFramer(
    {
      message: (message) => wire.onmessage(message),
      garbage: (head) => dropped(`a line that is no message: ${head.slice(0, 200)}`),
      overlong: (_head, _tail, bytes) =>
        dropped(
          bytes === Infinity
            ? 'a line that is nested too deep'
            : `a line of ${bytes} bytes; the limit is ${mostBytes}`,
        ),
    },
    mostBytes,
  );
  stdin.on('data', (chunk: Buffer) => framer.push(chunk));
  for (const name of ['end', 'close', 'error']) stdin.on(name, end);
  stdout.on('error', end);
  return wire;
}
