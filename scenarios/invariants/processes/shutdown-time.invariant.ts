import { timing, type Timing } from '../../../machines/kernel/timing.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import { crossingsOf, earlyMs, crossingOut, computerStarts, timingIn } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';

interface Step {
  readonly name: string;
  readonly since: number;
  /**
   * Tells whether the shutdown is hurried: the computer was told again to end, so the next step comes without
   * waiting.
   */
  isHurried: boolean;
}

class ShutdownTime implements Judge<Crossing> {
  readonly #steps = new Map<string, Step>();
  #timing: Timing = timing;

  take({ k, ch, ev }: Crossing, at: number): FoundViolation | undefined {
    const { type, signal: name = type } = fieldsOfEvent<{ signal: string }>(ev);
    if (type === 'createComputer') this.#timing = timingIn(ev);
    else if (k === 'in') for (const step of this.#steps.values()) step.isHurried = true;
    else if (type === 'close') this.#steps.delete(ch);
    else {
      const before = this.#steps.get(ch);
      this.#steps.set(ch, { name, since: at, isHurried: false });
      return this.#judge(ch, before, name, at);
    }
    return undefined;
  }
  #judge(at: string, before: Step | undefined, name: string, now: number): FoundViolation | undefined {
    if (name === 'SIGKILL' && before?.name !== 'SIGTERM') return { at, what: 'SIGKILL without SIGTERM' };
    if (!before || before.isHurried) return undefined;
    const graceMs = before.name === 'SIGTERM' ? this.#timing.termGraceMs : this.#timing.stdinGraceMs;
    const hadMs = now - before.since;
    return hadMs < graceMs - earlyMs
      ? { at, what: `${name} came ${hadMs} ms after ${before.name}, not ${graceMs}` }
      : undefined;
  }
}

const child = 'process:files/1';
const born = computerStarts({ stdinGraceMs: 50, termGraceMs: 100 });
const closesStdin = crossingOut(child, 'child.closeStdin');
const terminates = crossingOut(child, 'child.signal', { signal: 'SIGTERM' });
const kills = crossingOut(child, 'child.signal', { signal: 'SIGKILL' });

export const shutdownTime: Boundary = {
  reads: 'boundary',
  invariant: 'each shutdown step of a process has its full time',
  why: 'SIGKILL comes after SIGTERM only, and no step before the one above it had its grace, unless somebody hurries it (ladder).',
  sees: [
    ...['in createComputer', 'in stopServer', 'in setServers', 'in close'],
    ...['out child.closeStdin', 'out child.signal', 'out close'],
  ],
  open: () => new ShutdownTime(),
  violating: [
    {
      how: 'one that leaves out SIGTERM',
      seen: crossingsOf(born, closesStdin, 50, kills),
      said: 'SIGKILL without SIGTERM',
    },
  ],
  passing: [{ how: 'the whole way down', seen: crossingsOf(born, closesStdin, 50, terminates, 100, kills) }],
};
