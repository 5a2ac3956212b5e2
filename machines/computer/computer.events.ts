/** What a computer is told, what it tells, and what it remembers. */
import type { Taken as Consequences } from '../kernel/taken.ts';
import { type CallAsked, type Caller, type ComputerCall, type ToolApproved } from '../call/call.rules.ts';
import type { CatalogListed, CatalogNews, CatalogRestless } from '../catalog/catalog.machine.ts';
import { type ToolTable, type ToolRules } from '../catalog/tool-table.ts';
import type { Changes } from '../catalog/changes.ts';
import type { CatalogList, Lists, Tool } from '../catalog/entries.ts';
import {
  type ClientChanged,
  type ClientNews,
  type ClientPlan,
  type ClientStage,
  type Spent,
} from '../client/client.events.ts';
import { type Address, type AddressFor, type DirectoryEvent } from '../kernel/effects.ts';
import type { Capabilities, Waits } from '../ports/session.ts';
import { type Timing } from '../kernel/timing.ts';
import { type LinkNews, type LinkStart } from '../link/link.events.ts';
import type { ToolsWanted } from '../link/questions.ts';
import type { Failure } from '../protocol/failure.ts';
import type { SmcpTool } from '../protocol/messages/collections.ts';
import type { AggregateWanted, AggregatorNews, ResourceWanted } from '../resources/aggregator.rules.ts';
import type { Participation } from '../resources/collections.ts';
import type { ResourcesWanted } from '../resources/resource-pages.ts';
import type { BlobWanted } from '../blobs/blobs.rules.ts';
import type { SkillsNews, SkillsWanted, SkillWanted } from '../skills/skills.rules.ts';
import type { Declared } from '../protocol/messages/blobs.ts';
import type { Landing } from '../uploads/upload.rules.ts';
import type { ConnectPermits } from './permits.rules.ts';

/** Without the launch config, which only the launching adapter holds. */
export interface ServerPlan {
  readonly rules: ToolRules;
  readonly client: ClientPlan;
  /** Hash of the launch config; its failure count survives removal of the server from the config. */
  readonly fingerprint: string;
  readonly cached: Lists | null;
  /** To be declared for its windows and documents to be shown; `subscribe` by default. */
  readonly participation?: Participation;
  /** Addresses and paths of its machine, in failures sent to agents; false by default. */
  readonly exposesAddresses?: boolean;
}
export const nameIn = (plan: ServerPlan): string => plan.rules.server;
export const bundleOf = ({ rules: { server, bundleId = server } }: ServerPlan): string => bundleId;
export interface ComputerStart {
  readonly servers: readonly ServerPlan[];
  readonly link: Omit<LinkStart, 'timing'> | null;
  /** Answer to `client:get_config`, with secrets hidden. */
  readonly shown: object;
  readonly timing: Timing;
  /** Number of recent calls; 10 by default. */
  readonly remembered?: number;
  /** For a replay that starts in the middle of a recording; none by default. */
  readonly failed?: Readonly<Record<string, Spent>>;
}
/** Complete: removed servers are closed, new ones started, the others kept. */
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
/** The limit of a call that had to wait; it started when the call arrived. */
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
  /** In place of earlier ones of `by` (the host, a Desktop, a Finder, the skills). */
  | {
      readonly type: 'resources.watch';
      readonly server: string;
      readonly uris: readonly string[];
      readonly by: string;
    }
  /** Answered by `aggregate.shown` and `resource.read`. */
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>
  /** Ignored when the computer already has a link. */
  | { readonly type: 'office.join'; readonly link: Omit<LinkStart, 'timing'> }
  | { readonly type: 'office.leave' }
  | { readonly type: 'skills.look' }
  | SkillsWanted
  | SkillWanted
  /** Null closes it, and ends all uploads. */
  | { readonly type: 'landing.set'; readonly landing: Landing | null }
  | BlobWanted
  /** From now on each call is refused; those that run go on. */
  | { readonly type: 'calls.refuse' }
  | { readonly type: 'close' };
export type ComputerNews =
  | { readonly type: 'computer.changed'; readonly stage: 'whole' | 'degraded' | 'closing' }
  | ClientChanged
  | Extract<ClientNews, { type: 'server.rolledBack' | 'resource.updated' }>
  | CatalogNews
  | Extract<AggregatorNews, { type: 'aggregate.changed' | 'aggregate.noticed' }>
  | Exclude<SkillsNews, { type: 'resources.watch' }>
  /** Also when the reason changed; null: they are back. */
  | { readonly type: 'tools.withdrawn'; readonly server: string; readonly failure: Failure | null }
  /** Some or all cannot be called, or other ones than before; null: all can be called. */
  | { readonly type: 'tools.refused'; readonly server: string; readonly failure: Failure | null }
  /** It changes with each read and is read more rarely; null: no list does so any more. */
  | { readonly type: 'list.restless'; readonly server: string; readonly failure: Failure | null }
  | { readonly type: 'name.shared'; readonly failure: Failure }
  | { readonly type: 'server.removed'; readonly server: string }
  | Extract<LinkNews, { type: 'link.changed' }>
  /** The fields hold tool names. */
  | ({ readonly type: 'tools.changed' } & Changes)
  | { readonly type: 'machine.failed'; readonly name: Address; readonly error: string };
export type ComputerInput = ComputerStart & {
  readonly self: Address;
  readonly owner: AddressFor<ComputerNews>;
};
export type ComputerQuestion =
  | ToolsWanted
  | SkillsWanted
  | SkillWanted
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>;
export interface WithdrawnTools {
  readonly names: readonly string[];
  readonly failure: Failure;
}
/** Valid while its caller is connected and the launch config of the server is unchanged. */
interface Approval {
  readonly tool: string;
  readonly caller: Caller;
}
export interface OpenUpload {
  readonly agent: string;
  readonly declared: Declared;
}
export interface ComputerContext extends ComputerInput {
  /** Kept while the server is down, so that a call is refused with the reason. */
  readonly catalogs: Readonly<Record<string, readonly Tool[]>>;
  readonly table: ToolTable;
  readonly withdrawn: Readonly<Record<string, WithdrawnTools>>;
  readonly restless: Readonly<Record<string, Readonly<Partial<Record<CatalogList, Failure>>>>>;
  readonly reasons: Readonly<Record<string, string>>;
  readonly stages: Readonly<Record<string, ClientStage>>;
  readonly waits?: Readonly<Record<string, Waits>>;
  readonly up: Readonly<Record<string, boolean>>;
  readonly offered: readonly SmcpTool[];
  readonly signature: string;
  readonly configRevision: number;
  readonly permits: ConnectPermits;
  /** By fingerprint of the launch config. */
  readonly spent: Readonly<Record<string, Spent>>;
  /** Removed from the config, but still shutting down. */
  readonly leaving: readonly string[];
  /** Without a client, because its machine failed too often. */
  readonly givenUp: readonly string[];
  /** Oldest first; the display order of servers follows from it. */
  readonly recent: readonly { readonly server: string }[];
  /** Resource capabilities declared by each ready server that has resources. */
  readonly shows: Readonly<Record<string, NonNullable<Capabilities['resources']>>>;
  readonly resources: Readonly<Record<string, readonly { readonly uri: string }[]>>;
  /** Since the server became ready; the value is why the list could not be read, else null. */
  readonly listed: Readonly<Record<string, string | null>>;
  /** Machines of its own that it has opened, each when it was first needed. */
  readonly opened: readonly ('collections' | 'skills' | 'blobs')[];
  readonly landing: Landing | null;
  readonly uploads: Readonly<Record<string, OpenUpload>>;
  readonly approved: Readonly<Record<string, readonly Approval[]>>;
  /** True when calls are refused, because the computer is about to close. */
  readonly isDraining?: true;
  /** Calls of unknown tools that a starting server may still provide. */
  readonly waiting: readonly ComputerCall[];
  /** Server of each call that had to wait, by ticket; kept until the limit of its caller is over. */
  readonly waited: Readonly<Record<string, string>>;
  /** Null when questions no longer wait. */
  readonly asked: readonly ComputerQuestion[] | null;
  readonly listsWanted: readonly ResourcesWanted[];
  readonly open: number;
  readonly reopens: number;
}
export type ComputerEvent =
  | ComputerOrder
  | ClientNews
  | CatalogNews
  | CatalogListed
  | CatalogRestless
  | AggregatorNews
  | SkillsNews
  | LinkNews
  | ToolApproved
  | CallAsked
  | CallOverdue
  | { readonly type: 'resources.overdue'; readonly ticket: string }
  | { readonly type: 'questions.due' }
  | DirectoryEvent
  | { readonly type: 'deadline.passed' };
/** What a row or a rule of a computer says. */
export type Taken = Consequences<ComputerContext, ComputerEvent>;
