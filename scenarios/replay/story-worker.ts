import { parentPort, workerData } from 'node:worker_threads';
import type { Story } from '../../actors/api/page.ts';
import { recordingOf } from './show-command.ts';

/** Replays the trace of an incident in a thread of its own, so that the host that wrote it goes on. */
const file = workerData as string;
const recording = await recordingOf(file, () => {});
let story: Story | string = typeof recording === 'string' ? recording : { text: '', checks: null };
if (typeof recording !== 'string') {
  let text = '';
  for await (const part of recording.text()) text += part;
  story = { text, checks: await recording.checks(file) };
}
parentPort?.postMessage(story);
