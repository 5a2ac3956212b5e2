/** What an aggregator is told, what it tells, and what it remembers. */
import type { Address } from './address.ts';
import type { ServerHistory } from './history/index.ts';
import type { Listed, Missing, System } from './systems/index.ts';
import type { TimingOf } from './timing.ts';
import type { Failure } from './wire/failure.ts';

export interface AggregatorStart {
  readonly system: System;
  readonly timing: TimingOf<'aggregator'>;
}
/** A question for the whole: a page of documents, so many windows. */
export interface AggregateWanted {
  readonly type: 'aggregate.wanted';
  readonly system: System;
  readonly ticket: string;
  readonly reqId: string;
  /** As the wire has it. */
  readonly query: object;
  readonly history: ServerHistory;
  readonly replyTo: Address;
}
/** A question for one resource, whoever has it. */
export interface ResourceWanted {
  readonly type: 'resource.wanted';
  readonly system: System;
  readonly ticket: string;
  readonly reqId: string;
  readonly uri: string;
  readonly history: ServerHistory;
  readonly replyTo: Address;
}
/** What a server lists from now on, as far as it takes part; null: it takes no part, or is not there. */
export interface ResourcesListed {
  readonly type: 'resources.listed';
  readonly server: string;
  readonly session: Address;
  readonly resources: readonly { readonly uri: string }[] | null;
  /** Of these the ones whose entries are others than they were. */
  readonly changed: readonly string[];
  /** Its session is another one: of what has changed in between nobody heard. */
  readonly isRenewed?: true;
}
export type AggregatorOrder =
  | AggregateWanted
  | ResourceWanted
  | ResourcesListed
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | { readonly type: 'close' };
/** The answer for the whole, as the wire has it but for `req_id`; `missing` are servers of which not all is in it. */
export interface AggregateShown {
  readonly type: 'aggregate.shown';
  readonly ticket: string;
  readonly reqId: string;
  readonly body: object;
  readonly missing: readonly Missing[];
  readonly failure: Failure | null;
}
/** What the owner hears: what is shown is not what it was; and of which resources it wants to hear from a server. */
export type AggregatorNews =
  | { readonly type: 'aggregate.changed'; readonly system: System }
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: System;
    };
export type Input = AggregatorStart & { readonly self: Address; readonly owner: Address };
/** What the aggregator knows of one server. */
export interface Shelf {
  readonly listed: Listed;
  readonly session: Address;
  readonly items: readonly object[];
  readonly reason: string | null;
  /** How often its machine was told of a change. */
  readonly changes: number;
  /** What is known of it is how it is. */
  readonly isFresh: boolean;
  /** Its machine lives. */
  readonly isOpen: boolean;
}
export interface Context extends Input {
  readonly shelves: Readonly<Record<string, Shelf>>;
  /** Wait for what is being collected; those of `next` asked later, and wait for what has changed by then. */
  readonly waiting: readonly AggregateWanted[];
  readonly next: readonly AggregateWanted[];
  /** Servers whose answer is still to come. */
  readonly pending: readonly string[];
  /** What is shown has changed since it was last told. */
  readonly isNews: boolean;
}
