export { membersOf } from './group.ts';
export { processPortOf, type ProcessPortOptions } from './launch.ts';
export type { LaunchSpec } from './launch-spec.ts';
export { createLedger, type ChildStreams, type Ledger, type LiveChild } from './ledger.ts';
export { ringBytes } from './stderr-ring.ts';
