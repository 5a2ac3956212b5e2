import { Worker } from 'node:worker_threads';
import type { Recorded, Story } from '../../actors/api/page.ts';
// oxlint-disable-next-line no-restricted-imports -- finds the file of a worker, and touches nothing else
import { ownFile } from '../../adapters/own-files.ts';

/** The trace of an incident with the steps of all machines, and its checks. */
export const storyOf = (trace: Recorded): Promise<Story> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(ownFile('scenarios/replay/story-worker.js'), { workerData: trace });
    worker.once('message', (story: Story | string) =>
      typeof story === 'string' ? reject(new Error(story)) : resolve(story),
    );
    worker.once('error', reject);
  });
