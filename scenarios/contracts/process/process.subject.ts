import { createLedger } from '../../../adapters/process/reaper/ledger.ts';
import { processPortOf } from '../../../adapters/process/launch.ts';
import type { Launcher, LaunchSpec } from '../../../adapters/process/launcher.ts';
import type { ChildBehaviour, ProcessSubject, ProcessWorld } from './process.harness.ts';
import { patient } from '../patience.ts';
import { createWaiting } from '../waiting.ts';

// A signal that a shell ignores stays ignored after `exec`. Only features of every POSIX shell are used.
const stubborn = `trap '' TERM; echo ready; exec sleep 1000`;
const scripts: Readonly<Record<Exclude<ChildBehaviour, 'missing'>, string>> = {
  good: 'echo ready; while read -r line; do :; done',
  ignoresStdin: 'echo ready; exec sleep 1000',
  stubborn,
  crashes: 'echo boom >&2; exit 7',
  wrapped: `sh -c "${stubborn}"; true`,
  leavesGrandchild: 'sleep 1000 </dev/null >/dev/null 2>&1 & echo ready; while read -r line; do :; done',
};
export const commandOf = (behaviour: ChildBehaviour): LaunchSpec =>
  behaviour === 'missing'
    ? { command: 'no-such-command', args: [], env: {} }
    : { command: 'sh', args: ['-c', scripts[behaviour]], env: {} };

/** Launcher to test, with the settings of the test. */
export interface LauncherUnderTest {
  /** Launcher, as a host passes it to `createComputer`. */
  readonly launcher: Launcher;
  /** Returns the command for a behaviour; by default a script for `sh`. */
  readonly commandOf?: (behaviour: ChildBehaviour) => LaunchSpec;
  /** Tells whether children run behind another program, as in `ProcessSubject`; false by default. */
  readonly isRemote?: boolean;
  /** Time limit in ms for each fact before its case fails; 20,000 by default. */
  readonly patienceMs?: number;
}

/** Turns a launcher into a subject for `processContract`, with this package's own port and ledger around it. */
export const launcherSubject = (subject: LauncherUnderTest): ProcessSubject => ({
  isRemote: subject.isRemote ?? false,
  createWorld: () => worldOf(subject),
});

function worldOf({ launcher, patienceMs = 20_000, ...options }: LauncherUnderTest): ProcessWorld {
  const specOf = options.commandOf ?? commandOf;
  const ledger = createLedger({ reaper: false, stateDir: false });
  const { heard, until } = createWaiting();
  let count = 0;
  const inTime = <T>(awaited: Promise<T>, what: string): Promise<T> => patient(awaited, what, patienceMs);
  return {
    open: (behaviour, emit) => {
      const key = `process:${(count += 1)}`;
      const port = processPortOf({ launchOf: () => specOf(behaviour), ledger, launcher });
      const instance = port(key, { server: 'contract', generation: 1, spec: 1, key }, heard(emit));
      const stdout = ledger.streamsOf(key)?.stdout;
      const ready = new Promise<void>((resolve) => stdout?.once('data', () => resolve()));
      return { ...instance, ready: () => inTime(ready, `"ready" of ${behaviour}`) };
    },
    until: (holds) => inTime(until(holds), 'the next fact'),
    settled: async () => {
      await inTime(ledger.closed(), 'the end of all that was launched');
      await new Promise((resolve) => setImmediate(resolve));
    },
    alive: () => ledger.size,
    dispose: () => {
      ledger.killAll();
      return inTime(ledger.closed(), 'the end of all that was launched');
    },
  };
}
