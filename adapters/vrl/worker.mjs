// The thread in which programs run: it loads the package, then answers one question after the other. Plain JavaScript,
// because a thread is started from a file as it stands, in a checkout as well as in `dist`.
import { parentPort } from 'node:worker_threads';

const say = (told) => parentPort?.postMessage(told);
const textOf = (error) => (error instanceof Error ? error.message : String(error));

/** What a program did is told by these words; anything else broke inside, and nothing in here can be relied on. */
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
