import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { Recorded, Story } from '../../actors/api/page.ts';
import { recordingOf } from './show-command.ts';

/** Replays the trace of an incident in a thread of its own, so that the host that wrote it goes on. */
const trace = workerData as Recorded;
const folder = 'text' in trace ? mkdtempSync(join(tmpdir(), 'a2c-story-')) : undefined;
try {
  const file = 'file' in trace ? trace.file : join(folder ?? '', 'memory.trace.ndjson');
  if ('text' in trace) writeFileSync(file, trace.text, { mode: 0o600 });
  const recording = await recordingOf(file, () => {});
  let story: Story | string = typeof recording === 'string' ? recording : { text: '', checks: null };
  if (typeof recording !== 'string') {
    let text = '';
    for await (const part of recording.text()) text += part;
    story = { text, checks: await recording.checks(file) };
  }
  parentPort?.postMessage(story);
} finally {
  if (folder !== undefined) rmSync(folder, { recursive: true });
}
