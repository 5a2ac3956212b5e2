import type { OfficeCommand, OfficeFact, OfficeInput, SeatFacts } from './office-port.ts';
import { fromCallback, type CallbackActorLogic, type EventObject } from 'xstate';
import type { Address } from './address.ts';
import type { ListKind, ResourceCollection } from './lists.ts';
import type { ServerInfo } from './server-info.ts';
import type { SessionWaits } from './waits.ts';
import type { Digits } from '../protocol/exact-numbers.ts';
import type { Failure } from '../protocol/failure.ts';
import type { TraceContext } from '../protocol/messages/trace-context.ts';
import type { Progress } from '../protocol/messages/progress.ts';
import type { CancelReason } from '../protocol/messages/messages.ts';
import type { Notification, NotificationFact } from '../protocol/notifications.ts';

/** Several commands to one port, in order; the directory takes it apart, so adapters never see it. */
export interface Batch<Command extends EventObject> {
  readonly type: 'batch';
  readonly commands: readonly Command[];
}

/**
 * The holes of the machines: what each needs from outside, as the facts it hears and the commands it gives.
 * `actors/runtime/assemble.ts` fills them with adapters, a scenario with scripted fakes; `scenarios/contracts` holds
 * the suite that both pass. A hole that nobody filled fails by its name.
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
  /** Which of its launch configs: each change of them is a generation of its own. */
  readonly generation: number;
  /** Which of its launch specs: what those facts are with the values of their placeholders. The adapter launches this. */
  readonly spec: number;
  /** The key under which the ledger keeps the live child; a session finds its streams by it. */
  readonly key: Address;
}
/** What the machine of a process orders. */
export type ProcessCommand =
  | { readonly type: 'child.closeStdin' }
  | { readonly type: 'child.signal'; readonly signal: 'SIGTERM' | 'SIGKILL' };
/** What the machine of a process hears of its child. */
export type ProcessFact =
  | { readonly type: 'child.started'; readonly pid: number }
  /** It never ran. `isFinal`: another try without a change would fail in the same way (ENOENT, EACCES, …). */
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
  /** Which of its remote facts (URL, headers), and with which values: as with a process. */
  readonly generation: number;
  readonly spec: number;
  /** The name under which questions reach this session. */
  readonly key: Address;
  /** The process whose streams it speaks over; null: it needs none. */
  readonly process: Address | null;
}
export type { ListKind };
export type { Capabilities, ServerInfo } from './server-info.ts';
/** Why a session is over. */
export interface SessionLost {
  /** In plain words, with nothing secret. */
  readonly reason: string;
  /** The server forgot this session, and wants a new handshake. */
  readonly isExpired?: true;
  /** The server no longer takes its login (HTTP 401). */
  readonly wantsLogin?: true;
}
/** What the machine of a server hears of its session. */
export type SessionFact =
  /** Connected and initialized. */
  | { readonly type: 'session.opened'; readonly info: ServerInfo }
  | SessionWaits
  | { readonly type: 'session.failed'; readonly failure: Failure }
  /** The stream broke; pending requests are refused first. */
  | ({ readonly type: 'session.lost' } & SessionLost)
  /** Told whether or not the server declared that it would; only after `session.opened`. */
  | { readonly type: 'list.changed'; readonly list: ListKind }
  | { readonly type: 'resource.updated'; readonly uri: string };
export const sessionPort = callbackPort<SessionInput, EventObject>('session');

/** Answers to a `PortRequest`, see effects.ts; before the one answer any number of those that are none. */
export type RequestFact =
  /** It waits for its turn, and was not sent: `ahead` others come first. */
  | { readonly type: 'ask.waiting'; readonly id: string; readonly ahead: number }
  /** Its turn has come: it is being sent. */
  | { readonly type: 'ask.began'; readonly id: string }
  | ({ readonly type: 'ask.progress'; readonly id: string } & Progress)
  | {
      readonly type: 'ask.answered';
      readonly id: string;
      readonly result: unknown;
      /** Of the message that brought the result of a tool, where it has more than `manyBytes` (wire/protocol.ts). */
      readonly bytes?: number;
      /** Integers in the result of a tool that a number cannot hold, as they were written. */
      readonly digits?: readonly Digits[];
    }
  /**
   * `sent: false`: it surely never reached the other side. `lost: true`: it went out and nobody will answer; `alone`:
   * the connection lives on, so nobody will say more about it. Otherwise the other side answered with an error.
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
/** It is the one answer, after which nothing more is said to this question. */
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
  /** Goes out when the calls that wait are answered. */
  | { readonly type: 'link.leave' }
  /** The one answer to a ticket. An unknown ticket (a connection that is gone) is dropped. */
  | { readonly type: 'link.answer'; readonly ticket: string; readonly body: unknown }
  /** How far the call of a ticket is. Of what follows too fast only the last is said. */
  | ({ readonly type: 'link.progress'; readonly ticket: string } & Progress)
  | { readonly type: 'link.announce'; readonly event: Notification['event'] };
/** An agent's call at the door of a computer. `ticket` names the ack that waits, `reqId` is the agent's word. */
export interface AgentCalled {
  readonly type: 'agent.called';
  readonly ticket: string;
  readonly reqId: string;
  /** Its registered name, as the office has put it into the call. */
  readonly agent: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** 0 = without limit. */
  readonly timeoutMs: number;
  /** Its place in a distributed trace. */
  readonly trace?: TraceContext;
  /** Its agent hears how far it is. */
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
  /** `reason`: not the agent takes it back, but its office. */
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
  /** A URI of neither system is refused at the door. */
  | {
      readonly type: 'agent.askedResource';
      readonly collection: ResourceCollection;
      readonly ticket: string;
      readonly reqId: string;
      readonly uri: string;
      readonly server?: string;
    }
  /** Said to computers: nobody waits for the answers to this agent's calls any more. */
  | { readonly type: 'agent.left'; readonly agent: string }
  | { readonly type: 'computer.entered'; readonly computer: string }
  | { readonly type: 'computer.left'; readonly computer: string }
  | NotificationFact;
export const linkPort = callbackPort<LinkInput, LinkCommand>('link');

// ── office: the Socket.IO server ───────────────────────────────────────────────────────────────────────
export type { OfficeInput, SeatFacts, OfficeCommand, OfficeFact };
export const officePort = callbackPort<OfficeInput, OfficeCommand>('office');

// ── how adapters and fakes present themselves to the directory ─────────────────────────────────────────
/** How a port tells a fact: at once, in order, and not at all after it was closed. */
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
/** Asks; the returned function withdraws the question (a call in flight is cancelled at the other side). */
export type RequestPort = (
  from: Address,
  request: { id: string; target: Address; method: string; params?: unknown; limiter?: string },
  emit: Emit<RequestFact>,
) => () => void;
