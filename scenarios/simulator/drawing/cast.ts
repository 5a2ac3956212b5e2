import type { ServerData, Step } from '../../stage/plan/plan.ts';
import type { Word } from '../../fault-server/words/fault.ts';

/** Step of a run with its time in ms. */
export interface Act {
  readonly at: number;
  readonly step: Step;
}
/** Servers, tools and seats that the steps of a run can name. */
export interface Cast {
  readonly seed: number;
  readonly forMs: number;
  readonly servers: readonly ServerData[];
  readonly hasOffice: boolean;
  readonly among: (word: Word) => boolean;
}
