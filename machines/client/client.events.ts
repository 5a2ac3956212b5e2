import type { ServerState } from '../facts.ts';
/** Messages to and from the machine of a client, its memory, and its questions to ports. */
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import type { CatalogList, Lists } from '../catalog/entries.ts';
import type { ToolMeta } from '../catalog/tool.ts';
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
import type { ResourcesRelist } from '../resources/collections.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';
import type { Failure } from '../protocol/failure.ts';

/** Part of a server's config that its client has to know; the launch config stays with the adapter. */
export interface ClientPlan {
  /** Number of the launch config: a changed command, environment, URL … is a generation of its own. */
  readonly generation: number;
  /**
   * Counts what may have changed the values in them: definitions of inputs, variables, answers. With another number its
   * launch spec is resolved again, and a server that runs is restarted only if that differs.
   */
  readonly values: number;
  /** Whether it is a child process of ours; otherwise it is reached over HTTP, or lives in this host. */
  readonly hasProcess: boolean;
  /** Connects at once, when it is needed, or only when it is told to (`auto_connect` off). */
  readonly start: 'eager' | 'lazy' | 'byHand';
  /** After which ends it connects again: any, all but a clean one, none. */
  readonly restart: 'always' | 'on-failure' | 'never';
  /** Failures in a row after which it rests as `open`. */
  readonly budget: number;
  /** Whether changes that the server tells of are heard; otherwise lists are polled only. */
  readonly hearsChanges: boolean;
  /** Refreshes of a list that may fail in a row before its entries are taken back. */
  readonly refreshFailures: number;
  /** Whether it has a VRL program: results without an error go through that. */
  readonly isTransformed: boolean;
  /** A result of its tools with more bytes of JSON is cut; 0 = it may have any size. */
  readonly resultBytes: number;
  readonly timing: TimingOf<'client'>;
}
export interface ClientStart extends ClientPlan {
  readonly server: string;
  /** Lists of the server from its last good run. */
  readonly cached: Lists | null;
  /** Failures of this launch config so far: a server that is put back goes on counting there. */
  readonly spent: Spent;
}
/** How often a launch config has failed in a row, and how the last time. */
export interface Spent {
  readonly attempt: number;
  readonly failure: Failure | null;
  /** Whether it came up again after that: then it is started, however often it has failed before. */
  readonly isUp?: boolean;
}
/** A call that its computer has resolved to this server. */
export interface ServerCall extends CallRequest {
  /** Whether the asker has confirmed it, or a person has for as long as the computer lives. */
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
  /** Cancels the calls of an asker that is gone. */
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  /** A call that waits for it may run. */
  | ServerWanted
  | { readonly type: 'server.start' }
  /** Finishes its calls first; told a second time it hurries. */
  | { readonly type: 'server.stop' }
  /**
   * Another generation is connected instead of this one, which comes back should the new one not start. With other
   * `values` its launch spec is resolved again.
   */
  | ServerUpdate
  | ResourcesWatch
  /** Reads the list of resources again (resources/collections). */
  | ResourcesRelist
  /** Lets it connect now. */
  | { readonly type: 'permit.granted' }
  | { readonly type: 'close' };
export const clientKind = kindOf<ClientStart, ClientOrder>('client');
export type ClientStage = Exclude<ServerState, 'disabled' | 'needsInput' | 'unsupported'>;
export type ClientNews =
  | ClientChanged
  /** Handshake that takes longer than usual. */
  | ClientWaits
  /** Asks to connect; `again`: after a failure. */
  | { readonly type: 'permit.wanted'; readonly server: string; readonly again: boolean }
  /** Gives its permit back: it is slow, and others need not wait for it. */
  | { readonly type: 'permit.released'; readonly server: string }
  /** Ready for so long that its failures before count no more. */
  | { readonly type: 'server.proven'; readonly server: string }
  /** Back at `generation`: what it was changed to could not be started. */
  | {
      readonly type: 'server.rolledBack';
      readonly server: string;
      readonly generation: number;
      readonly failure: Failure | null;
    }
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | ResourcesWatched
  /** Resources of a server that is ready. */
  | {
      readonly type: 'server.shows';
      readonly server: string;
      readonly resources: NonNullable<Capabilities['resources']>;
    };
/** News of each stage, for the owner. */
export interface ClientChanged {
  readonly type: 'client.changed';
  readonly server: string;
  readonly stage: ClientStage;
  /** Whether its tools may be called: it is ready, or starts when it is needed. */
  readonly isOffered: boolean;
  readonly failure: Failure | null;
  readonly attempt: number;
  /** How long at most until it tries again by itself; null: it does not. */
  readonly nextTryMs: number | null;
}
/** Messages to the owner, from the client and from its calls and lists. */
type OwnerHears = ClientNews | CatalogNews | CatalogListed | CatalogRestless | ToolApproved;
export type ClientInput = ClientStart & { readonly self: Address; readonly owner: AddressFor<OwnerHears> };
export interface ClientContext extends ClientInput {
  /** Number of the launch spec as it was resolved last; 0: it never was. */
  readonly spec: number;
  /** Plan that the launch spec was resolved of; null: it never was. */
  readonly resolved: Pick<ClientPlan, 'generation' | 'values'> | null;
  readonly process: Address;
  /** Whether its process may be alive. */
  readonly ownsProcess: boolean;
  readonly info: ServerInfo | null;
  /** While its session is not open, as its port said last. */
  readonly waits?: Waits | null;
  readonly catalogs: readonly CatalogList[];
  /** Lists that are being read again. */
  readonly refreshing: readonly CatalogList[];
  readonly hasWatch: boolean;
  readonly attempt: number;
  readonly inFlight: number;
  /** All calls so far, and how many they were when it was last looked at. */
  readonly calls: number;
  readonly callsSeen: number;
  readonly idleMs: number;
  readonly failure: Failure | null;
  /** Whether it was ready since its last launch, and then ended by itself with exit code 0. */
  readonly wasReady: boolean;
  readonly endedWell: boolean;
  readonly wasKilled: boolean;
  /** Calls wait until it is ready. */
  readonly isHolding: boolean;
  /** Whether its session was expired and renewed, and has not proved itself since. */
  readonly isRenewed: boolean;
  readonly pings: 'untried' | 'answered' | 'off';
  /** Next stage at the end of its way down. */
  readonly goal: 'stop' | 'rest' | 'again' | 'end';
  /** Plan to go back to should the new one not start. */
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
 * Question to the port `spec` at each start of a server: fill in its placeholders. Answered by `Resolved`, or refused
 * with why a value cannot be had (`InputNotFound`, `ConfigInvalid`). Takes as long as the person who is asked for a value.
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
 * Question to the port `login` when a server wants a login. Answered when there is one; refused with why there is
 * none (`Unauthorized`). `ask.progress` while a person is waited for, its `message` saying where; `ask.began` when the
 * person came back. Takes as long as that person.
 */
export interface LogIn {
  readonly server: string;
}
