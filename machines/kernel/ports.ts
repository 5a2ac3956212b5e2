import { fromCallback, type CallbackActorLogic, type EventObject } from 'xstate';
import type { Address, AnyEvent } from './effects.ts';
import type { Digits } from '../protocol/json.ts';
import type { Failure } from '../protocol/failure.ts';
import type { CancelReason, Progress, TraceContext } from '../protocol/messages/messages.ts';
import type { UploadPart } from '../protocol/messages/blobs.ts';
import type { Notification, NotificationFact } from '../protocol/notifications.ts';

/** In order; the directory unpacks the batch, so adapters never see it. */
export interface Batch<Command extends EventObject> {
  readonly type: 'batch';
  readonly commands: readonly Command[];
}

/** `actors/runtime/assemble.ts` plugs adapters in, a scenario fakes; both pass `scenarios/contracts`. */
export const callbackPort = <Input, Command extends EventObject>(
  name: string,
): CallbackActorLogic<Command | Batch<Command>, Input> =>
  fromCallback<Command | Batch<Command>, Input>(() => {
    throw new Error(`port not provided: ${name}`);
  });

// ── process: one child in a group of its own ────────────────────────────────────────────────────────────
export interface ProcessInput {
  /** The adapter knows its launch config (command, environment, working directory). */
  readonly server: string;
  readonly generation: number;
  /** The launch config with its placeholders filled in; the adapter starts this spec. */
  readonly spec: number;
  /** The ledger of live processes keeps the child under it; a session finds its streams by it. */
  readonly key: Address;
}
/** Orders to a child process: close its stdin, or send it a signal. */
export type ProcessCommand =
  | { readonly type: 'child.closeStdin' }
  | { readonly type: 'child.signal'; readonly signal: 'SIGTERM' | 'SIGKILL' };
/** Facts about a child process: its start, a failed start, its exit, and the end of its process group. */
export type ProcessFact =
  | { readonly type: 'child.started'; readonly pid: number }
  /**
   * Reports a child that never ran. `isFinal`: a retry without a change would fail in the same way (ENOENT, EACCES,
   * …).
   */
  | { readonly type: 'child.failed'; readonly message: string; readonly isFinal?: boolean }
  /**
   * Reports that the main process of the child ended and its output was read to the end. `left` counts the living
   * members of its process group (no zombies); above 0, `group.emptied` follows once they are gone. `stderr` holds
   * the last 64 KiB, `recent` the part of it from the 5 s before the end; without `recent` all of it is that young.
   */
  | {
      readonly type: 'child.exited';
      readonly code: number | null;
      readonly signal: string | null;
      readonly stderr: string;
      readonly recent?: string;
      readonly left: number;
    }
  | { readonly type: 'group.emptied' };
export const processPort = callbackPort<ProcessInput, ProcessCommand>('process');

// ── session: one MCP client, over the streams of a process, over HTTP, or inside this host ─────────────
export interface SessionInput {
  readonly server: string;
  readonly generation: number;
  readonly spec: number;
  readonly key: Address;
  /** Its streams carry the session; null when the session needs no process. */
  readonly process: Address | null;
}
/** End of the session with an MCP server, and its reason. */
export interface SessionLost {
  /** Reason in one sentence for a person, without secrets. */
  readonly reason: string;
  /** Tells that the server forgot this session and demands a new handshake. */
  readonly isExpired?: true;
  /** Tells that the server no longer accepts the login (HTTP 401). */
  readonly wantsLogin?: true;
}
/** Facts about the session with an MCP server. */
export type SessionFact =
  /** Reports a session that is connected and initialized. */
  | { readonly type: 'session.opened'; readonly info: ServerInfo }
  | SessionWaits
  | { readonly type: 'session.failed'; readonly failure: Failure }
  /** Reports a broken stream; pending requests are refused before this fact. */
  | ({ readonly type: 'session.lost' } & SessionLost)
  /**
   * Reports a changed list, also from a server that did not declare such notifications; only after `session.opened`.
   */
  | { readonly type: 'list.changed'; readonly list: ListKind }
  | { readonly type: 'resource.updated'; readonly uri: string };
export const sessionPort = callbackPort<SessionInput, EventObject>('session');

/** Facts about a `PortRequest` (effects.ts): any number of interim facts, then exactly one answer. */
export type RequestFact =
  /** Reports that the question was not sent yet; `ahead` others in the queue come first. */
  | { readonly type: 'ask.waiting'; readonly id: string; readonly ahead: number }
  /** Reports that the question was taken from the queue and is sent now. */
  | { readonly type: 'ask.began'; readonly id: string }
  | ({ readonly type: 'ask.progress'; readonly id: string } & Progress)
  /** Reports that the other side waits for an answer of this host to its request `method`; until `ask.freed`. */
  | { readonly type: 'ask.held'; readonly id: string; readonly method: string }
  /** Reports that this host owes no answer any more, after `ms`. */
  | { readonly type: 'ask.freed'; readonly id: string; readonly ms: number }
  | {
      readonly type: 'ask.answered';
      readonly id: string;
      readonly result: unknown;
      /** Size in bytes of the message with the result of a tool; given from `manyBytes` on (protocol/protocol.ts). */
      readonly bytes?: number;
      /**
       * Integers in the result of a tool that a JavaScript number cannot hold exactly, with their original digits.
       */
      readonly digits?: readonly Digits[];
    }
  /**
   * Reports a question without a result. `sent: false`: it surely never reached the other side. `lost: true`: it was
   * sent and will not be answered; with `alone` the connection survives, so no further fact follows. Otherwise the
   * other side answered with an error.
   */
  | {
      readonly type: 'ask.refused';
      readonly id: string;
      readonly failure: Failure;
      readonly sent: boolean;
      readonly lost?: boolean;
      readonly alone?: boolean;
    };

const passing: ReadonlySet<string> = new Set([
  'ask.waiting',
  'ask.began',
  'ask.progress',
  'ask.held',
  'ask.freed',
] satisfies RequestFact['type'][]);
/** No more facts about the question follow it. */
export const isAnswer = (type: string | undefined): boolean => type !== undefined && !passing.has(type);

// ── link: seat of this host in an office, as a Socket.IO client ────────────────────────────────────────
export interface LinkInput {
  readonly url: string;
  readonly role: 'agent' | 'computer';
  readonly name: string;
  readonly office: string;
  readonly key: Address;
  readonly version: string;
}
export type LinkCommand =
  | { readonly type: 'link.join' }
  /** After all pending calls are answered. */
  | { readonly type: 'link.leave' }
  /** An unknown ticket (its connection is gone) is ignored. */
  | { readonly type: 'link.answer'; readonly ticket: string; readonly body: unknown }
  /** When reports come too fast, only the latest is sent. */
  | ({ readonly type: 'link.progress'; readonly ticket: string } & Progress)
  | { readonly type: 'link.announce'; readonly event: Notification['event'] };
/** `ticket`: the pending acknowledgement; `reqId`: the id chosen by the agent. */
export interface AgentCalled {
  readonly type: 'agent.called';
  readonly ticket: string;
  readonly reqId: string;
  /** Registered name, which the office wrote into the call. */
  readonly agent: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** 0 = no limit. */
  readonly timeoutMs: number;
  readonly mostMs?: number;
  readonly trace?: TraceContext;
  readonly wantsProgress?: boolean;
}
export type LinkFact =
  | { readonly type: 'link.up' }
  /** `refusal`: the office rejected our version or credential; `version`: the protocol version of the office. */
  | {
      readonly type: 'link.refused';
      readonly reason: string;
      readonly refusal?: 'version' | 'credential';
      readonly version?: string;
    }
  | { readonly type: 'link.down'; readonly reason: string }
  | { readonly type: 'join.accepted' }
  | { readonly type: 'join.refused'; readonly text: string }
  | { readonly type: 'leave.done' }
  | AgentCalled
  /** Its `reqId` is already in use by a pending call on this link. */
  | (Omit<AgentCalled, 'type'> & { readonly type: 'agent.repeated' })
  /** By its agent or (with a `reason`) by the office. */
  | { readonly type: 'agent.cancelled'; readonly ticket: string; readonly reason?: CancelReason }
  | { readonly type: 'agent.askedTools'; readonly ticket: string; readonly reqId: string }
  | { readonly type: 'agent.askedConfig'; readonly ticket: string; readonly reqId: string }
  /** `query` has the form of the wire. */
  | {
      readonly type: 'agent.askedCollection';
      readonly collection: ResourceCollection;
      readonly ticket: string;
      readonly reqId: string;
      readonly query: object;
    }
  | { readonly type: 'agent.askedSkills'; readonly ticket: string; readonly reqId: string }
  /** `SKILL.md` by default. */
  | {
      readonly type: 'agent.askedSkill';
      readonly ticket: string;
      readonly reqId: string;
      readonly name: string;
      readonly relPath?: string;
      readonly reader?: string;
    }
  | {
      readonly type: 'agent.askedBlob';
      readonly ticket: string;
      readonly reqId: string;
      readonly handle: string;
      readonly offset: number;
      readonly maxBytes: number;
      readonly reader: string;
    }
  | {
      readonly type: 'agent.askedResources';
      readonly ticket: string;
      readonly reqId: string;
      readonly server: string;
      readonly cursor?: string;
    }
  /** The connection keeps its bytes until the ticket is answered. */
  | ({
      readonly type: 'agent.putPart';
      readonly ticket: string;
      readonly reqId: string;
      readonly agent: string;
    } & UploadPart)
  /** URIs that are neither `window://` nor `dpe://` were refused before. */
  | {
      readonly type: 'agent.askedResource';
      readonly collection: ResourceCollection;
      readonly ticket: string;
      readonly reqId: string;
      readonly uri: string;
      readonly server?: string;
    }
  /** The calls of that agent need no answer any more. */
  | { readonly type: 'agent.left'; readonly agent: string }
  | { readonly type: 'computer.entered'; readonly computer: string }
  | { readonly type: 'computer.left'; readonly computer: string }
  | NotificationFact;
export const linkPort = callbackPort<LinkInput, LinkCommand>('link');

// ── office: the Socket.IO server ───────────────────────────────────────────────────────────────────────
export const officePort = callbackPort<OfficeInput, OfficeCommand>('office');

// ── instances of ports ─────────────────────────────────────────────────────────────────────────────────
/** Reports a fact to the owner of a port: immediately, in order, and never after the port was closed. */
export type Emit<Fact> = (fact: Fact) => void;
/**
 * Running instance of a port; it lives as long as the state that invoked it. `close` is final, synchronous and never
 * throws.
 */
export interface PortInstance<Command = AnyEvent> {
  /** Gives the port a command; ignored after `close`. */
  tell(command: Command): void;
  /** Closes the port, whatever it is doing. */
  close(): void;
}
export interface Ports {
  process(at: Address, input: ProcessInput, emit: Emit<ProcessFact>): PortInstance<ProcessCommand>;
  session(at: Address, input: SessionInput, emit: Emit<SessionFact>): PortInstance;
  link(at: Address, input: LinkInput, emit: Emit<LinkFact>): PortInstance<LinkCommand>;
  office(at: Address, input: OfficeInput, emit: Emit<OfficeFact>): PortInstance<OfficeCommand>;
  request: RequestPort;
}
/** Asks a question; the returned function withdraws it (a question in flight is cancelled at the other side). */
export type RequestPort = (
  from: Address,
  request: { id: string; target: Address; method: string; params?: unknown; limiter?: string },
  emit: Emit<RequestFact>,
) => () => void;

/** Lists of an MCP server that can change on their own. Resource templates change together with the resources. */
export type ListKind = 'tools' | 'resources' | 'prompts';
/** Collections that a computer builds from the resources of its servers: Desktop and Finder. */
export type ResourceCollection = 'desktop' | 'finder';

/** Capabilities that a server declared at the handshake. Undeclared ones are never used. */
export interface Capabilities {
  /** Tool support; null when the server has no tools. `listChanged`: the server announces changes of the list. */
  readonly tools: { readonly listChanged: boolean } | null;
  /**
   * Resource support; null when the server has no resources. `subscribe`: the server announces changes of subscribed
   * resources.
   */
  readonly resources: { readonly listChanged: boolean; readonly subscribe: boolean } | null;
  /** Prompt support; null when the server has no prompts. */
  readonly prompts: { readonly listChanged: boolean } | null;
  /** Tells whether the server completes arguments of prompts and resource templates. */
  readonly completions: boolean;
  /** Tells whether the log level of the server can be set. */
  readonly logging: boolean;
}
/** Information that a server gave about itself at the handshake. */
export interface ServerInfo {
  /** Name that the MCP server gives itself. */
  readonly name: string;
  /** Version of the server, in any format. */
  readonly version: string;
  /** Revision of MCP on which client and server agreed, such as `2025-06-18`. */
  readonly protocolVersion: string;
  /** Capabilities that the server declared; undeclared ones are never used. */
  readonly capabilities: Capabilities;
  /** Icon and description (or title) that the server offers for display. */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
}

/** Wait of a session that is not open yet, as reported by its port, because a machine has no clock. */
export interface Waits {
  /**
   * Step that the session waits for: the connection to the URL, the response headers, or the answer to `initialize`.
   */
  readonly for: 'connection' | 'headers' | 'initialize';
  /** Start of the wait in ISO 8601, by the clock of the port. */
  readonly since: string;
  /**
   * Text that arrived but is no valid answer: one line, secrets hidden, at most 400 characters; empty when nothing
   * arrived.
   */
  readonly came: string;
}
/**
 * Report of a handshake that takes longer than a second: sent then, and at most once a second when the awaited step
 * changes.
 */
export interface SessionWaits {
  readonly type: 'session.waits';
  /** Step that the session waits for, since when, and what arrived meanwhile. */
  readonly waits: Waits;
}
export interface ClientWaits {
  readonly type: 'client.waits';
  readonly server: string;
  readonly waits: Waits;
}

export interface OfficeInput {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly requireVersion?: boolean;
  /** One of several nodes; a seat is granted only after the shared register agreed. */
  readonly isShared?: boolean;
}
/** Seat in an office: room, role and name. */
export interface SeatFacts {
  /** Id of the room. One office server has many rooms, and messages stay inside their room. */
  readonly office: string;
  /** Role of the peer. A room has one agent and any number of computers. */
  readonly role: 'agent' | 'computer';
  /** Name that the peer gives itself; unique among the computers of its room. */
  readonly name: string;
}
export type OfficeCommand =
  /** Two-argument acknowledgement `(ok, text | null)` of a join or a leave. */
  | {
      readonly type: 'office.answer';
      readonly ticket: string;
      readonly ok: boolean;
      readonly text: string | null;
    }
  /** Asks the shared register of all nodes; `office.unclaim` returns a seat that is not taken after all. */
  | {
      readonly type: 'office.claim';
      readonly socket: string;
      readonly ticket: string;
      readonly seat: SeatFacts;
    }
  | { readonly type: 'office.unclaim'; readonly socket: string; readonly seat: SeatFacts }
  /** From now on it receives routed messages and broadcasts. */
  | { readonly type: 'office.seat'; readonly socket: string; readonly seat: SeatFacts }
  /** Refuses all that is new; `office.drained` follows once no answer is pending. */
  | { readonly type: 'office.drain' }
  /** Calls that wait for this peer are answered at once. */
  | { readonly type: 'office.unseat'; readonly socket: string }
  | {
      readonly type: 'office.broadcast';
      readonly office: string;
      readonly except: string;
      readonly event: 'notify:enter_office' | 'notify:leave_office';
      readonly body: object;
    };
export type OfficeFact =
  /** Sent only while the socket exists. `text`: reason of a refusal. */
  | {
      readonly type: 'claim.settled';
      readonly socket: string;
      readonly ticket: string;
      readonly seat: SeatFacts;
      readonly text: string | null;
    }
  | { readonly type: 'office.opened'; readonly url: string; readonly port: number }
  | { readonly type: 'office.failed'; readonly message: string }
  | { readonly type: 'office.drained' }
  | {
      readonly type: 'socket.opened';
      readonly socket: string;
      /** And its declared version; both absent for a peer that has all features. */
      readonly misses?: readonly string[];
      readonly version?: string;
    }
  | { readonly type: 'socket.closed'; readonly socket: string; readonly reason: string }
  | {
      readonly type: 'socket.joins';
      readonly socket: string;
      readonly ticket: string;
      readonly seat: SeatFacts;
    }
  | {
      readonly type: 'socket.leaves';
      readonly socket: string;
      readonly ticket: string;
      readonly office: string;
    };
