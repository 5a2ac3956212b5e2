import { expect, it } from 'vitest';
import { ServerOutput } from './server-output.ts';

const told: string[] = [];
const output = (redact = (text: string): string => text): ServerOutput => {
  told.length = 0;
  const all = new ServerOutput(redact);
  all.tell = (server, { from, text }) => told.push(`${server} ${from} ${text}`);
  return all;
};

it('stderr is told line by line, however it is cut into pieces', () => {
  const some = output();
  const bytes = Buffer.from('first é\nsecond\r\n\nlast');
  for (const byte of bytes) some.wrote('s', Buffer.from([byte]));
  expect(told).toEqual(['s stderr first é', 's stderr second', 's stderr ']);
  some.wrote('s', Buffer.from('\n'));
  expect(some.linesOf('s').map(({ text }) => text)).toEqual(['first é', 'second', '', 'last']);
  expect(some.linesOf('other')).toEqual([]);
});

it('what is logged is a line with its level and its logger', () => {
  const some = output();
  some.logged('s', { level: 'error', logger: 'db', data: { code: 7 } });
  some.logged('s', { level: 'info', data: 'plain' });
  expect(some.linesOf('s')).toMatchObject([
    { from: 'log', level: 'error', text: 'db: {"code":7}' },
    { from: 'log', level: 'info', text: 'plain' },
  ]);
});

it('neither many lines nor a long one take more and more memory, and secrets are hidden', () => {
  const some = output((text) => text.replaceAll('s3cret', '***'));
  for (let n = 0; n < 700; n++) some.wrote('s', Buffer.from(`line ${n} s3cret\n`));
  expect(some.linesOf('s')).toHaveLength(500);
  expect(some.linesOf('s')[0]?.text).toBe('line 200 ***');
  for (let n = 0; n < 100; n++) some.wrote('s', Buffer.alloc(1_000, 'x'));
  some.wrote('s', Buffer.from('\n'));
  expect(some.linesOf('s').at(-1)?.text).toHaveLength(4_096);
});
