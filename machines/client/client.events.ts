import type { ServerState } from '../server-state.ts';
import { kindOf, type Address, type AddressFor, type DirectoryEvent } from '../kernel/effects.ts';
import type { CatalogList, Lists } from '../catalog/entries.ts';
import type { ToolMeta } from '../catalog/tool.ts';
import type { CallRequest, ServerWanted, CallAsked, ToolApproved } from '../call/call.rules.ts';
import type {
  CatalogListed,
  CatalogNews,
  CatalogRestless,
  CatalogRefreshing,
  CatalogSettled,
} from '../catalog/catalog.machine.ts';
import type { Capabilities, ClientWaits, ServerInfo, Waits } from '../ports/session.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { ConnectionEnd, ConnectionNews } from './connection.machine.ts';
import type { ResourcesRelist } from '../resources/collections.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { ResourcesWatched } from '../resources/watch.machine.ts';
import type { Failure } from '../protocol/failure.ts';

/** The launch config itself stays with the adapter. */
export interface ClientPlan {
  /** Every changed command, environment, URL … is a new generation. */
  readonly generation: number;
  /** Counts changes of inputs, variables and answers; on a change the launch spec is resolved again. */
  readonly values: number;
  readonly hasProcess: boolean;
  /** `byHand`: only when told to (`auto_connect` off). */
  readonly start: 'eager' | 'lazy' | 'byHand';
  readonly restart: 'always' | 'on-failure' | 'never';
  /** Failures in a row after which the server is given up (state `open`). */
  readonly budget: number;
  readonly hearsChanges: boolean;
  readonly refreshFailures: number;
  /** A VRL program transforms results without an error. */
  readonly isTransformed: boolean;
  /** Bytes of JSON; a larger result is cut. 0 = no limit. */
  readonly resultBytes: number;
  /** A client outside of this runtime speaks to it (`a2c-actors/transport`); no lists are read here. */
  readonly isRelayed?: true;
  readonly timing: TimingOf<'client'>;
}
export interface ClientStart extends ClientPlan {
  readonly server: string;
  readonly cached: Lists | null;
  /** A re-added server continues this count. */
  readonly spent: Spent;
}
export interface Spent {
  readonly attempt: number;
  readonly failure: Failure | null;
  /** Became ready after these failures; it may then be started, whatever their number. */
  readonly isUp?: boolean;
}
export interface ServerCall extends CallRequest {
  readonly isConfirmed: boolean;
  readonly meta: ToolMeta | null;
  readonly hasOutput: boolean;
}
interface ServerUpdate {
  readonly type: 'server.update';
  readonly plan: ClientPlan;
}
export interface ResourcesWatch {
  readonly type: 'resources.watch';
  readonly uris: readonly string[];
  readonly by: string;
}
export type ClientOrder =
  | ServerCall
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  | ServerWanted
  | { readonly type: 'server.start' }
  /** After its running calls; a second stop cancels them sooner. */
  | { readonly type: 'server.stop' }
  /** If the new generation does not start, the old one returns. Different `values` resolve the spec again. */
  | ServerUpdate
  | ResourcesWatch
  | ResourcesRelist
  | { readonly type: 'permit.granted' }
  | { readonly type: 'close' };
export const clientKind = kindOf<ClientStart, ClientOrder>('client');
export type ClientStage = Exclude<ServerState, 'disabled' | 'needsInput' | 'unsupported'>;
export type ClientNews =
  | ClientChanged
  | ClientWaits
  /** `again`: after a failure. */
  | { readonly type: 'permit.wanted'; readonly server: string; readonly again: boolean }
  /** This server is slow, and other servers need not wait for it. */
  | { readonly type: 'permit.released'; readonly server: string }
  /** Ready for long enough to clear its earlier failures. */
  | { readonly type: 'server.proven'; readonly server: string }
  /** Return to the generation `generation`, because the new one could not be started. */
  | {
      readonly type: 'server.rolledBack';
      readonly server: string;
      readonly generation: number;
      readonly failure: Failure | null;
    }
  | { readonly type: 'resource.updated'; readonly server: string; readonly uri: string }
  | ResourcesWatched
  | {
      readonly type: 'server.shows';
      readonly server: string;
      readonly resources: NonNullable<Capabilities['resources']>;
    };
export interface ClientChanged {
  readonly type: 'client.changed';
  readonly server: string;
  readonly stage: ClientStage;
  /** The server is ready, or starts on demand. */
  readonly isOffered: boolean;
  readonly failure: Failure | null;
  readonly attempt: number;
  /** The longest time; null when the client will not try on its own. */
  readonly nextTryMs: number | null;
}
type OwnerHears = ClientNews | CatalogNews | CatalogListed | CatalogRestless | ToolApproved | CallAsked;
export type ClientInput = ClientStart & { readonly self: Address; readonly owner: AddressFor<OwnerHears> };
export interface ClientContext extends ClientInput {
  /** What was last told to the owner. */
  readonly stage: ClientStage;
  /** What follows the end of the connection; `stay`: what the way of that end asks for. */
  readonly goal: 'stay' | 'stop' | 'rest' | 'again' | 'end';
  /** The plan that was last acted on. */
  readonly asked: Pick<ClientPlan, 'generation' | 'values'>;
  /** 0 = never resolved. */
  readonly spec: number;
  readonly info: ServerInfo | null;
  readonly waits: Waits | null;
  readonly catalogs: readonly CatalogList[];
  readonly refreshing: readonly CatalogList[];
  readonly hasWatch: boolean;
  readonly attempt: number;
  readonly inFlight: number;
  /** Since the last call, counted at each tick; negative until the first of them. */
  readonly idleMs: number;
  readonly failure: Failure | null;
  /** How the last connection ended. */
  readonly end: ConnectionEnd | null;
  /** An expired session was renewed and has not been stable since. */
  readonly isRenewed: boolean;
  readonly pings: 'untried' | 'answered' | 'off';
  /** The plan of the last connection, when the server became ready with it. */
  readonly readyPlan: ClientPlan | null;
  readonly fallback: ClientPlan | null;
}
export type ClientEvent =
  | ClientOrder
  | ConnectionNews
  | RequestFact
  | CatalogSettled
  | CatalogRefreshing
  | ResourcesWatched
  | DirectoryEvent
  | { readonly type: 'deadline.passed' };

export const specPort = 'spec';
/** At each start. Refused when a value is missing; no limit when a person is asked for one. */
export interface Resolve {
  readonly server: string;
  readonly generation: number;
}
/** The number of the spec changes exactly when its content changes. */
export interface Resolved {
  readonly spec: number;
}
export const loginPort = 'login';
/** No time limit. While a person is awaited: `ask.progress`, with the origin of the page in `message`. */
export interface LogIn {
  readonly server: string;
  /** Words of the server that refused the last request. */
  readonly said?: string;
}
