/** Ports of machines: what each is opened with, the commands that it takes, the facts that it reports. */
import { fromCallback, type CallbackActorLogic, type EventObject } from 'xstate';
import type { Address } from './address.ts';
import type { Digits } from '../protocol/exact-numbers.ts';
import type { Failure } from '../protocol/failure.ts';
import type { CancelReason, Progress, TraceContext } from '../protocol/messages/messages.ts';
import type { Notification, NotificationFact } from '../protocol/notifications.ts';

/** Several commands to one port, in order; the directory takes it apart, so adapters never see it. */
export interface Batch<Command extends EventObject> {
  readonly type: 'batch';
  readonly commands: readonly Command[];
}

/**
 * The holes of the machines: what each needs from outside, as the facts it hears and the commands it gives.
 * `actors/runtime/assemble.ts` fills them with adapters, a scenario with scripted fakes; `scenarios/contracts` holds
 * the suite that both pass. A hole that was not filled fails by its name.
 */
export const callbackPort = <Input, Command extends EventObject>(
  name: string,
): CallbackActorLogic<Command | Batch<Command>, Input> =>
  fromCallback<Command | Batch<Command>, Input>(() => {
    throw new Error(`port not provided: ${name}`);
  });

// ── process: one child in a group of its own ────────────────────────────────────────────────────────────
export interface ProcessInput {
  /** The configured server whose launch config (command, env, cwd) the adapter knows. */
  readonly server: string;
  /** Number of its launch config: each change is a generation of its own. */
  readonly generation: number;
  /** Number of its launch spec, the launch config with the values of its placeholders. The adapter launches this. */
  readonly spec: number;
  /** The key under which the ledger keeps the live child; a session finds its streams by it. */
  readonly key: Address;
}
/** Orders to a child process. */
export type ProcessCommand =
  | { readonly type: 'child.closeStdin' }
  | { readonly type: 'child.signal'; readonly signal: 'SIGTERM' | 'SIGKILL' };
/** Facts about a child process. */
export type ProcessFact =
  | { readonly type: 'child.started'; readonly pid: number }
  /** A child that never ran. `isFinal`: another try without a change would fail in the same way (ENOENT, EACCES, …). */
  | { readonly type: 'child.failed'; readonly message: string; readonly isFinal?: boolean }
  /**
   * The leader ended and its pumps too. `left` counts living members of its group (zombies do not count);
   * when it is above 0, `group.emptied` follows once they are gone. `stderr` is the last 64 KiB;
   * `recent` is what of it came within 5 s before the end, by the clock of the host; left out: all of it.
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
  /** Number of its launch spec (URL and headers with their values), as with a process. */
  readonly generation: number;
  readonly spec: number;
  /** The name under which questions reach this session. */
  readonly key: Address;
  /** Process whose streams carry the session; null: it needs none. */
  readonly process: Address | null;
}
/** End of a session, and its reason. */
export interface SessionLost {
  /** Sentence for a person, with nothing secret. */
  readonly reason: string;
  /** The server forgot this session, and wants a new handshake. */
  readonly isExpired?: true;
  /** The server no longer takes its login (HTTP 401). */
  readonly wantsLogin?: true;
}
/** Facts about a session. */
export type SessionFact =
  /** Connected and initialized. */
  | { readonly type: 'session.opened'; readonly info: ServerInfo }
  | SessionWaits
  | { readonly type: 'session.failed'; readonly failure: Failure }
  /** The stream broke; pending requests are refused first. */
  | ({ readonly type: 'session.lost' } & SessionLost)
  /** Change of a list, also from a server that did not declare that it tells; only after `session.opened`. */
  | { readonly type: 'list.changed'; readonly list: ListKind }
  | { readonly type: 'resource.updated'; readonly uri: string };
export const sessionPort = callbackPort<SessionInput, EventObject>('session');

/** Answers to a `PortRequest`, see effects.ts; before the one answer any number of those that are none. */
export type RequestFact =
  /** Waits for its turn, and was not sent: `ahead` others come first. */
  | { readonly type: 'ask.waiting'; readonly id: string; readonly ahead: number }
  /** Sent now: its turn has come. */
  | { readonly type: 'ask.began'; readonly id: string }
  | ({ readonly type: 'ask.progress'; readonly id: string } & Progress)
  | {
      readonly type: 'ask.answered';
      readonly id: string;
      readonly result: unknown;
      /** Size of the message with the result of a tool, where it has more than `manyBytes` (protocol/protocol.ts). */
      readonly bytes?: number;
      /** Integers in the result of a tool that a number cannot hold, as they were written. */
      readonly digits?: readonly Digits[];
    }
  /**
   * `sent: false`: it surely never reached the other side. `lost: true`: it went out and will not be answered; `alone`:
   * the connection lives on, so no more will be said about it. Otherwise the other side answered with an error.
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
] satisfies RequestFact['type'][]);
/** Whether a fact is the one answer, after which nothing more is said to this question. */
export const isAnswer = (type: string | undefined): boolean => type !== undefined && !passing.has(type);

// ── link: our seat in an office, as a Socket.IO client ─────────────────────────────────────────────────
export interface LinkInput {
  readonly url: string;
  readonly role: 'agent' | 'computer';
  readonly name: string;
  readonly office: string;
  /** The name under which questions (`client:*`, `server:list_room`) go out over this link. */
  readonly key: Address;
  /** The version of the protocol that it says it speaks. */
  readonly version: string;
}
export type LinkCommand =
  | { readonly type: 'link.join' }
  /** Leaves the office once the calls that wait are answered. */
  | { readonly type: 'link.leave' }
  /** The one answer to a ticket. An unknown ticket (a connection that is gone) is dropped. */
  | { readonly type: 'link.answer'; readonly ticket: string; readonly body: unknown }
  /** Progress of the call of a ticket. Of what follows too fast only the last is said. */
  | ({ readonly type: 'link.progress'; readonly ticket: string } & Progress)
  | { readonly type: 'link.announce'; readonly event: Notification['event'] };
/** An agent's call at the door of a computer. `ticket` names the ack that waits, `reqId` is the agent's word. */
export interface AgentCalled {
  readonly type: 'agent.called';
  readonly ticket: string;
  readonly reqId: string;
  /** Registered name of the agent, as the office has put it into the call. */
  readonly agent: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** 0 = without limit. */
  readonly timeoutMs: number;
  /** Place of the call in a distributed trace. */
  readonly trace?: TraceContext;
  /** Whether the agent wants to hear how far it is. */
  readonly wantsProgress?: boolean;
}
export type LinkFact =
  | { readonly type: 'link.up' }
  /**
   * Could not connect. `refusal`: an office is there, and it said no to our version or credential. `version`: the one that
   * it speaks.
   */
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
  /** A call whose `reqId` already waits on this link. */
  | (Omit<AgentCalled, 'type'> & { readonly type: 'agent.repeated' })
  /** Call that is taken back: by its agent, or with a `reason` by its office. */
  | { readonly type: 'agent.cancelled'; readonly ticket: string; readonly reason?: CancelReason }
  | { readonly type: 'agent.askedTools'; readonly ticket: string; readonly reqId: string }
  | { readonly type: 'agent.askedConfig'; readonly ticket: string; readonly reqId: string }
  /** `query`: as the wire has it. */
  | {
      readonly type: 'agent.askedCollection';
      readonly collection: ResourceCollection;
      readonly ticket: string;
      readonly reqId: string;
      readonly query: object;
    }
  /** One resource; a URI of neither system is refused before. */
  | {
      readonly type: 'agent.askedResource';
      readonly collection: ResourceCollection;
      readonly ticket: string;
      readonly reqId: string;
      readonly uri: string;
      readonly server?: string;
    }
  /** An agent that is gone, told to computers: its calls need no answer any more. */
  | { readonly type: 'agent.left'; readonly agent: string }
  | { readonly type: 'computer.entered'; readonly computer: string }
  | { readonly type: 'computer.left'; readonly computer: string }
  | NotificationFact;
export const linkPort = callbackPort<LinkInput, LinkCommand>('link');

// ── office: the Socket.IO server ───────────────────────────────────────────────────────────────────────
export const officePort = callbackPort<OfficeInput, OfficeCommand>('office');

// ── how adapters and fakes present themselves to the directory ─────────────────────────────────────────
/** Teller of facts: at once, in order, and not at all after the port was closed. */
export type Emit<Fact> = (fact: Fact) => void;
/** A port that lives as long as the state that invoked it. `close` is final, synchronous and never throws. */
export interface PortInstance<Command = EventObject> {
  /** Gives it a command; after `close` nothing happens. */
  tell(command: Command): void;
  /** Ends it, whatever it is doing. */
  close(): void;
}
export interface Ports {
  process(at: Address, input: ProcessInput, emit: Emit<ProcessFact>): PortInstance<ProcessCommand>;
  session(at: Address, input: SessionInput, emit: Emit<SessionFact>): PortInstance;
  link(at: Address, input: LinkInput, emit: Emit<LinkFact>): PortInstance<LinkCommand>;
  office(at: Address, input: OfficeInput, emit: Emit<OfficeFact>): PortInstance<OfficeCommand>;
  request: RequestPort;
}
/** Asks a question; the returned function withdraws it (a call in flight is cancelled at the other side). */
export type RequestPort = (
  from: Address,
  request: { id: string; target: Address; method: string; params?: unknown; limiter?: string },
  emit: Emit<RequestFact>,
) => () => void;

/** The lists of an MCP server that can change by themselves. Templates of resources change with the resources. */
export type ListKind = 'tools' | 'resources' | 'prompts';
/** The two systems that a computer makes of the resources of its servers (seeds 000 and 001). */
export type ResourceCollection = 'desktop' | 'finder';

/** Capabilities that a server declared at the handshake. Others are never asked for. */
export interface Capabilities {
  /** Null: the server has no tools. `listChanged`: it tells when they change. */
  readonly tools: { readonly listChanged: boolean } | null;
  /** Null: the server has no resources. `subscribe`: it tells when one that is subscribed changes. */
  readonly resources: { readonly listChanged: boolean; readonly subscribe: boolean } | null;
  /** Null: the server has no prompts. */
  readonly prompts: { readonly listChanged: boolean } | null;
  /** Whether it completes arguments of prompts and templates. */
  readonly completions: boolean;
  /** Whether its log level can be set. */
  readonly logging: boolean;
}
/** Introduction of a server at the handshake. */
export interface ServerInfo {
  /** Name that the server gives itself. */
  readonly name: string;
  /** Version of the server, in any form. */
  readonly version: string;
  /** The revision of MCP on which both agreed, such as `2025-06-18`. */
  readonly protocolVersion: string;
  /** Declared capabilities; others are never asked for. */
  readonly capabilities: Capabilities;
  /** Title that it gives itself for a screen. */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
}

/** Wait of a session that is not open yet, as its port sees it: a machine has no clock. */
export interface Waits {
  /** The connection to its URL, the headers of the response, or the answer to `initialize`. */
  readonly for: 'connection' | 'headers' | 'initialize';
  /** ISO 8601, by the clock of the port. */
  readonly since: string;
  /** Text that came and is no answer, in one line, secrets hidden, at most 400 characters; '': nothing came. */
  readonly came: string;
}
/** Handshake that takes longer than a second: told then, and at most once a second when it waits for something else. */
export interface SessionWaits {
  readonly type: 'session.waits';
  /** Step that it waits for, since when, and what came meanwhile. */
  readonly waits: Waits;
}
/** The same for the owner of a client. */
export interface ClientWaits {
  readonly type: 'client.waits';
  readonly server: string;
  readonly waits: Waits;
}

const words = {
  connection: 'the connection to its URL',
  headers: 'the headers of the response',
  initialize: 'the answer to initialize',
} as const;
export const waitsFor = (step: Waits['for']): string => `waits for ${words[step]}`;
export const cameInstead = ({ came }: Pick<Waits, 'came'>): string => (came === '' ? 'nothing came' : came);
/** Words for a failure, which is read later: with the moment, not with a duration. */
export const waitWords = (waits: Waits): string =>
  `${waitsFor(waits.for)} since ${waits.since}; ${cameInstead(waits)}`;

export interface OfficeInput {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Refuses peers that do not say which version of the protocol they speak. */
  readonly requireVersion?: boolean;
  /** One of several nodes: a seat is granted when their register has said so. */
  readonly isShared?: boolean;
}
/** One seat in an office. */
export interface SeatFacts {
  /** Id of the room: one office server has many, and what is said in one is not heard in others. */
  readonly office: string;
  /** A room has one agent and any number of computers. */
  readonly role: 'agent' | 'computer';
  /** Name that the peer gives itself; unique among the computers of its room. */
  readonly name: string;
}
export type OfficeCommand =
  /** Answer to a join or a leave: the two-argument ack `(ok, text | null)`. */
  | {
      readonly type: 'office.answer';
      readonly ticket: string;
      readonly ok: boolean;
      readonly text: string | null;
    }
  /** Asks the register of all nodes for this seat, and gives it back when it is not taken up after all. */
  | {
      readonly type: 'office.claim';
      readonly socket: string;
      readonly ticket: string;
      readonly seat: SeatFacts;
    }
  | { readonly type: 'office.unclaim'; readonly socket: string; readonly seat: SeatFacts }
  /** Seats this socket: from now on it is routed to and hears broadcasts. */
  | { readonly type: 'office.seat'; readonly socket: string; readonly seat: SeatFacts }
  /** Refuses all that comes, joins or asks from now on; `office.drained` follows once nothing waits for an answer. */
  | { readonly type: 'office.drain' }
  /** Frees the seat of this socket: calls that wait for it are answered at once. */
  | { readonly type: 'office.unseat'; readonly socket: string }
  | {
      readonly type: 'office.broadcast';
      readonly office: string;
      readonly except: string;
      readonly event: 'notify:enter_office' | 'notify:leave_office';
      readonly body: object;
    };
export type OfficeFact =
  /** Answer to `office.claim`, as long as the socket is there. `text`: reason of a refusal. */
  | {
      readonly type: 'claim.settled';
      readonly socket: string;
      readonly ticket: string;
      readonly seat: SeatFacts;
      readonly text: string | null;
    }
  | { readonly type: 'office.opened'; readonly url: string; readonly port: number }
  | { readonly type: 'office.failed'; readonly message: string }
  /** Every question was answered, after `office.drain`. */
  | { readonly type: 'office.drained' }
  | { readonly type: 'socket.opened'; readonly socket: string }
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
