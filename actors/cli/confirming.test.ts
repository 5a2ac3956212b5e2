import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createTerminal } from '../../adapters/terminal/terminal.ts';
import { confirmBy } from './answering.ts';

/** Terminal with a person at it, and all text that the terminal shows. */
function seated() {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  for (const stream of [input, output]) Object.assign(stream, { isTTY: true });
  const shown: string[] = [];
  for (const stream of [output, errors])
    stream.setEncoding('utf8').on('data', (text: string) => shown.push(text));
  return { terminal: createTerminal({ input, output, errors }), shown: () => shown.join('') };
}
const question = {
  ...{ reqId: 'r', agent: 'bob', server: 'fs', tool: 'write', title: 'Write', annotations: null },
  arguments: { path: 'a' },
};

it('the question to a person says which agent wants what, and that it is no longer open, and why', async () => {
  const { terminal, shown } = seated();
  const over = terminal.prompt(
    '> ',
    async () => 'again',
    () => 'over',
  );
  const confirm = confirmBy('ask', terminal);
  const aborter = new AbortController();
  const answer =
    typeof confirm === 'function' ? confirm({ ...question, signal: aborter.signal }) : 'not asked';
  aborter.abort(new Error('The question is no longer open: its time, 5 s, is over'));
  expect(await answer).toBe('deny');
  // Output is written in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown()).toContain('agent bob wants to run write of fs: {"path":"a"}\n');
  expect(shown()).toContain('  its server calls it "Write"\n');
  expect(shown()).toContain('write of fs: The question is no longer open: its time, 5 s, is over\n');
  terminal.close();
  await over;
});
