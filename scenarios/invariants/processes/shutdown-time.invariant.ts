import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { opens, posts, story, tells } from '../record-builders.ts';

interface Child {
  readonly timing: Partial<Timing>;
  step: string;
  since: number;
  /** It was told to take the next step without waiting. */
  isHurried: boolean;
}
/** Timers of Node fire up to 1 ms early, and the times of records are rounded. */
const earlyMs = 2;

class ShutdownTime implements Judge {
  /** By address with and without its incarnation. */
  readonly #children = new Map<Address, Child>();

  take(record: RecordOf<'open' | 'out' | 'post' | 'end'>, at: number): Found | undefined {
    if (record.k === 'end') return void this.#children.delete(record.a);
    if (record.k === 'out') return this.#out(record, at);
    if (record.k === 'post') {
      const hurried = this.#children.get(nameOf(record.a));
      if (hurried) hurried.isHurried = true;
      return undefined;
    }
    const { timing = {} } = record.input as { readonly timing?: Partial<Timing> };
    if (record.kind !== 'process') return undefined;
    const child = { timing, step: '', since: at, isHurried: false };
    this.#children.set(record.a, child);
    this.#children.set(nameOf(record.a), child);
    return undefined;
  }
  #out({ a, ev }: RecordOf<'out'>, at: number): Found | undefined {
    const { type, signal = type } = ev as Said<{ signal: string }>;
    const child = this.#children.get(rootOf(a));
    if (!child) return undefined;
    const { step, since, timing, isHurried } = child;
    child.step = signal;
    child.since = at;
    child.isHurried = false;
    if (signal === 'SIGKILL' && step !== 'SIGTERM') return { at: a, what: 'SIGKILL without SIGTERM' };
    const graceMs =
      step === 'SIGTERM' ? timing.termGraceMs : step === 'child.closeStdin' ? timing.stdinGraceMs : 0;
    const hadMs = at - since;
    if (isHurried || hadMs >= (graceMs ?? 0) - earlyMs) return undefined;
    return { at: a, what: `${signal} came ${hadMs} ms after ${step}, not ${graceMs}` };
  }
}

const [root, child] = ['c/client:fs/process#1', 'c/client:fs/process#1/process#1'];
const born = opens(root, 'process', 'c/client:fs#1', { timing: { stdinGraceMs: 50, termGraceMs: 100 } });
const closesStdin = tells('process', child, 'child.closeStdin');
const [terminates, kills] = ['SIGTERM', 'SIGKILL'].map((signal) =>
  tells('process', child, 'child.signal', { signal }),
) as [RecordOf<'out'>, RecordOf<'out'>];
const hurries = posts('c/client:fs#1', 'c/client:fs/process', 'process.hurry');

export const shutdownTime: Invariant = {
  invariant: 'each shutdown step of a process has its full time',
  why: 'SIGKILL comes after SIGTERM only, and no step before the one above it had its grace, unless somebody hurries it (ladder).',
  sees: ['out child.closeStdin', 'out child.signal', 'post process.hurry', 'open', 'end'],
  open: () => new ShutdownTime(),
  violating: [
    {
      how: 'a process that leaves out SIGTERM',
      seen: story(born, closesStdin, 50, kills),
      said: 'SIGKILL without SIGTERM',
    },
    {
      how: 'one that is impatient',
      seen: story(born, closesStdin, 10, terminates),
      said: 'SIGTERM came 10 ms after child.closeStdin, not 50',
    },
    {
      how: 'one that kills as soon as it has said so',
      seen: story(born, closesStdin, 50, terminates, 5, kills),
      said: 'SIGKILL came 5 ms after SIGTERM, not 100',
    },
    {
      how: 'one that was hurried once and takes two steps',
      seen: story(born, closesStdin, 10, hurries, terminates, 5, kills),
      said: 'SIGKILL came 5 ms after SIGTERM, not 100',
    },
  ],
  passing: [
    { how: 'the whole way down', seen: story(born, closesStdin, 50, terminates, 100, kills) },
    { how: 'a group that its leader left behind', seen: story(born, terminates, 100, kills) },
    {
      how: 'one that is hurried',
      seen: story(born, closesStdin, 10, hurries, terminates, 5, hurries, kills),
    },
    { how: 'one that is late', seen: story(born, closesStdin, 500, terminates) },
    { how: 'one that was on its way before the first record', seen: story(kills) },
  ],
};
