import { parentPort, workerData } from 'node:worker_threads';
import { runOf, type Drawing } from './batch.ts';

const { drawing, isCounting } = workerData as { drawing: Drawing; isCounting: boolean };
parentPort?.on('message', ({ seed }: { readonly seed: number }) => {
  void runOf(seed, drawing, { watches: isCounting ? 'transitions' : 'nothing' }).then((run) =>
    parentPort?.postMessage({ run }),
  );
});
