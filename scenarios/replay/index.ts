/** `a2c-actors/replay`: what a host's own tests import to replay its traces. */
export {
  levels,
  replay,
  type Violation,
  type Level,
  type ReplayOptions,
  type ReplayReport,
  type Verdict,
} from './replay.ts';
export type { Address } from '../../machines/kernel/address.ts';
