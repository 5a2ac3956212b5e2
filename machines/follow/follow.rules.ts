/** What a kind of follower has of its own: what it asks, how it reads the answer, and whom it tells. */
import type { EventObject } from 'xstate';
import type { Address, PortRequest, Post } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Failure } from '../protocol/failure.ts';

export interface Follow {
  readonly self: Address;
  /** What the last question came to. `part`: the next one asks for the rest; `over`: there is nothing more to ask for. */
  readonly came: 'whole' | 'part' | 'failed' | 'over';
  /** A change was told after the last question was asked. */
  readonly isOutdated: boolean;
  /** Null after an answer. */
  readonly failure: Failure | null;
  /** In a row. */
  readonly failures: number;
}
export type Reading<C> =
  | { readonly step: 'whole' | 'part'; readonly next: Partial<C> }
  | { readonly step: 'unreadable'; readonly failure: Failure };
export type Answered = Extract<RequestFact, { type: 'ask.answered' }>;
/** Of the port, or only with the failure, when the answer was unreadable or late. */
export type Refusal = Partial<Extract<RequestFact, { type: 'ask.refused' }>> & { readonly failure: Failure };

/** In ms. What a kind never does is left out, and with it the states for it. */
export interface Pace<C> {
  /** Of an answer. */
  readonly limitMs: (c: C) => number;
  /** Without a further change a burst is over. Left out: asks at once. */
  readonly quietMs?: (c: C) => number;
  /** Of a burst; also the time without changes after which a follower is calm. */
  readonly longestQuietMs?: (c: C) => number;
  /** After an answer. 0 = never. */
  readonly pollMs?: (c: C) => number;
  readonly retryMs?: (c: C) => number;
}
/** Each function returns what changes in the memory; `tell` sees it before and after, and is the only one that tells. */
export interface FollowRules<Input, C extends Follow, Order extends EventObject> {
  readonly id: string;
  /** Order that tells of a change. */
  readonly changed: Order['type'];
  /** Order upon which a follower that has given up asks again, as it does upon a change. */
  readonly wake?: Order['type'];
  readonly startsOpen: boolean;
  readonly hasParts?: true;
  readonly pace: Pace<C>;
  readonly begin: (input: Input) => Omit<C, Exclude<keyof Follow, 'self'>>;
  readonly ask: (c: C) => PortRequest;
  readonly read: (c: C, result: unknown) => Reading<C>;
  readonly tell: (before: C, after: C) => readonly Post[];
  readonly timeout: (c: C) => Failure;
  /** Such a failure does not count. */
  readonly isPassing?: (refusal: Refusal) => boolean;
  /** `c` has the failure already. */
  readonly failed?: (c: C, refusal: Refusal) => Partial<C>;
  readonly asked?: (c: C, event: EventObject) => Partial<C>;
  readonly noted?: (c: C, order: Order) => Partial<C>;
  readonly calmed?: (c: C) => Partial<C>;
  /** A change withdraws the question under way, because nothing is known that could be shown meanwhile. */
  readonly asksAnew?: (c: C) => boolean;
  /** It asks at once, whatever it waits for. */
  readonly mustAsk?: (c: C) => boolean;
  /** Orders that are taken in each state, and where they lead. */
  readonly orders?: {
    readonly [Type in Order['type']]?: {
      readonly to?: 'asking' | 'standby';
      readonly take: (c: C, order: Extract<Order, { readonly type: Type }>) => Partial<C>;
    };
  };
}
