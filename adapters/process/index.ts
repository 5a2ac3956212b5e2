export { membersOf } from './group.ts';
export { processPortOf, type ProcessPortOptions } from './launch.ts';
export type { LaunchSpec } from './launch-spec.ts';
export {
  createLedger,
  type ChildStreams,
  type Ledger,
  type LedgerOptions,
  type LiveChild,
} from './ledger.ts';
export { defaultStateDir } from './state-file.ts';
export { ringBytes } from './stderr-ring.ts';
export { sweepLeftovers, type Leftover, type SweepOptions } from './sweep.ts';
