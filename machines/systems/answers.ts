import type { Failure } from '../wire/failure.ts';
import type { Contents, Missing } from './system.ts';

/** The answer for the whole, as the wire has it but for `req_id`; `missing` are servers of which not all is in it. */
export interface AggregateShown {
  readonly type: 'aggregate.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly body: object;
  readonly missing: readonly Missing[];
  readonly failure: Failure | null;
}
/** The answer to whoever reads one resource: contents, or why there are none. */
export interface ResourceRead {
  readonly type: 'resource.read';
  readonly ticket: string;
  readonly reqId: string;
  readonly contents: Contents;
  readonly failure: Failure | null;
}
