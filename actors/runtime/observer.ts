import type { InspectionEvent } from 'xstate';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/** Somebody who watches. It may throw: the tap leaves it out from then on. */
export interface Observer {
  record?(record: DirectoryRecord): void;
  /** Steps of the machines; costs about a quarter more CPU, so only while somebody looks. */
  inspect?(event: InspectionEvent): void;
}
