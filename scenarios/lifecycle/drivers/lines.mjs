/**
 * The driver's half of the line protocol (README.md): one JSON object a line, on stdin and stdout. `host` has a function
 * for each order; what it throws is an answer, too. Needs nothing but Node, so that a driver of any host can use it.
 */
import { createInterface } from 'node:readline';

const textOf = (error) =>
  [error?.name, error?.code, error?.message, error?.cause?.message]
    .filter((part) => part !== undefined)
    .join(' ')
    .slice(0, 2_000);

/** Says hello and answers orders until the process ends; `hello` is `{name, can}`. */
export function drive(hello, host) {
  const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const running = new Map();
  const orders = {
    ...host,
    cancel: ({ of }) => running.get(of)?.abort(),
    call: (order) => {
      const aborter = new AbortController();
      running.set(order.id, aborter);
      return host.call({ ...order, signal: aborter.signal });
    },
  };
  const take = async (line) => {
    const { do: name, ...order } = JSON.parse(line);
    try {
      write({ id: order.id, ok: true, ...(await orders[name](order)) });
    } catch (error) {
      write({ id: order.id, ok: false, error: textOf(error) });
    }
  };
  createInterface({ input: process.stdin }).on('line', (line) => void take(line));
  write({ hello: { pid: process.pid, ...hello } });
}

/** Converts a `CallToolResult` to an answer of the line protocol. */
export function told(result) {
  const text = (result?.content ?? []).map((content) => content.text ?? '').join('');
  return { text: text.slice(0, 300), bytes: text.length, isError: result?.isError === true };
}
