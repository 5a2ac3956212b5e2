import type { Readable, Writable } from 'node:stream';
import { hasMethod, idIn, messageLevels } from '../messages/envelope.ts';
import { createFramer } from '../messages/framing.ts';
import type { ClientWire } from './wire.ts';

/** Largest message of a client in bytes; a longer request is refused. */
export const mostBytes = 64 * 1024 * 1024;

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
  const refuse = (id: string | number | null, code: number, message: string): void => {
    dropped(message);
    wire.send({ jsonrpc: '2.0', id, error: { code, message } });
  };
  const framer = createFramer(
    {
      message: (message) => wire.onmessage(message),
      // JSON-RPC: what cannot be read is answered with the id null.
      garbage: (head) => refuse(null, -32_700, `a line that is no message: ${head.slice(0, 200)}`),
      overlong: (head, tail, bytes) => {
        const limit =
          bytes === Infinity
            ? `a line that is nested deeper than ${messageLevels} levels`
            : `a line of ${bytes} bytes; the limit is ${mostBytes}`;
        refuse((hasMethod(head, tail) ? idIn(head, tail) : undefined) ?? null, -32_600, limit);
      },
    },
    mostBytes,
  );
  stdin.on('data', (chunk: Buffer) => framer.push(chunk));
  for (const name of ['end', 'close', 'error']) stdin.on(name, end);
  stdout.on('error', end);
  return wire;
}
