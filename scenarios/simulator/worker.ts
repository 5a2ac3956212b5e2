import { parentPort, workerData } from 'node:worker_threads';
import { runOf, type Drawing } from './batch.ts';

/** Executes the runs of the seeds that it is sent, one after the other, and reports when each begins and ends. */
const { drawing, isCounting } = workerData as { drawing: Drawing; isCounting: boolean };
parentPort?.on('message', (seeds: readonly number[]) => {
  for (const seed of seeds) {
    parentPort?.postMessage({ begins: seed });
    parentPort?.postMessage({
      run: runOf(seed, drawing, { watches: isCounting ? 'transitions' : 'nothing' }),
    });
  }
  parentPort?.postMessage({ wants: 'more' });
});
