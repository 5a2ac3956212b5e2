import { createLedger, type Ledger, type LedgerOptions } from '../../../adapters/process/reaper/ledger.ts';
import { processPortOf } from '../../../adapters/process/launch.ts';
import type { LaunchSpec } from '../../../adapters/process/launcher.ts';
import type { Emit, PortInstance } from '../../../machines/kernel/ports.ts';
import type { ProcessCommand, ProcessFact } from '../../../machines/ports/process.ts';
import type { ChildBehaviour, ContractChild, ProcessWorld } from './process.harness.ts';
import { createWaiting } from '../waiting.ts';

export { createWaiting } from '../waiting.ts';

const childFile = new URL('../../fixtures/child.mjs', import.meta.url).pathname;
const nodeRuns = (...args: string[]): LaunchSpec => ({
  command: process.execPath,
  args: [childFile, ...args],
  env: {},
});

export type RealBehaviour =
  | ChildBehaviour
  | 'leavesPipeHolder'
  | 'tellsEnvironment'
  | 'deaf'
  | 'chatty'
  | 'quiet'
  | 'leavesDaemon'
  | 'stubbornShell'
  | 'wrappedShell'
  | 'unmarkedShell';

// A shell starts twenty times as fast as Node. A signal that it ignores stays ignored after `exec`.
const stubborn = `trap '' TERM; echo ready; exec sleep 1000`;
const scripts: Readonly<Record<string, string>> = {
  wrapped: `'${process.execPath}' '${childFile}' stubborn; true`,
  stubbornShell: stubborn,
  wrappedShell: `sh -c "${stubborn}"; true`,
  /** Without its environment, so that it has no marker. */
  unmarkedShell: `trap '' TERM; exec env -i sh -c 'echo ready; exec sleep 1000'`,
};
const specOf = (behaviour: string): LaunchSpec => {
  if (behaviour === 'missing') return { command: 'no-such-command', args: [], env: {} };
  const script = scripts[behaviour];
  return script === undefined ? nodeRuns(behaviour) : { command: 'sh', args: ['-c', script], env: {} };
};

export interface RealProcessWorld extends ProcessWorld {
  readonly ledger: Ledger;
  open(behaviour: RealBehaviour, emit: Emit<ProcessFact>): ContractChild;
  launch(spec: LaunchSpec | undefined, emit: Emit<ProcessFact>): PortInstance<ProcessCommand>;
}

/** The reaper and the state file are off unless the options turn them on. */
export function createRealProcessWorld(options: LedgerOptions = {}): RealProcessWorld {
  const ledger = createLedger({ reaper: false, stateDir: false, ...options });
  const { heard, until } = createWaiting();
  let count = 0;
  const launch = (
    spec: LaunchSpec | undefined,
    emit: Emit<ProcessFact>,
    key = `process:${(count += 1)}`,
  ): PortInstance<ProcessCommand> =>
    processPortOf({ launchOf: () => spec, ledger })(
      key,
      { server: 'contract', generation: 1, spec: 1, key },
      heard(emit),
    );
  return {
    ledger,
    until,
    launch,
    open: (behaviour, emit) => {
      const key = `process:${(count += 1)}`;
      const instance = launch(specOf(behaviour), emit, key);
      const stdout = ledger.streamsOf(key)?.stdout;
      const ready = new Promise<void>((resolve) => stdout?.once('data', () => resolve()));
      return { ...instance, ready: () => ready };
    },
    settled: async () => {
      await ledger.closed();
      // A launch that failed at once is not in the ledger and reports its failure in this turn.
      await new Promise((resolve) => setImmediate(resolve));
    },
    alive: () => ledger.size,
    dispose: () => {
      ledger.killAll();
      return ledger.closed();
    },
  };
}
