import type { ServerState } from '../server-states.ts';
/** Messages to and from the machine of a client, its data, and its questions to ports. */
import { kindOf, type Address, type AddressFor, type DirectoryEvent } from '../kernel/effects.ts';
import type { CatalogList, Lists } from '../catalog/entries.ts';
import type { ToolMeta } from '../catalog/tool.ts';
import type { CallRequest, ServerWanted, ToolApproved } from '../call/call.rules.ts';
import type {
  CatalogListed,
  CatalogNews,
  CatalogRestless,
  CatalogRefreshing,
  CatalogSettled,
} from '../catalog/catalog.machine.ts';
import type {
  Capabilities,
  ClientWaits,
  RequestFact,
  ServerInfo,
  SessionFact,
  Waits,
} from '../kernel/ports.ts';
import type { ProcessNews } from '../process/process.machine.ts';
import type { ResourcesRelist } from '../resources/collections.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';
import type { Failure } from '../protocol/failure.ts';

/** Part of a server's config that its client needs; the launch config itself stays with the adapter. */
export interface ClientPlan {
  /** Number of the launch config: every changed command, environment, URL … is a new generation. */
  readonly generation: number;
  /**
   * Counter of changes that may affect placeholder values: definitions of inputs, variables, answers. When it
   * changes, the launch spec is resolved again, and a running server is restarted only if the spec differs.
   */
  readonly values: number;
  /** Tells whether the server is a child process; otherwise it is reached over HTTP, or runs inside this host. */
  readonly hasProcess: boolean;
  /** Start mode of the server: at once, on demand, or only when told to (`auto_connect` off). */
  readonly start: 'eager' | 'lazy' | 'byHand';
  /** Endings after which the server is connected again: any, all but a clean exit, or none. */
  readonly restart: 'always' | 'on-failure' | 'never';
  /** Number of failures in a row after which the server is given up (state `open`). */
  readonly budget: number;
  /** Tells whether change notifications of the server are used; otherwise lists are only polled. */
  readonly hearsChanges: boolean;
  /** Number of list refreshes that may fail in a row before the entries are removed. */
  readonly refreshFailures: number;
  /** True when the server has a VRL program, which transforms results without an error. */
  readonly isTransformed: boolean;
  /** Largest result of a tool in bytes of JSON; a larger one is cut. 0 = no limit. */
  readonly resultBytes: number;
  /**
   * Tells whether a client outside of this runtime speaks to the server (`a2c-actors/transport`); then this machine
   * reads no lists of its own.
   */
  readonly isRelayed?: true;
  readonly timing: TimingOf<'client'>;
}
export interface ClientStart extends ClientPlan {
  readonly server: string;
  /** Lists of the server from its last successful run. */
  readonly cached: Lists | null;
  /** Failures of this launch config so far; a re-added server continues this count. */
  readonly spent: Spent;
}
/** Number of failures of a launch config in a row, and the last failure. */
export interface Spent {
  readonly attempt: number;
  readonly failure: Failure | null;
  /** True when the server became ready after these failures; it may then be started, whatever their number. */
  readonly isUp?: boolean;
}
/** Call that its computer has assigned to this server. */
export interface ServerCall extends CallRequest {
  /** Tells whether the call is already confirmed, by the caller or by a person for the session. */
  readonly isConfirmed: boolean;
  readonly meta: ToolMeta | null;
  readonly hasOutput: boolean;
}
interface ServerUpdate {
  readonly type: 'server.update';
  readonly plan: ClientPlan;
}
/** Request of `by` to be told when these resources change. */
export interface ResourcesWatch {
  readonly type: 'resources.watch';
  readonly uris: readonly string[];
  readonly by: string;
}
export type ClientOrder =
  | ServerCall
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  /** Tells that a waiting call is permitted, so the server should start. */
  | ServerWanted
  | { readonly type: 'server.start' }
  /** Stops the server after its running calls; a second stop cancels them sooner. */
  | { readonly type: 'server.stop' }
  /**
   * Replaces the launch config by another generation; the old one returns if the new one does not start. Different
   * `values` resolve the launch spec again.
   */
  | ServerUpdate
  | ResourcesWatch
  /** Reads the list of resources again (resources/collections). */
  | ResourcesRelist
  | { readonly type: 'permit.granted' }
  | { readonly type: 'close' };
export const clientKind = kindOf<ClientStart, ClientOrder>('client');
export type ClientStage = Exclude<ServerState, 'disabled' | 'needsInput' | 'unsupported'>;
export type ClientNews =
  | ClientChanged
  /** Reports a handshake that takes longer than usual. */
  | ClientWaits
  /** Asks for the permit to connect; `again`: after a failure. */
  | { readonly type: 'permit.wanted'; readonly server: string; readonly again: boolean }
  /** Returns the permit to connect, because this server is slow and other servers need not wait for it. */
  | { readonly type: 'permit.released'; readonly server: string }
  /** Reports that the server has been ready long enough to clear its earlier failures. */
  | { readonly type: 'server.proven'; readonly server: string }
  /** Reports the return to the launch config with number `generation`, because the new one could not be started. */
  | {
      readonly type: 'server.rolledBack';
      readonly server: string;
      readonly generation: number;
      readonly failure: Failure | null;
    }
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | ResourcesWatched
  /** Announces the resources of a server that is ready. */
  | {
      readonly type: 'server.shows';
      readonly server: string;
      readonly resources: NonNullable<Capabilities['resources']>;
    };
/** News to the owner each time the stage of a client changes. */
export interface ClientChanged {
  readonly type: 'client.changed';
  readonly server: string;
  readonly stage: ClientStage;
  /** Tells whether tools may be called: the server is ready, or starts on demand. */
  readonly isOffered: boolean;
  readonly failure: Failure | null;
  readonly attempt: number;
  /** Longest time in ms until the client tries again on its own; null when it will not. */
  readonly nextTryMs: number | null;
}
/** Messages to the owner, from the client and from its calls and lists. */
type OwnerHears = ClientNews | CatalogNews | CatalogListed | CatalogRestless | ToolApproved;
export type ClientInput = ClientStart & { readonly self: Address; readonly owner: AddressFor<OwnerHears> };
export interface ClientContext extends ClientInput {
  /** Number of the last resolved launch spec; 0 = never resolved. */
  readonly spec: number;
  /** Plan from which the launch spec was resolved; null = never resolved. */
  readonly resolved: Pick<ClientPlan, 'generation' | 'values'> | null;
  readonly process: Address;
  /** Tells whether a process of the server may still be alive. */
  readonly ownsProcess: boolean;
  readonly info: ServerInfo | null;
  /** Last report of a slow handshake, while the session is not open. */
  readonly waits?: Waits | null;
  readonly catalogs: readonly CatalogList[];
  readonly refreshing: readonly CatalogList[];
  readonly hasWatch: boolean;
  readonly attempt: number;
  readonly inFlight: number;
  /** Number of calls so far, and the number at the last idle check. */
  readonly calls: number;
  readonly callsSeen: number;
  readonly idleMs: number;
  readonly failure: Failure | null;
  /**
   * Tells whether the server was ready since its last launch, and (`endedWell`) then exited on its own with code 0.
   */
  readonly wasReady: boolean;
  readonly endedWell: boolean;
  readonly wasKilled: boolean;
  /** Tells whether calls wait until the server is ready. */
  readonly isHolding: boolean;
  /** Tells whether an expired session was renewed and has not been stable since. */
  readonly isRenewed: boolean;
  readonly pings: 'untried' | 'answered' | 'off';
  /** State to enter after closing: stop, rest (standby), start again, or end. */
  readonly goal: 'stop' | 'rest' | 'again' | 'end';
  /** Plan to return to if the new one does not start. */
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
/** Name of the port that resolves launch specs: the `target` of a `Resolve` question. */
export const specPort = 'spec';
/**
 * Question to the port `spec` at each start of a server: fill in its placeholders. Answered by `Resolved`, or refused
 * when a value is missing (`InputNotFound`, `ConfigInvalid`). Has no limit when a person is asked for a value.
 */
export interface Resolve {
  readonly server: string;
  readonly generation: number;
}
/** Number of the launch spec; it changes exactly when the content of the spec changes. */
export interface Resolved {
  readonly spec: number;
}
/** Name of the port that logs in to servers: the `target` of a `LogIn` question. */
export const loginPort = 'login';
/**
 * Question to the port `login` when a server requires a login. Answered once logged in; refused with the reason
 * (`Unauthorized`). `ask.progress` while a person is awaited, with the origin of the login page in `message`;
 * `ask.began` when the person returned. No time limit.
 */
export interface LogIn {
  readonly server: string;
}
