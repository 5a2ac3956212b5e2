import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { PendingCalls } from './call-outcome.ts';

/** Starts a call that stays open, and returns functions that report its progress. */
function running() {
  const calls = new PendingCalls();
  const call = calls.start(
    'work',
    { reqId: 'r1' },
    () => {},
    () => {},
  );
  const tell = (progress: number): void =>
    calls.progressed({ type: 'call.progressed', ticket: 'host.r1', progress });
  return { call, tell };
}

const mine = new Error('mine');
describe('a listener of the progress of a call', () => {
  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw mine;
      },
      'mine',
    ],
    ['rejects', () => Promise.reject(mine), 'mine'],
    [
      'throws what has no text',
      () => {
        throw Object.create(null);
      },
      'no text',
    ],
  ])(
    'is a warning of the process and hears no more when it %s, and the others hear all',
    async (_, bad, words) => {
      const { call, tell } = running();
      const warned = once(process, 'warning');
      let times = 0;
      const heard: number[] = [];
      call.on('progress', () => {
        times += 1;
        return bad() as void;
      });
      call.on('progress', ({ progress }) => void heard.push(progress));
      tell(1);
      const [warning] = (await warned) as [Error];
      tell(2);
      expect(warning).toMatchObject({ name: 'A2cListenerWarning', message: expect.stringContaining(words) });
      expect([times, heard]).toEqual([1, [1, 2]]);
    },
  );
});
