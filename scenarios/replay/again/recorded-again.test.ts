import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { isCrossing, type Trace } from '../../../machines/trace/reading.ts';
import type { Facts } from '../../../machines/trace/record.ts';
import { replayTrace } from '../replay-trace.ts';
import { readBack, recordedAgain } from './recorded-again.ts';

const recorded = readBack(
  gunzipSync(
    readFileSync(new URL('../../recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url)),
  ).toString('utf8'),
);
const again = (trace: Trace): Trace =>
  readBack(recordedAgain(trace, { profile: 'full' }, (watched) => replayTrace(trace, watched)).text);
const ordersIn = ({ lines }: Trace): unknown[] =>
  lines.flatMap(({ record }) =>
    isCrossing(record) && record.k === 'in' && record.ch.startsWith('host:') ? [record.ev] : [],
  );

it('what is recorded again has the config that was given, and no plan of this version', () => {
  expect(JSON.stringify(ordersIn(recorded))).toContain('"config"');
  expect(ordersIn(again(recorded))).toEqual(ordersIn(recorded));
});
it('a ring that has lost its beginning can be read again: its time begins where its host is brought there', () => {
  const order = ordersIn(recorded).find((ev) => JSON.stringify(ev).includes('"config"'));
  const none = { told: [], ended: [], answers: [], open: [], draws: [], timers: [] };
  const facts: Facts = { k: 'facts', orders: [{ ch: 'host:computer', ev: order as never }], ...none };
  const said = recorded.lines.filter(({ record }) => record.k === 'said').slice(0, 1);
  const { lines } = again({ ...recorded, lines: said, facts: { t: 500, facts } });
  expect(lines[0]).toMatchObject({ t: 0, record: { ev: { type: 'createComputer' } } });
});
