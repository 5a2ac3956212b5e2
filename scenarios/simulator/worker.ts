import { parentPort, workerData } from 'node:worker_threads';
import { dayOf, type Drawing } from './batch.ts';

/** Lives the days that it is told, one after the other, and tells of each when it begins and when it is over. */
const { drawing, isCounting } = workerData as { drawing: Drawing; isCounting: boolean };
parentPort?.on('message', (seeds: readonly number[]) => {
  for (const seed of seeds) {
    parentPort?.postMessage({ begins: seed });
    parentPort?.postMessage({
      day: dayOf(seed, drawing, { watches: isCounting ? 'transitions' : 'nothing' }),
    });
  }
  parentPort?.postMessage({ wants: 'more' });
});
