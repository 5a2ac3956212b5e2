import { expect, it } from 'vitest';
import type { RequestFact } from '../machines/kernel/ports.ts';
import { lazyPort } from './lazy-port.ts';

it('a port that cannot be loaded refuses the questions that wait, and is loaded again by the next', async () => {
  let tries = 0;
  const port = lazyPort(async () => {
    tries += 1;
    if (tries === 1) throw new Error('its file is gone');
    return (_from, { id }, emit) => {
      emit({ type: 'ask.answered', id, result: tries });
      return () => {};
    };
  });
  const ask = (id: string): Promise<RequestFact> =>
    new Promise((resolve) => void port('a', { id, target: 'b', method: 'm' }, resolve));
  expect(await Promise.all([ask('1'), ask('2')])).toMatchObject([
    { type: 'ask.refused', id: '1', sent: false, failure: { message: expect.stringContaining('is gone') } },
    { type: 'ask.refused', id: '2', sent: false },
  ]);
  expect(await ask('3')).toEqual({ type: 'ask.answered', id: '3', result: 2 });
});
