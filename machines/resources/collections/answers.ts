import type { Failure } from '../../protocol/failure.ts';
import type { PromptResult } from '../../protocol/messages/collections.ts';
import type { Contents, Missing, ResourceCollection } from './collection.ts';

/** The answer for the whole, as the wire has it but for `req_id`; `missing` are servers of which not all is in it. */
export interface AggregateShown {
  readonly type: 'aggregate.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly body: object;
  readonly missing: readonly Missing[];
  readonly failure: Failure | null;
}
/** The answer to whoever reads one resource, or gets one prompt: contents, or why there are none. */
export interface ResourceRead {
  readonly type: 'resource.read';
  readonly ticket: string;
  readonly reqId: string;
  readonly contents: Contents;
  readonly prompt?: PromptResult;
  readonly failure: Failure | null;
}
/**
 * The list of a server is asked for anew. `n`: at once, for that question, and told whatever came of it; 0: by and by, for
 * the server told of a change of something that it has not listed.
 */
export interface ResourcesRelist {
  readonly type: 'resources.relist';
  readonly server: string;
  readonly by: ResourceCollection;
  readonly n: number;
}
