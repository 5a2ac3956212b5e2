import { parentPort, workerData } from 'node:worker_threads';
import { runOf, type Drawing } from './batch.ts';

const { drawing, isCounting } = workerData as { drawing: Drawing; isCounting: boolean };
async function run(seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    parentPort?.postMessage({ begins: seed });
    parentPort?.postMessage({
      run: await runOf(seed, drawing, { watches: isCounting ? 'transitions' : 'nothing' }),
    });
  }
  parentPort?.postMessage({ wants: 'more' });
}
parentPort?.on('message', (seeds: readonly number[]) => void run(seeds));
