export { describeLaunch, describeStart } from './executable.ts';
export { membersOf } from './reaper/group.ts';
export { processPortOf, type ProcessPortOptions } from './launch.ts';
export type {
  Environment,
  Inherited,
  Launch,
  LaunchDescription,
  Launched,
  LaunchEnd,
  Launcher,
  LaunchSpec,
} from './launcher.ts';
export {
  createLedger,
  type ChildStreams,
  type Ledger,
  type LedgerOptions,
  type LiveChild,
} from './reaper/ledger.ts';
export type { TracedGroup } from './reaper/ending.ts';
export { localLauncher } from './local-launcher.ts';
export { defaultStateDir } from './reaper/state-file.ts';
export { ringBytes } from './stderr-ring.ts';
export { sweepLeftovers, type Leftover, type SweepOptions } from './reaper/sweep.ts';
export { loginPath } from './login-path.ts';
export { openInBrowser, openSecretInBrowser } from './open-in-browser.ts';
export { runText, type RunOptions } from './run-text.ts';
