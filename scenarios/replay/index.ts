/** Public interface `a2c-actors/replay`, with which the tests of a host replay its traces. */
export { forkFile as fork, ForkError, type Changes, type Fork, type Injection } from './fork/fork.ts';
export type {
  CallOutcome,
  FailureOutcome,
  Outcomes,
  ProcessOutcome,
  SeatOutcome,
  ServerOutcome,
} from './outcomes.ts';
export {
  replay,
  type ReplayOptions,
  type ReplayReport,
  type ReportedDifference,
  type Verdict,
  type Violation,
} from './replay.ts';
export type { Address } from '../../machines/kernel/effects.ts';
export { redact, type Redacted, type RedactOptions } from './redact.ts';
export { worldOf, UnusableTrace, type ReadTrace, type World, type WorldOptions } from './world/world.ts';
export { virtualTime, type VirtualTime, type VirtualTimeOptions } from './world/virtual-time.ts';
export type { Asked, Match } from './world/matching.ts';
export type { Miss, PlayOptions } from './world/played-server.ts';
export {
  CannotVerify,
  verify,
  type VerifiedAnswer,
  type VerifyInput,
  type VerifyReport,
  type VerifyVerdict,
} from './verify/verify.ts';
export type { FailureKind } from './verify/seen.ts';
export type { GivenValues } from './verify/hidden-values.ts';
