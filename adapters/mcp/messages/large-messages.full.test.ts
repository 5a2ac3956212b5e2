import { expect, it } from 'vitest';
import { createEventReader } from '../http/event-stream.ts';
import { createFramer, Inbox } from './framing.ts';
import { readResult } from '../../../machines/call/policy/judge.ts';
import { foreignJson, foreignTexts } from '../../../scenarios/fixtures/foreign-texts.ts';

/** JSON texts of one result each, by what they hold. */
const results: Readonly<Record<string, (size: number) => string>> = {
  ...Object.fromEntries(
    Object.entries(foreignTexts).map(([name, text]) => [
      name,
      (size: number) => JSON.stringify({ content: [{ type: 'text', text: text(size) }] }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(foreignJson).map(([name, text]) => [
      name,
      (size: number) => `{"content":[],"structuredContent":{"value":${text(size)}}}`,
    ]),
  ),
};
const received: unknown[] = [];
const inboxOf = (): Inbox =>
  new Inbox({ resultBytes: 1e8, notice: (notice) => received.push(notice) }, (message) =>
    received.push(message),
  );
/** Readers of the messages of servers. */
const readers: Readonly<Record<string, (result: string) => void>> = {
  'line of JSON': (result) =>
    createFramer(inboxOf()).push(Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${result}}\n`)),
  event: (result) => {
    const inbox = inboxOf();
    const event = (_: string, data: string, bytes: number): void => inbox.text(data, bytes);
    const reader = createEventReader({ event, overlong: () => {}, id: () => {}, retry: () => {} }, 1e8);
    reader.push(Buffer.from(`data: {"jsonrpc":"2.0","id":1,"result":${result}}\n\n`));
  },
  'result of a call': (result) => void received.push(readResult(JSON.parse(result))),
};

it.each(Object.entries(readers))('a large message in any form is read, and never thrown: %s', (_, read) => {
  const rows: Record<string, Record<string, number>> = {};
  // 8.5 million characters end a pattern with a group that repeats, at whatever speed.
  for (const size of [1_000, 100_000, 8_500_000])
    for (const [name, result] of Object.entries(results)) {
      received.length = 0;
      const text = result(size);
      const begun = performance.now();
      expect(() => read(text), `${name}, ${size}`).not.toThrow();
      (rows[name] ??= {})[`${size} characters, ms`] = Math.round(performance.now() - begun);
      expect(received, `${name}, ${size}`).toHaveLength(1);
    }
  const table = Object.entries(rows).map(([name, times]) => `${name}: ${JSON.stringify(times)}\n`);
  process.stdout.write(table.join(''));
});
