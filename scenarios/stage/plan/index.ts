export { Scene, planOf, type CallOptions, type FaultOptions } from './builder.ts';
export type { AskRef, CallRef, ServerRef } from './expecting.ts';
export type { Expecting, OnAsk, OnCall, OnServer } from './expecting.ts';
export {
  planTiming,
  wordsOf,
  type Aspect,
  type Behaviour,
  type ConfigEntry,
  type Expectation,
  type OutsideSignal,
  type PermissionData,
  type PersonData,
  type PersonWord,
  type Plan,
  type ProgramData,
  type Root,
  type ServerData,
  type SharedData,
  type Stage,
  type Step,
  type ToolData,
} from './plan.ts';
export type { ServerSettings } from '../server-plan.ts';
export type { Values } from '../scripted/host-ports.ts';
export type { Fault, Moment } from '../../fault-server/words/fault.ts';
export type { Timing } from '../../../machines/kernel/timing.ts';
export type { CallLimits } from '../../../machines/call/policy/call-limiters.ts';
export type { CallSettled } from '../../../machines/call/call.rules.ts';
export type { Landing } from '../../../machines/uploads/upload.rules.ts';
export type { OnConflict } from '../../../machines/catalog/tool-table.ts';
export type { AnyEvent } from '../../../machines/kernel/effects.ts';
export type { DirectoryRecord, Thrown } from '../../../machines/trace/record.ts';
export type { Message } from '../../../machines/kernel/effects.ts';
export type { SeenRecord as Seen } from '../../invariants/invariant.ts';
export { observe, Observed, type CallSeen, type Heard, type ServerSeen } from './observations.ts';
export type { Shown } from './observations.ts';
export { violationsOf, type Reading } from './expectations.ts';
export { disagreements, summaryOf, type Summary } from './agreement.ts';
export { playVirtually, type Played, type PlayedVirtually } from './virtual/play-virtual.ts';
export { playReally } from './real/play-real.ts';
export { registered, scenario } from './builder.ts';
