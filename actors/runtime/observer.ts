import type { InspectionEvent } from 'xstate';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import type { Microstep } from './stepper/stepper.ts';

/** Somebody who watches. It may throw: the tap leaves it out from then on. */
export interface Observer {
  record?(record: DirectoryRecord): void;
  step?(step: Microstep): void;
  /** What XState shows to `@statelyai/inspect`; as long as somebody takes it, XState's own interpreter steps. */
  inspect?(event: InspectionEvent): void;
}
