import type { ServerData, Step } from '../../stage/plan/plan.ts';
import type { Word } from '../../fault-server/words/fault.ts';

export interface Act {
  readonly at: number;
  readonly step: Step;
}
export interface Cast {
  readonly seed: number;
  readonly forMs: number;
  readonly servers: readonly ServerData[];
  readonly hasOffice: boolean;
  readonly among: (word: Word) => boolean;
}
