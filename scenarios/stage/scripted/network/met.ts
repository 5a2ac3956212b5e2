import type { SessionLost } from '../../../../machines/kernel/ports.ts';
import type { Failure } from '../../../../machines/protocol/failure.ts';

/** What a server behind a URL does with one request, beside answering it. All times in virtual ms. */
export interface Met {
  /** It is not read: this is done in its place. */
  readonly instead?: { readonly afterMs: number } & (Refusal | Passing | { readonly never: true });
  /** On its way the answer takes so long, or breaks off. */
  readonly answer?: { readonly lateMs: number } | { readonly broken: Failure };
  /** What happens so long after it. */
  readonly later: readonly ({ readonly afterMs: number } & Passing)[];
}
export interface Refusal {
  readonly refuses: Failure;
  /** Whether it may have been worked on: surely not, it was answered, nobody knows. */
  readonly how: 'unsent' | 'answered' | 'lost';
  /** It is the end of the session, too. */
  readonly ends?: Omit<SessionLost, 'reason'>;
}
/** It forgets the session, or is away for so long. */
export type Passing =
  | { readonly forgets: true }
  | { readonly downMs: number; readonly forgetsAll: boolean; readonly areFaultsCleared: () => boolean };
