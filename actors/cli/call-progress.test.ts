import { expect, it } from 'vitest';
import { fact } from '../../machines/facts/index.ts';
import { progressFact, progressLine } from './call-progress.ts';

it.each([
  [{ progress: 0, total: 10 }, 'copy [>                   ] 0/10'],
  [{ progress: 3, total: 10, message: 'third file' }, 'copy [======>             ] 3/10 third file'],
  [{ progress: 10, total: 10 }, 'copy [====================] 10/10'],
  [{ progress: 30, total: 10 }, 'copy [====================] 30/10'],
  [{ progress: 3, message: 'third\n\u001B[2Jfile' }, 'copy 3 third [2Jfile'],
  [{ progress: -1, total: 0 }, 'copy -1'],
])('a line of progress tells how far a tool is, and nothing that a terminal obeys: %j', (told, line) => {
  expect(progressLine({ tool: 'copy', ...told })).toBe(line);
});

it('for programs it is a fact of its own', () => {
  const told = { reqId: 'r1', server: 'fs', tool: 'copy', progress: 1, total: 2 };
  expect(fact.parse(progressFact(told))).toEqual({
    ...{ type: 'call_progress', req_id: 'r1', server: 'fs', tool: 'copy', progress: 1, total: 2 },
  });
});
