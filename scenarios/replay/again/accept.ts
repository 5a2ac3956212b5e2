import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { machines } from '../../../actors/runtime/assemble.ts';
import { version } from '../../../actors/version.ts';
import type { Trace } from '../../../machines/trace/index.ts';
import { readBack, recordedAgain } from './recorded-again.ts';
import { replayOf, type ReplayReport } from '../replay.ts';
import { replayTrace, type Kinds } from '../replay-trace.ts';

/**
 * Takes over what today's code does otherwise: the file is written anew, with the same world and what the host does in it
 * now. Inputs that nobody waits for any more are left out. Returns what is said of the new file: where that is not `same`,
 * nothing was written.
 */
export function accept(file: string, trace: Trace, kinds: Kinds = machines): ReplayReport {
  const { text } = recordedAgain(trace, { about: { runtime: version } }, (watched) =>
    replayTrace(trace, { kinds, ...watched }),
  );
  const report = replayOf(file, readBack(text), { kinds });
  if (report.verdict === 'same') writeFileSync(file, file.endsWith('.gz') ? gzipSync(text) : text);
  return report;
}
