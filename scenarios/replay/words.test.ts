import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isCrossing, type Trace } from '../../machines/trace/reading.ts';
import { covers } from './comparison.ts';
import { replayOf } from './replay.ts';
import { traceOf } from './world/world.ts';

const file = fileURLToPath(new URL('../recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url));
/** The agent tells what it gets, which is an input. */
function recordedAs(old: string, now: string): Trace {
  const { trace } = traceOf(file);
  const lines = trace.lines.map((line) => {
    const { record } = line;
    const leaves =
      isCrossing(record) &&
      (record.k === 'said' || record.k === 'out') &&
      !record.ch.startsWith('host:agent');
    if (!leaves) return line;
    return { ...line, record: JSON.parse(JSON.stringify(record).replaceAll(now, old)) as typeof record };
  });
  return { ...trace, lines };
}

describe('a text for people', () => {
  it('may have other words: the replay is the same, with a note', () => {
    const report = replayOf(file, recordedAs('has left us by', 'was ended by'));
    expect(report).toMatchObject({ verdict: 'same' });
    expect(report.notes.join()).toMatch(
      /texts? ha(s|ve) other words, first that of record \d+: .*has left us.* is now .*ended by/,
    );
  });
  it('is not its code, nor its details', () => {
    expect(replayOf(file, recordedAs('"code":"ServerGone"', '"code":"ServerLost"')).verdict).toBe('changed');
    expect(replayOf(file, recordedAs('"signal":"SIGTERM"', '"signal":"SIGKILL"')).verdict).toBe('changed');
  });
  const failure = { code: 4003, message: 'a', remedy: 'b' };
  it.each([
    ['a message', { failure }, { failure: { ...failure, message: 'c' } }, true],
    ['a remedy that is gone', { failure }, { failure: { code: 4003, message: 'a' } }, true],
    ['a code', { failure }, { failure: { ...failure, code: 4004 } }, false],
    ['a message of somebody else', { params: failure }, { params: { ...failure, message: 'c' } }, false],
    [
      'a result of a server',
      { result: { error: failure } },
      { result: { error: { ...failure, message: 'c' } } },
      false,
    ],
    ['a message without a code', { message: 'a' }, { message: 'c' }, false],
  ])('is compared: %s', (_, was, now, isCovered) => {
    expect(covers(now, was)).toBe(isCovered);
  });
});
