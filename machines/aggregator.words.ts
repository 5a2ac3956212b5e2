/** What an aggregator is told, what it tells, and what it remembers. */
import type { Address } from './address.ts';
import type { ServerHistory } from './history/index.ts';
import type { Listed, Notice, System } from './systems/index.ts';
import type { TimingOf } from './timing.ts';
import type { ResourcesWatched } from './watch.machine.ts';

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
  /** It has a session, and its list has not come yet: whoever asks now waits for it. */
  readonly isAwaited: boolean;
  /** Why its list could not be had. */
  readonly failure: string | null;
  /** Its session is another one: of what has changed in between nobody heard. */
  readonly isRenewed?: true;
}
export type AggregatorOrder =
  | AggregateWanted
  | ResourceWanted
  | ResourcesListed
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | ResourcesWatched
  | { readonly type: 'close' };
/** What the owner hears: what is shown is not what it was; and of which resources it wants to hear from a server. */
export type AggregatorNews =
  | { readonly type: 'aggregate.changed'; readonly system: System }
  /** A sentence for the host: what is strange about what servers show. Said once for each state of it. */
  | { readonly type: 'aggregate.noticed'; readonly system: System; readonly text: string }
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
  /** Its server says when the content of these changes. Of others nothing is known for good. */
  readonly watched: readonly string[];
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
  /** Servers whose list is still to come. */
  readonly awaited: readonly string[];
  /** Servers whose list could not be had, and why. */
  readonly unlisted: Readonly<Record<string, string>>;
  /** Questions for one resource that nobody lists yet. */
  readonly held: readonly ResourceWanted[];
  /** Of what the host was told, and in which state it was. */
  readonly noticed: readonly Pick<Notice, 'about' | 'mark'>[];
}
