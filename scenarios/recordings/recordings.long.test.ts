import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readTraceFile, tracesIn } from '../replay/report/files.ts';
import { provided } from '../fixtures/altered.ts';
import { replay, replayOf } from '../replay/replay.ts';
import { stories } from './stories.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const files = tracesIn([here]);

it('every story has its recording, and no recording is without one', () => {
  const names = readdirSync(here).filter((name) => name.endsWith('.gz'));
  expect(names.toSorted()).toEqual(
    Object.keys(stories)
      .map((name) => `${name}.trace.ndjson.gz`)
      .toSorted(),
  );
});

it.each(files.map((file) => [basename(file), file]))(
  '%s happens again on the machines of today',
  async (_, file) => {
    const report = await replay(file);
    expect(report.verdict, report.text).toBe('same');
    expect(report.matched).toBeGreaterThan(60);
  },
);

it('a call after a loss that is refused and not held is found', () => {
  const file = `${here}call-after-a-loss.trace.ndjson.gz`;
  const read = readTraceFile(file);
  const kinds = provided('client', {
    guards: { comesSoon: ({ context }: { context: { stage: string } }) => context.stage === 'connecting' },
  });
  const { verdict, text } = replayOf(file, (read as Extract<typeof read, { ok: true }>).trace, { kinds });
  expect([verdict, text]).toEqual([
    'changed',
    expect.stringContaining('succeeded | failed (ServerNotActive'),
  ]);
});
