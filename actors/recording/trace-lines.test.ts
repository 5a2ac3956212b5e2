import { expect, it } from 'vitest';
import { createDigest, sha256Of } from '../../adapters/storage/traces.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import type { Profile } from '../../machines/trace/format.ts';
import { Recorder } from './recorder.ts';
import { Later } from '../../machines/trace/canonical.ts';
import { LargeValues } from './trace-lines.ts';

const a = 'computer/client:files#2';
const records: readonly DirectoryRecord[] = [
  { k: 'timer', op: 'set', via: 'deadline', a, n: 1, ms: 60, for: 'callMs' },
  { k: 'timer', op: 'clear', a, n: 1, late: true },
  { k: 'timer', op: 'set', via: 'timer', a, n: 2, ms: 5, for: 'backoff' },
  { k: 'timer', op: 'clear', a, n: 2 },
];
function linesOf(profile: Profile): object[] {
  const recorder = new Recorder({
    profile,
    now: () => 0,
    sha256: (text) => sha256Of([text]),
    digest: createDigest,
    about: {
      runtime: '0',
      xstate: '0',
      node: '0',
      clock: 'virtual',
      started: null,
      redaction: { keyId: null },
    },
  });
  for (const record of records) recorder.record(record);
  const lines = recorder.text('asked').trimEnd().split('\n');
  return lines.slice(1, -1).map((line) => JSON.parse(line) as object);
}
const late = { k: 'in', ch: 'timer callMs of files 60/1', ev: { type: 'late' } };

it('a timer that was due when it was cleared is told in every profile: without it a replay would fire it', () => {
  expect(linesOf('boundary')).toMatchObject([late]);
  for (const profile of ['steps', 'full'] as const)
    expect(linesOf(profile)).toMatchObject([
      { k: 'timer', op: 'set', n: 1 },
      { ...late, via: 'timer', n: 1 },
      { k: 'timer', op: 'set', n: 2 },
      { k: 'timer', op: 'clear', n: 2 },
    ]);
});

const tools = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `t${n}`,
    inputSchema: { type: 'object', required: ['a'] },
  }));
const step = (ctx: object): { readonly k: string } & Record<string, unknown> => ({
  k: 'step',
  a: 'computer#1',
  ctx,
});

it('a record leaves a large list out, with its number and its size, and finds it by that number', () => {
  const large = new LargeValues();
  const entries = tools(200);
  const folded = large.fold(step({ entries, revision: 1 }));
  expect(folded).toEqual(step({ entries: new Later(1, 200), revision: 1 }));
  expect(large.find(1)).toEqual({ key: 'entries', value: entries });
  // The same object keeps its number, so a page that has asked once knows it.
  expect(large.fold(step({ offered: entries }))).toEqual(step({ offered: new Later(1, 200) }));
  expect(large.find(2)).toBeUndefined();
});

it('a record leaves out an object with many fields, and goes into one with few', () => {
  const table = { byName: Object.fromEntries(tools(300).map((tool, n) => [`t${n}`, tool])), refused: [] };
  expect(new LargeValues().fold(step({ table }))).toEqual(
    step({ table: { byName: new Later(1, 300), refused: [] } }),
  );
});

it('a record keeps what is small, lists of texts, the actors of a checkpoint, and a field whose secrets depend on its place', () => {
  const large = new LargeValues();
  const uris = Array.from({ length: 5_000 }, (_, n) => `dpe://h/${n}`);
  const roots = Array.from({ length: 500 }, (_, n) => ({ a: `computer/client:s${n}#1`, kind: 'client' }));
  for (const record of [
    step({ few: tools(5) }),
    step({ uris }),
    { k: 'key', roots },
    step({ value: tools(200) }),
  ])
    expect(large.fold(record)).toEqual(record);
});

it('of the large values of a trace the oldest is forgotten first when there are more than may be kept', () => {
  const large = new LargeValues(2);
  const lists = [tools(200), tools(200), tools(200)];
  for (const entries of lists) large.fold(step({ entries }));
  expect([1, 2, 3].map((number) => large.find(number)?.value)).toEqual([undefined, lists[1], lists[2]]);
});
