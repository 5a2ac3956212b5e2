// Thread that runs VRL programs: it loads the VRL package, then answers one task after another. This file is plain JavaScript,
// because a thread starts from a file as it is, both in a checkout and in `dist`.
import { parentPort } from 'node:worker_threads';
import * as verel from '@bpinternal/verel';

const say = (told) => parentPort?.postMessage(told);

/** Any other error means that the runtime broke: it ends this thread. */
const isOfProgram = (error) =>
  error instanceof Error && /^(Termination|Compilation Error);/.test(error.message);

const answer = ({ source, event }) => {
  if (event === undefined) return { type: 'checked', errors: verel.check(source).errors };
  const after = verel.execute(source, event).event;
  return { type: 'ran', json: JSON.stringify(after ?? null) };
};
parentPort?.on('message', (asked) => {
  try {
    say(answer(asked));
  } catch (error) {
    if (!isOfProgram(error)) throw error;
    say({ type: 'failed', why: error.message });
  }
});
say({ type: 'ready' });
