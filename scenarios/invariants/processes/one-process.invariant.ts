import type { Crossing } from '../../../machines/trace/channels.ts';
import { crossingsOf, crossingIn, crossingOut, isEnded, isProcess, subjectOf } from '../crossings.ts';
import type { Boundary, FoundViolation, Judge } from '../invariant.ts';

function open(): Judge<Crossing> {
  const hasEnded = new Map<string, boolean>();
  const alive = new Map<string, string>();
  const opened = (ch: string, server: string): FoundViolation | undefined => {
    const older = alive.get(server);
    hasEnded.set(ch, false);
    alive.set(server, ch);
    return older === undefined ? undefined : { at: ch, what: `was started while ${older} lived` };
  };
  return {
    take(crossing) {
      const { k, ch, ev } = crossing;
      if (!isProcess(ch)) return undefined;
      const server = subjectOf(ch, 'process:');
      if (k === 'out' && ev?.type === 'open') return opened(ch, server);
      const known = hasEnded.get(ch);
      if (known && ev?.type === 'child.started') return { at: ch, what: 'started after its end' };
      if (known === undefined || !isEnded(crossing)) return undefined;
      if (alive.get(server) === ch) alive.delete(server);
      if (k === 'out') hasEnded.delete(ch);
      else hasEnded.set(ch, true);
      return k === 'in' && known ? { at: ch, what: 'ended twice' } : undefined;
    },
    closed: () =>
      [...hasEnded]
        .filter(([, is]) => !is)
        .map(([at]) => ({ at, what: `${at} was never seen to end`, kind: 'liveness' })),
  };
}

const [first, second] = ['process:files/1', 'process:files/2'];
const launches = (ch: string) => crossingOut(ch, 'open');
const lets = (ch: string) => crossingOut(ch, 'close');
const started = crossingIn(first, 'child.started', { pid: 7 });
const exits = (left: number) => crossingIn(first, 'child.exited', { code: 0, left });
const life = [launches(first), started];

/** A child ends when its group is empty, when it never ran, or by force when its port is closed before. */
export const oneProcess: Boundary = {
  reads: 'boundary',
  invariant: 'a server has at most one process, and each that was started ends exactly once',
  why: 'A process that nobody waits for is an orphan, and of two one is (no-orphan, one-per-server).',
  sees: [
    ...['in child.started', 'in child.exited', 'in child.failed', 'in group.emptied'],
    ...['out open', 'out close'],
  ],
  open,
  violating: [
    {
      how: 'a client that waits for the leader and not for its group',
      seen: crossingsOf(launches(first), exits(1), launches(second)),
      said: `was started while ${first} lived`,
    },
  ],
  passing: [
    {
      how: 'one after the other, the second one given up',
      seen: crossingsOf(...life, exits(0), lets(first), launches(second), lets(second)),
      until: 'closed',
    },
  ],
};
