import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { provided } from '../fixtures/altered.ts';
import { recordedRun } from '../fixtures/recorded-run.ts';
import { withTraps, type Trapped } from '../fixtures/traps.ts';
import { replayOf } from './replay.ts';
import type { Kinds } from './replay-trace.ts';

const life = await recordedRun();
function trapsIn(kinds?: Kinds): string[] {
  const used: Trapped[] = [];
  // How long a replay takes is measured around it.
  withTraps(
    (trapped) => used.push(trapped),
    () => expect(replayOf('life', life, kinds ? { kinds } : {}).verdict).toBe('same'),
  );
  return [...new Set(used.filter(({ at }) => !at.startsWith('examined ')).map(({ api }) => api))];
}
const marking = (isSent: () => boolean): Kinds =>
  provided('call', {
    actions: {
      enter: assign((_, { phase }: { phase: string }) => ({ phase: isSent() ? phase : 'queued' })),
    },
  });

describe('chance and time', () => {
  it('are in no machine: they come from the event, the input or a port', () => {
    expect(trapsIn()).toEqual([]);
  });
  // A trap that catches nothing would prove nothing.
  it.each([
    ['Math.random()', provided('call', { guards: { isToolError: () => Math.random() > 2 } })],
    ['Date.now()', marking(() => Date.now() > 0)],
    ['new Date()', marking(() => new Date().getTime() > 0)],
    ['crypto.randomUUID()', marking(() => crypto.randomUUID().length > 0)],
  ])('are found where %s decides', (api, kinds) => {
    expect(trapsIn(kinds)).toEqual([api]);
  });
  it('are none where somebody says which date it is', () => {
    expect(trapsIn(marking(() => new Date(0).getTime() === 0))).toEqual([]);
  });
});
