import type { ServerState } from '../facts/server-state.ts';
/** What a client is told, what it tells, and what it remembers. */
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import type { CatalogList, Lists, ToolMeta } from '../catalog/index.ts';
import type { CallRequest, ServerWanted, ToolApproved } from '../call/messages.ts';
import type {
  CatalogListed,
  CatalogNews,
  CatalogRestless,
  CatalogRefreshing,
  CatalogSettled,
} from '../catalog/catalog.machine.ts';
import type { DirectoryEvent } from '../kernel/effects.ts';
import type {
  Capabilities,
  ClientWaits,
  RequestFact,
  ServerInfo,
  SessionFact,
  Waits,
} from '../kernel/ports.ts';
import type { ProcessNews } from '../process/process.machine.ts';
import type { ResourcesRelist } from '../resources/collections/index.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';
import type { Failure } from '../protocol/failure.ts';

/** What of a server's config its client has to know; its launch config stays with the adapter. */
export interface ClientPlan {
  /** Which launch config: a changed command, environment, URL … is a generation of its own. */
  readonly generation: number;
  /**
   * Counts what may have changed the values in them: definitions of inputs, variables, answers. With another number its
   * launch spec is resolved anew, and a server that runs is restarted only if that differs.
   */
  readonly values: number;
  /** It is a child process of ours; otherwise it is reached over HTTP, or lives in this host. */
  readonly hasProcess: boolean;
  /** Connects at once, when it is needed, or only when it is told to (`auto_connect` off). */
  readonly start: 'eager' | 'lazy' | 'byHand';
  /** After which ends it connects again: any, all but a clean one, none. */
  readonly restart: 'always' | 'on-failure' | 'never';
  /** Failures in a row after which it rests as `open`. */
  readonly budget: number;
  /** It hears when the server says that a list changed; otherwise lists are polled only. */
  readonly hearsChanges: boolean;
  /** Refreshes of a list that may fail in a row before its entries are taken back. */
  readonly refreshFailures: number;
  /** It has a VRL program: what its tools answer well goes through that. */
  readonly isTransformed: boolean;
  /** A result of its tools with more bytes of JSON is cut; 0 = it may have any size. */
  readonly resultBytes: number;
  readonly timing: TimingOf<'client'>;
}
export interface ClientStart extends ClientPlan {
  readonly server: string;
  /** Lists of the server from its last good run. */
  readonly cached: Lists | null;
  /** How often this launch config has failed already, and how the last time: whoever is put back goes on there. */
  readonly spent: Spent;
}
/** How often a launch config has failed in a row, and how the last time. */
export interface Spent {
  readonly attempt: number;
  readonly failure: Failure | null;
  /** It came up again after that: it is started, however often it has failed before. */
  readonly isUp?: boolean;
}
/** A call that its computer has resolved to this server. */
export interface ServerCall extends CallRequest {
  /** Who asks has confirmed it, or a person has for as long as the computer lives. */
  readonly isConfirmed: boolean;
  /** The merged meta of the tool. */
  readonly meta: ToolMeta | null;
  /** The tool has an output schema. */
  readonly hasOutput: boolean;
}
interface ServerUpdate {
  readonly type: 'server.update';
  readonly plan: ClientPlan;
}
/** Resources of which `by` wants to hear when they change. */
export interface ResourcesWatch {
  readonly type: 'resources.watch';
  readonly uris: readonly string[];
  readonly by: string;
}
export type ClientOrder =
  | ServerCall
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  /** Who asked is gone: its calls are cancelled. */
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  /** A call that waits for it may run. */
  | ServerWanted
  | { readonly type: 'server.start' }
  /** Finishes its calls first; told a second time it hurries. */
  | { readonly type: 'server.stop' }
  /**
   * Another generation is connected instead of this one, which comes back should the new one not start. With other
   * `values` its launch spec is resolved anew.
   */
  | ServerUpdate
  | ResourcesWatch
  /** Its list of resources is asked for anew (resources/collections/answers.ts). */
  | ResourcesRelist
  /** It may connect now. */
  | { readonly type: 'permit.granted' }
  | { readonly type: 'close' };
export const clientKind = kindOf<ClientStart, ClientOrder>('client');
export type ClientStage = Exclude<ServerState, 'disabled' | 'needsInput' | 'unsupported'>;
export type ClientNews =
  | ClientChanged
  /** Its handshake takes longer. */
  | ClientWaits
  /** It wants to connect; `again`: after a failure. */
  | { readonly type: 'permit.wanted'; readonly server: string; readonly again: boolean }
  /** It is slow: others need not wait for it. */
  | { readonly type: 'permit.released'; readonly server: string }
  /** It has been ready for so long that its failures before count no more. */
  | { readonly type: 'server.proven'; readonly server: string }
  /** What it was changed to could not be started; it is back at `generation`. */
  | {
      readonly type: 'server.rolledBack';
      readonly server: string;
      readonly generation: number;
      readonly failure: Failure | null;
    }
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | ResourcesWatched
  /** It is ready, and has resources. */
  | {
      readonly type: 'server.shows';
      readonly server: string;
      readonly resources: NonNullable<Capabilities['resources']>;
    };
/** What the owner hears at each stage. */
export interface ClientChanged {
  readonly type: 'client.changed';
  readonly server: string;
  readonly stage: ClientStage;
  /** Its tools may be called: it is ready, or starts when it is needed. */
  readonly isOffered: boolean;
  readonly failure: Failure | null;
  readonly attempt: number;
  /** How long at most until it tries again by itself; null: it does not. */
  readonly nextTryMs: number | null;
}
/** Its calls and its lists speak to its owner, too. */
type OwnerHears = ClientNews | CatalogNews | CatalogListed | CatalogRestless | ToolApproved;
export type ClientInput = ClientStart & { readonly self: Address; readonly owner: AddressFor<OwnerHears> };
export interface ClientContext extends ClientInput {
  /** What it is launched with, as it was resolved last; 0: it never was. */
  readonly spec: number;
  /** Of what it was resolved; null: it never was. */
  readonly resolved: Pick<ClientPlan, 'generation' | 'values'> | null;
  readonly process: Address;
  /** Its process may be alive. */
  readonly ownsProcess: boolean;
  readonly info: ServerInfo | null;
  /** While its session is not open, as its port said last. */
  readonly waits?: Waits | null;
  readonly catalogs: readonly CatalogList[];
  /** Lists that are being read anew. */
  readonly refreshing: readonly CatalogList[];
  readonly hasWatch: boolean;
  readonly attempt: number;
  readonly inFlight: number;
  /** All calls so far, and how many they were when it was last looked at. */
  readonly calls: number;
  readonly callsSeen: number;
  readonly idleMs: number;
  readonly failure: Failure | null;
  /** It was ready since its last launch, and ended by itself with exit code 0. */
  readonly wasReady: boolean;
  readonly endedWell: boolean;
  readonly wasKilled: boolean;
  /** Calls wait until it is ready. */
  readonly isHolding: boolean;
  /** Its session was expired and renewed, and has not proved itself since. */
  readonly isRenewed: boolean;
  readonly pings: 'untried' | 'answered' | 'off';
  /** What it is to become at the end of its way down. */
  readonly goal: 'stop' | 'rest' | 'again' | 'end';
  /** What it goes back to should its new plan not start. */
  readonly fallback: ClientPlan | null;
}
export type ClientEvent =
  | ClientOrder
  | ProcessNews
  | SessionFact
  | RequestFact
  | CatalogSettled
  | CatalogRefreshing
  | ResourcesWatched
  | DirectoryEvent
  | { readonly type: 'deadline.passed' };

// ── what its ports are asked ───────────────────────────────────────────────────────────────────────────
/** Port that resolves launch specs: the `target` of such a question. */
export const specPort = 'spec';
/**
 * What the port `spec` is asked at each start of a server: fill in its placeholders. Answered by `Resolved`, or refused
 * with why a value cannot be had (`InputNotFound`, `ConfigInvalid`). Takes as long as whoever is asked for a value.
 */
export interface Resolve {
  readonly server: string;
  readonly generation: number;
}
/** The number of the launch spec: the same as before exactly when nothing in it is another. */
export interface Resolved {
  readonly spec: number;
}
/** Port that logs in to servers: the `target` of such a question. */
export const loginPort = 'login';
/**
 * What the port `login` is asked when a server wants a login. Answered when there is one; refused with why there is
 * none (`Unauthorized`). `ask.progress` while a person is waited for, its `message` saying where; `ask.began` when the
 * person came back. Takes as long as that person.
 */
export interface LogIn {
  readonly server: string;
}
