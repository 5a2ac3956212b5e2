import { timing, type Timing } from '../../../machines/kernel/timing.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import {
  crossingsOf,
  crossingIn,
  earlyMs,
  crossingOut,
  isEnded,
  isProcess,
  computerStarts,
  timingIn,
} from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';

interface Life {
  /** Time at which the child's own shutdown began. */
  told: number;
}
class NoEarlyKill implements Judge<Crossing> {
  readonly #spared = new Map<string, Life>();
  #timing: Timing = timing;
  /** When the computer was told to end; `abandon` allows no time. */
  #closes = Infinity;

  take(crossing: Crossing, at: number): FoundViolation | undefined {
    const { k, ch, ev } = crossing;
    const { type, signal } = fieldsOfEvent<{ signal: string }>(ev);
    if (type === 'createComputer') {
      this.#closes = Infinity;
      this.#timing = timingIn(ev);
    } else if (k === 'in' && ch.startsWith('host:computer'))
      this.#closes = type === 'abandon' ? -Infinity : Math.min(this.#closes, at);
    if (!isProcess(ch)) return undefined;
    const life = this.#spared.get(ch);
    if (type === 'open') this.#spared.set(ch, { told: Infinity });
    else if (signal === 'SIGKILL' || isEnded(crossing)) this.#spared.delete(ch);
    // The shutdown begins when stdin is closed, or SIGTERM sent.
    else if (life) life.told = Math.min(life.told, at);
    return life && type === 'close' ? this.#ended(ch, life, at) : undefined;
  }
  #ended(ch: string, { told }: Life, at: number): FoundViolation | undefined {
    const { shutdownMs, stdinGraceMs, termGraceMs, killGraceMs } = this.#timing;
    const hadMs = at - this.#closes;
    const isOver = at - told >= stdinGraceMs + termGraceMs + killGraceMs - earlyMs;
    if (isOver || hadMs >= shutdownMs - earlyMs) return undefined;
    const had =
      hadMs < 0 ? 'nobody had told its computer to end' : `its computer had ${hadMs} of ${shutdownMs} ms`;
    return { at: ch, what: `${ch} was ended by force while it lived: ${had}` };
  }
}

const child = 'process:files/1';
const life = [computerStarts({ shutdownMs: 50 }), crossingOut(child, 'open')];
const closes = crossingIn('host:computer', 'close');
const ends = crossingOut(child, 'close');

export const noEarlyKill: Boundary = {
  reads: 'boundary',
  invariant: 'no process is killed before its time to end is over',
  why: 'SIGKILL came first, or its host abandoned it, or the time of its own way down was over, or that of its host (ladder).',
  sees: [
    ...[
      'in createComputer',
      'in close',
      'in abandon',
      'in child.exited',
      'in child.failed',
      'in group.emptied',
    ],
    ...['out open', 'out close', 'out child.signal', 'out child.closeStdin'],
  ],
  open: () => new NoEarlyKill(),
  violating: [
    {
      how: 'a computer that does not wait for its servers',
      seen: crossingsOf(...life, closes, 20, ends),
      said: 'its computer had 20 of 50 ms',
    },
  ],
  passing: [
    {
      how: 'one that ended',
      seen: crossingsOf(...life, crossingIn(child, 'child.exited', { left: 0 }), ends),
    },
  ],
};
