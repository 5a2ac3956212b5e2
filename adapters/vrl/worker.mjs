// Thread that runs VRL programs: it loads the VRL package, then answers one task after another. This file is plain JavaScript,
// because a thread starts from a file as it is, both in a checkout and in `dist`.
import { parentPort } from 'node:worker_threads';

const say = (told) => parentPort?.postMessage(told);
const textOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Tells whether an error was caused by the program itself. Any other error means that the runtime broke and must not be used
 * again.
 */
const isOfProgram = (error) =>
  error instanceof Error && /^(Termination|Compilation Error);/.test(error.message);

const load = async () => {
  try {
    return await import('@bpinternal/verel');
  } catch (error) {
    say({ type: 'unusable', why: textOf(error) });
    return undefined;
  }
};

const verel = await load();

const answer = ({ source, event }) => {
  if (event === undefined) return { type: 'checked', errors: verel.check(source).errors };
  const after = verel.execute(source, event).event;
  return { type: 'ran', json: JSON.stringify(after ?? null) };
};
if (verel) {
  parentPort?.on('message', (asked) => {
    try {
      say(answer(asked));
    } catch (error) {
      say({ type: isOfProgram(error) ? 'failed' : 'broken', why: textOf(error) });
    }
  });
  say({ type: 'ready' });
}
