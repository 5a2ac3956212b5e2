import { expect, it } from 'vitest';
import { createDigest, sha256Of } from '../../adapters/storage/traces.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import type { Profile } from '../../machines/trace/format.ts';
import { Recorder } from './recorder.ts';

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
