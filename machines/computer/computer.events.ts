/** What a computer is told, what it tells, and what it remembers. */
import type { Address, AddressFor } from '../kernel/address.ts';
import type { Caller, ComputerCall, ToolApproved } from '../call/messages.ts';
import type { AggregateWanted, AggregatorNews, ResourceWanted } from '../resources/aggregator.events.ts';
import type { CatalogListed, CatalogNews, CatalogRestless } from '../catalog/catalog.machine.ts';
import type { CatalogList, Changes, Lists, Tool, ToolRules, ToolTable } from '../catalog/index.ts';
import type { ClientChanged, ClientNews, ClientPlan, ClientStage, Spent } from '../client/client.events.ts';
import type { DirectoryEvent } from '../kernel/effects.ts';
import type { LinkNews, LinkStart, ToolsWanted } from '../link/link.machine.ts';
import type { Participation } from '../resources/participation.ts';
import type { Capabilities, Waits } from '../kernel/ports.ts';
import type { Timing } from '../kernel/timing.ts';
import type { ConnectPermits } from './connect-permits.ts';
import type { Failure } from '../protocol/failure.ts';
import type { SmcpTool } from '../protocol/messages/collections.ts';

/** One server of the config, without its launch config: that stays with the adapter that launches. */
export interface ServerPlan {
  readonly rules: ToolRules;
  readonly client: ClientPlan;
  /** Of its launch config: what is known of its failures outlives the server in the config. */
  readonly fingerprint: string;
  /** Lists of the server from its last good run. */
  readonly cached: Lists | null;
  /** What it has to declare so that it is looked through for windows and documents. Default `subscribe`. */
  readonly participation?: Participation;
  /** Agents are told addresses and paths of its machine in failures. Default: not. */
  readonly exposesAddresses?: boolean;
}
export interface ComputerStart {
  readonly servers: readonly ServerPlan[];
  readonly link: Omit<LinkStart, 'timing'> | null;
  /** Answer to `client:get_config`, secrets hidden. */
  readonly shown: object;
  readonly timing: Timing;
  /** How many calls are remembered. Default 10. */
  readonly remembered?: number;
  /** By server: how often it has failed in a row, where a recording begins in the middle of its life. Default: never. */
  readonly failed?: Readonly<Record<string, Spent>>;
}
/** The whole config as it is wanted from now on: what is gone is closed, what is new is started, the rest is kept. */
export interface ServersSet {
  readonly type: 'servers.set';
  readonly servers: readonly ServerPlan[];
  readonly shown: object;
}
export interface CallCancel {
  readonly type: 'call.cancel';
  readonly ticket: string;
  readonly reason: string;
}
/** The time of a call that had to wait for servers is over; it began when the call came. */
export interface CallOverdue {
  readonly type: 'call.overdue';
  readonly ticket: string;
}
export type ComputerOrder =
  | ComputerCall
  | ServersSet
  | CallCancel
  | { readonly type: 'server.start'; readonly server: string }
  | { readonly type: 'server.stop'; readonly server: string }
  /** The resources of one server of which `by` (the host, a Desktop, a Finder) wants to hear when they change, from now on. */
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: string;
    }
  /** Of the Desktop or the Finder of all servers; answered by `aggregate.shown` and `resource.read`. */
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>
  /** Takes a seat in an office; ignored while it has a link already. */
  | { readonly type: 'office.join'; readonly link: Omit<LinkStart, 'timing'> }
  | { readonly type: 'office.leave' }
  | { readonly type: 'close' };
/** What the host hears. */
export type ComputerNews =
  | { readonly type: 'computer.changed'; readonly stage: 'whole' | 'degraded' | 'closing' }
  | ClientChanged
  | Extract<ClientNews, { type: 'server.rolledBack' | 'resource.updated' }>
  | CatalogNews
  | Extract<AggregatorNews, { type: 'aggregate.changed' | 'aggregate.noticed' }>
  /** The tools of a server that is ready were withdrawn, or are for another reason than before; null: they are back. */
  | { readonly type: 'tools.withdrawn'; readonly server: string; readonly failure: Failure | null }
  /** Some or all of the tools of a server cannot be called, or others than before; null: all of them can. */
  | { readonly type: 'tools.refused'; readonly server: string; readonly failure: Failure | null }
  /** A list of a server is another one whenever it is read, so it is read ever less often; null: none is any more. */
  | { readonly type: 'list.restless'; readonly server: string; readonly failure: Failure | null }
  /** Several tools would have one name, and each has another one now. */
  | { readonly type: 'name.shared'; readonly failure: Failure }
  /** A server that was taken out of the config has ended. */
  | { readonly type: 'server.removed'; readonly server: string }
  | Extract<LinkNews, { type: 'link.changed' }>
  /** Of what is offered, by name. */
  | ({ readonly type: 'tools.changed' } & Changes)
  | { readonly type: 'machine.failed'; readonly name: Address; readonly error: string };
export type Input = ComputerStart & { readonly self: Address; readonly owner: AddressFor<ComputerNews> };
/** Questions about all servers, which wait for those that start. */
export type Question = ToolsWanted | Omit<AggregateWanted, 'history'> | Omit<ResourceWanted, 'history'>;
export interface WithdrawnTools {
  readonly names: readonly string[];
  readonly failure: Failure;
}
/** Holds as long as its caller is there, and the launch config of its server stays. */
export interface Approval {
  readonly tool: string;
  readonly caller: Caller;
}
export interface ComputerContext extends Input {
  /** The last known tools of each server, kept while it is down so that a call can say that it is. */
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly table: ToolTable;
  /** Servers whose tools were withdrawn: the names that these had, and why. */
  readonly withdrawn: Readonly<Record<string, WithdrawnTools>>;
  /** By server: lists that are another one whenever they are read, and what is said of them. */
  readonly restless: Readonly<Record<string, Readonly<Partial<Record<CatalogList, Failure>>>>>;
  /** Why each server failed the last time, of those that are not ready. */
  readonly reasons: Readonly<Record<string, string>>;
  /** The last news of each client. */
  readonly stages: Readonly<Record<string, ClientStage>>;
  /** What handshakes wait for that take longer; none that is over. */
  readonly waits?: Readonly<Record<string, Waits>>;
  /** Whose tools are offered. */
  readonly up: Readonly<Record<string, boolean>>;
  readonly offered: readonly SmcpTool[];
  readonly signature: string;
  /** Counts what `shown` has been. */
  readonly configRevision: number;
  readonly permits: ConnectPermits;
  /** By fingerprint. */
  readonly spent: Readonly<Record<string, Spent>>;
  /** Taken out of the config, and on their way down. */
  readonly leaving: readonly string[];
  /** Their machines failed too often: nobody lives there any more. */
  readonly givenUp: readonly string[];
  /** The servers of the last calls, the oldest first: the order in which servers are shown follows from them. */
  readonly recent: readonly { readonly server: string }[];
  /** What each ready server with resources declared of them. */
  readonly shows: Readonly<Record<string, NonNullable<Capabilities['resources']>>>;
  /** The last known resources of each server, also while it is down. */
  readonly resources: Readonly<Record<string, readonly { readonly uri: string }[]>>;
  /** Of which the resources are known since they became ready; and why not, where they could not be had. */
  readonly listed: Readonly<Record<string, string | null>>;
  /** Its Desktop and its Finder live: since a server had something to show, or somebody asked. */
  readonly hasCollections: boolean;
  /** By server: its tools that a person has allowed for the session, and to whom. */
  readonly approved: Readonly<Record<string, readonly Approval[]>>;
  /** Calls of tools that nobody has yet: a server that still starts may. */
  readonly waiting: readonly ComputerCall[];
  /** By ticket: those that had to wait and have a server now, until their caller's time is over. */
  readonly waited: Readonly<Record<string, string>>;
  /** Questions that wait for servers that start; null: nobody's waits any more. */
  readonly asked: readonly Question[] | null;
  readonly open: number;
  readonly reopens: number;
}
export type Event =
  | ComputerOrder
  | ClientNews
  | CatalogNews
  | CatalogListed
  | CatalogRestless
  | AggregatorNews
  | LinkNews
  | ToolApproved
  | CallOverdue
  /** Questions that waited for servers that start are taken now. */
  | { readonly type: 'questions.due' }
  | DirectoryEvent
  | { readonly type: 'deadline.passed' };
