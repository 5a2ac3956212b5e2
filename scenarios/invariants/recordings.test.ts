import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Crossing } from '../../machines/trace/channels.ts';
import type { Trace } from '../../machines/trace/reading.ts';
import { readTraceFile } from '../replay/report/files.ts';
import { boundary, crossedIn, judge, type Crossed } from './index.ts';

const folder = fileURLToPath(new URL('../recordings/', import.meta.url));
const recorded = (name: string): readonly Crossed[] => crossedIn(traceOf(name));
function traceOf(name: string): Trace {
  const read = readTraceFile(`${folder}${name}`);
  if (!('trace' in read)) throw new Error(JSON.stringify(read));
  return read.trace;
}
const bounds = { secrets: ['hunter2'] };
const said = (crossed: readonly Crossed[]): string[] =>
  judge(crossed, true, { bounds, invariants: boundary }).map(
    ({ invariant, what }) => `${invariant}: ${what}`,
  );

type Is = (crossing: Crossing) => boolean;
const isType =
  (type: string, channel = ''): Is =>
  ({ ch, ev }) =>
    ev?.type === type && ch.startsWith(channel);
function twice(
  crossed: readonly Crossed[],
  isMeant: Is,
  change: (crossing: Crossing) => Crossing = (same) => same,
) {
  const at = crossed.findIndex(({ crossing }) => isMeant(crossing));
  const [one] = crossed.slice(at, at + 1);
  if (!one) throw new Error('there is none of its kind');
  return crossed.toSpliced(at + 1, 0, { ...one, crossing: change(one.crossing) });
}
const without = (crossed: readonly Crossed[], isMeant: Is): Crossed[] =>
  crossed.toSpliced(
    crossed.findIndex(({ crossing }) => isMeant(crossing)),
    1,
  );
const second = (crossing: Crossing): Crossing => ({ ...crossing, ch: crossing.ch.replace(/\/\d+$/, '/99') });
const telling = (crossing: Crossing): Crossing => ({
  ...crossing,
  ev: {
    type: 'call.settled',
    reqId: 'other',
    failure: { code: 'ServerLost', message: 'no: hunter2' },
  } as Crossing['ev'] & {},
});

describe('the lines of a recording that cross the boundary', () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.gz')))(
    'have no fault in %s, judged without a replay',
    (name) => {
      expect(said(recorded(name))).toEqual([]);
    },
  );

  it.each<[what: string, change: (crossed: readonly Crossed[]) => readonly Crossed[], finds: RegExp]>([
    [
      'a call that is settled twice',
      (all) => twice(all, isType('call.settled', 'host:computer')),
      /settled 2 times/,
    ],
    [
      'a call that is sent twice',
      (all) => twice(all, isType('ask', 'ask tools/call'), second),
      /went out 2 times/,
    ],
    ['a call that is never settled', (all) => without(all, isType('call.settled')), /was settled 0 times/],
    [
      'a secret in what a host hears',
      (all) => twice(all, isType('call.settled'), telling),
      /hunter2 is told/,
    ],
    [
      'a process that is started twice',
      (all) => twice(all, isType('open', 'process:'), second),
      /while process:.* lived/,
    ],
  ])('show %s without a replay', (_, change, finds) => {
    expect(said(change(recorded('minute.trace.ndjson.gz'))).join('\n')).toMatch(finds);
  });
});
