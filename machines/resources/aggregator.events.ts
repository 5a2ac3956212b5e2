/** What an aggregator is told, what it tells, and what it remembers. */
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import type { ServerHistory } from '../call/history.ts';
import type {
  AggregateShown,
  Listed,
  Notice,
  Refused,
  ResourceRead,
  ResourcesRelist,
  ResourceCollection,
} from './collections/index.ts';
import type { Granted } from './cache/server-cache.events.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { ResourcesWatched } from './watch.machine.ts';

export interface AggregatorStart {
  readonly collection: ResourceCollection;
  readonly timing: TimingOf<'aggregator'>;
}
/** A question for the whole: a page of documents, so many windows. */
export interface AggregateWanted {
  readonly type: 'aggregate.wanted';
  readonly collection: ResourceCollection;
  readonly ticket: string;
  readonly reqId: string;
  /** As the wire has it. */
  readonly query: object;
  readonly history: ServerHistory;
  /** By an agent: what failures say of the machine of a server is hidden, unless its config exposes it. */
  readonly isByAgent?: true;
  readonly replyTo: AddressFor<AggregateShown>;
}
/** A question for one resource, whoever has it. */
export interface ResourceWanted {
  readonly type: 'resource.wanted';
  readonly collection: ResourceCollection;
  readonly ticket: string;
  readonly reqId: string;
  readonly uri: string;
  /** Nobody but this one is asked. */
  readonly server?: string;
  /** It belongs to no system: who has the session of its server. */
  readonly session?: Address;
  /** No resource: the prompt that `uri` names, with these arguments. */
  readonly prompt?: Readonly<Record<string, string>>;
  readonly history: ServerHistory;
  readonly isByAgent?: true;
  readonly replyTo: AddressFor<ResourceRead>;
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
  /** Agents are told addresses and paths of its machine. */
  readonly isExposed?: true;
  /** What it lists and nobody is shown: it does not say when it changes, and its config does not take it as it is. */
  readonly unheard?: readonly { readonly uri: string }[];
  /** Its session is another one: of what has changed in between nobody heard. */
  readonly isRenewed?: true;
  /** It was asked for anew, for all questions up to this one (`resources.relist`). */
  readonly upTo?: number;
}
export type AggregatorOrder =
  | AggregateWanted
  | ResourceWanted
  | ResourcesListed
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | ResourcesWatched
  | { readonly type: 'close' };
const aggregatorKind = kindOf<AggregatorStart, AggregatorOrder>;
export const aggregatorKinds = { desktop: aggregatorKind('desktop'), finder: aggregatorKind('finder') };
/** The time of a question is over: it is answered with what there is. */
export interface QuestionLate {
  readonly type: 'question.late';
  readonly n: number;
}
/** What the owner hears: what is shown is not what it was; and of which resources it wants to hear from a server. */
export type AggregatorNews =
  | {
      readonly type: 'aggregate.changed';
      readonly collection: ResourceCollection;
      /** Of what is listed, and of how often it was said to be others: the same while neither has changed. */
      readonly signature: string;
    }
  /** A sentence for the host: what is strange about what servers show. Said once for each state of it. */
  | { readonly type: 'aggregate.noticed'; readonly collection: ResourceCollection; readonly text: string }
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: ResourceCollection;
    }
  | ResourcesRelist;
export type Input = AggregatorStart & {
  readonly self: Address;
  readonly owner: AddressFor<AggregatorNews>;
};
/** What the aggregator knows of one server. */
export interface ServerCache {
  readonly listed: Listed;
  readonly session: Address;
  readonly items: readonly object[];
  readonly reason: string | null;
  readonly refused: readonly Refused[];
  /** How often its machine was told of a change. */
  readonly changes: number;
  /** What is known of it is how it is. */
  readonly isFresh: boolean;
  /** Its machine lives. */
  readonly isOpen: boolean;
  /** Its server says when the content of these changes. Of others nothing is known for good. */
  readonly watched: readonly string[];
  /** The last order to read all of it, and the last that is answered. */
  readonly asked: number;
  readonly given: number;
}
/** One that waits for its answer. */
export interface Question {
  readonly n: number;
  readonly wanted: AggregateWanted;
  /** Servers whose list was asked for anew and has not come; null: they were not asked yet. */
  readonly owed: readonly string[] | null;
  /** By server: the order to read all of it that was given for this question, or together with it. */
  readonly refreshes: Readonly<Record<string, number>>;
  /** By server: what changed after that order was given, and is read once more for this question. */
  readonly again?: Readonly<Record<string, readonly string[]>>;
  /** Orders for its one entry that were answered. */
  readonly granted?: readonly Granted[];
  /** Its time is over. */
  readonly isLate: boolean;
}
export interface Context extends Input {
  readonly caches: Readonly<Record<string, ServerCache>>;
  /** The oldest first. */
  readonly questions: readonly Question[];
  /** Numbers of questions and of orders to read that were given so far. */
  readonly numbered: number;
  /** Servers that take part, whatever they list. */
  readonly members: readonly string[];
  /** A list of some server has come, or its server has begun. */
  readonly isHeard: boolean;
  /** It may be shown otherwise than when it was told last. */
  readonly isNews: boolean;
  /** Signature of what was told last. */
  readonly told: string;
  /** Since then something was listed no more. */
  readonly hasLost: boolean;
  /** Server caches and reads that it has opened and that have not ended. */
  readonly living: number;
  /** How often something that is listed was said to be others. */
  readonly updates: number;
  /** Servers whose list is still to come. */
  readonly awaited: readonly string[];
  /** Servers of whose machines agents are told addresses and paths. */
  readonly exposed: readonly string[];
  /** By server: what of its list is not taken in, and why. */
  readonly refused: Readonly<Record<string, readonly Refused[]>>;
  /** Servers whose list could not be had or has not come in time, and why. */
  readonly unlisted: Readonly<Record<string, string>>;
  /** Questions for one resource that nobody lists yet. */
  readonly pending: readonly ResourceWanted[];
  /** Of what the host was told, and in which state it was. */
  readonly noticed: readonly Pick<Notice, 'about' | 'mark'>[];
}
