export { Scene, planOf, type CallOptions } from './builder.ts';
export type { AskRef, CallRef, ServerRef } from './expecting.ts';
export type { Expecting, OnAsk, OnCall, OnServer } from './expecting.ts';
export {
  planTiming,
  wordsOf,
  type Aspect,
  type Behaviour,
  type Expectation,
  type PersonData,
  type Plan,
  type ServerData,
  type Step,
  type ToolData,
} from './plan.ts';
export type { Seen } from '../../invariants/law.ts';
export { observe, Observed, type CallSeen, type ServerSeen } from './observations.ts';
export type { Shown } from './shown.ts';
export { breachesOf } from './expectations.ts';
export { disagreements, summaryOf, type Summary } from './agreement.ts';
export { playVirtually, type Played, type PlayedVirtually } from './virtual/play-virtual.ts';
export { playReally } from './real/play-real.ts';
export { registered, scenario } from './registry.ts';
