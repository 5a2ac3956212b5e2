import type { HostDoor } from '../api/door.ts';
import type { CallOutcome } from '../api/call-outcome.ts';
import type { ServerStatus, ToolListing } from '../servers/server-handle.ts';
import type { OfficePeer } from '../../machines/office/rooms/limits.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import type { Fields } from '../../machines/protocol/json.ts';

/** `use` and later requests need the same version on both sides; `status` and `stop` do not. */

export interface Greeting {
  readonly door: 1;
  readonly version: string;
  readonly kind: HostDoor['kind'];
  readonly name: string;
  readonly pid: number;
  /** Hashed with the identity of a server, so that each proof is valid for one connection only. */
  readonly nonce: string;
}
export interface DoorStatus {
  readonly servers: readonly Pick<ServerStatus, 'name' | 'state' | 'reason' | 'nextTryMs'>[];
  readonly peers?: readonly OfficePeer[];
}
export interface DoorRequests {
  /** By proofs of the identity of a server; the answer is null where this host has no such server. */
  readonly use: {
    readonly ask: { readonly server: string; readonly proofs: readonly string[] };
    readonly answer: ServerStatus | null;
  };
  readonly tools: { readonly ask: object; readonly answer: ToolListing };
  readonly call: {
    readonly ask: {
      readonly tool: string;
      readonly params: Fields;
      readonly reqId: string;
      readonly timeoutMs?: number;
    };
    readonly answer: CallOutcome;
  };
  readonly cancel: {
    readonly ask: { readonly call: number; readonly reason: string };
    readonly answer: null;
  };
  readonly status: { readonly ask: object; readonly answer: DoorStatus };
  readonly stop: { readonly ask: object; readonly answer: boolean };
  /** Only for hosts of `a2c serve`; others refuse. */
  readonly restart: { readonly ask: { readonly server: string }; readonly answer: null };
}
export type DoorVerb = keyof DoorRequests;
export type DoorRequest = {
  [Verb in DoorVerb]: { readonly id: number; readonly verb: Verb; readonly ask: DoorRequests[Verb]['ask'] };
}[DoorVerb];
export type DoorAnswer =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: Failure };
export type DoorNews =
  | { readonly news: 'server'; readonly status: ServerStatus }
  | { readonly news: 'progress'; readonly call: number; readonly told: Fields }
  | {
      readonly news: 'question';
      readonly question: number;
      readonly kind: 'elicit' | 'elicitUrl';
      readonly params: Fields;
    }
  | { readonly news: 'withdrawn'; readonly question: number };
/** Without a value the person could not be asked. */
export interface QuestionAnswer {
  readonly question: number;
  readonly value?: Fields;
  readonly error?: string;
}
