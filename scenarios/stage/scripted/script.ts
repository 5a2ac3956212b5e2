import type { Address } from '../../../machines/kernel/effects.ts';
import type { Tool } from '../../../machines/catalog/entries.ts';
import type {
  Emit,
  ListKind,
  Capabilities,
  ProcessFact,
  ServerInfo,
} from '../../../machines/kernel/ports.ts';
import type { Moment } from '../../fault-server/words/fault.ts';

/** Fate of one request to a server behind a URL, beside its answer. All times in virtual ms. */
export interface Met {
  /** Fate of a request that is not read. */
  readonly instead?: { readonly afterMs: number } & (HttpRefusal | Passing | { readonly never: true });
  /** Delay of the answer, or the way in which it breaks off. */
  readonly answer?: { readonly lateMs: number } | { readonly broken: Broken };
  /** Events that follow the request, each after a delay. */
  readonly later: readonly ({ readonly afterMs: number } & Passing)[];
}
/** Refusal of an HTTP request: by its status, or by a connection that is cut. `retryAfter` in s. */
export type HttpRefusal =
  | { readonly status: number; readonly retryAfter?: number }
  | { readonly resets: true };
/** Refusal that comes after 1 ms, or after another time. */
export type RefusalInTime = HttpRefusal & { readonly afterMs?: number };
/** Way in which an answer breaks off: the client gets the rest when it opens the stream again, or never. */
export type Broken = 'resumes' | 'lost';
/** Outage of a server: it forgets the session, or is unreachable for some ms. */
export type Passing =
  | { readonly forgets: true }
  | { readonly downMs: number; readonly forgetsAll: boolean; readonly areFaultsCleared: () => boolean };

/** Question as a scripted server sees it. */
export interface ScriptedCall {
  /** Arguments of a call; params of any other question. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Announces that a list of the server has changed, its tools by default. */
  announce(list?: ListKind): void;
  /** Announces that a resource of the server has changed. */
  update(uri: string): void;
  /** Sends progress on the question; does nothing after its answer. */
  progress(progress: number, total?: number, message?: string): void;
}
/** Progress 1, 2, 3, … at an interval in ms until the answer, or a number of times. */
export interface Progressing {
  readonly everyMs: number;
  readonly times?: number;
}
export interface Death {
  readonly code?: number | null;
  readonly signal?: string | null;
  readonly stderr?: string;
  /** Last part of the stderr text, which came shortly before the end; all of it by default. */
  readonly recent?: string;
}
/** Reaction of a scripted server to a question. */
export type Act =
  | { readonly answers: unknown; readonly afterMs?: number; readonly progresses?: Progressing }
  /** JSON-RPC error with this code, -32603 by default. */
  | { readonly errors: string; readonly code?: number; readonly data?: unknown; readonly afterMs?: number }
  /** No answer. `cancelled` is called when the question is withdrawn; its result is then answered, too late. */
  | { readonly never: true; readonly cancelled?: () => unknown; readonly progresses?: Progressing }
  /** Ends the process before an answer. */
  | { readonly dies: Death; readonly afterMs?: number }
  /** Ends the stream before an answer; the process lives on. */
  | { readonly hangsUp: true }
  /** Answers one page after the other, without end. */
  | { readonly endless: true; readonly afterMs?: number }
  | ((call: ScriptedCall) => Act);
/** Event in the life of a server beside its answers. */
export type Happening = { readonly afterMs?: number } & (
  | { readonly dies: Death }
  /** Closes the output; the process lives on. */
  | { readonly hangsUp: true }
  /** Closes the input: the next write meets a broken pipe. */
  | { readonly closesInput: true }
  /** Stops the process for this many ms, as under SIGSTOP. */
  | { readonly stopsFor: number }
  /** Reads nothing for this many ms; written data waits. */
  | { readonly deafFor: number }
  /** Adds a process to its group that outlives it. */
  | { readonly forks: { readonly stubborn?: boolean; readonly holdsPipes?: boolean } }
  | { readonly does: (own: Own) => void }
);
/** Actions that a server can take by itself while it lives. */
export interface Own {
  after(ms: number, run: () => void): void;
  /** Announces that a list has changed; `said` is called when a session was there to hear it. */
  announce(list: ListKind, said?: () => void): void;
  /** Announces that a resource has changed; `said` is called when a session was there to hear it. */
  update(uri: string, said?: () => void): void;
}
/** True state of a server, with which the knowledge of a client is compared. */
export interface Truth {
  /** Tools as the server would list them now. */
  readonly tools: readonly Tool[];
  /** Tells whether the tools were requested since their last change. */
  readonly isListed: boolean;
  /** Tells whether the last change of the tools was announced. */
  readonly isTold: boolean;
  readonly resources: ResourcesTruth;
}
export interface ResourcesTruth {
  /** URIs of the resources as the server would list them now. */
  readonly uris: readonly string[];
  /** Returns the true contents of one resource. */
  read(uri: string): readonly { readonly uri: string; readonly text?: string; readonly blob?: string }[];
  /** Tells whether the list was requested since its last change, and whether that change was announced. */
  readonly isListed: boolean;
  readonly isTold: boolean;
  /**
   * Tells whether a client can know this content: since the last announcement it was neither changed silently nor
   * answered wrongly.
   */
  isKnowable(uri: string): boolean;
  /** Tells whether a client has subscribed to the resource. */
  isSubscribed(uri: string): boolean;
}
/**
 * MCP server that behaves, or misbehaves, as scripted. All times in virtual ms. Members about processes hold for a
 * server that has one; a remote server (a session without a process) starts with each session.
 */
export interface Script {
  readonly tools?: Readonly<Record<string, Act>>;
  /** Reaction to calls of tools that are not named in `tools`. */
  readonly otherTool?: (name: string) => Act | undefined;
  /** Returns the true state of the server's lists. */
  readonly truth?: () => Truth;
  /** Returns the answer to the n-th `tools/list`, instead of one constant list. */
  readonly lists?: (n: number) => readonly string[];
  /** Number of list entries that are invalid as tools, resources or prompts. */
  readonly malformed?: number;
  readonly resources?: readonly object[];
  readonly resourceTemplates?: readonly object[];
  readonly prompts?: readonly object[];
  /** Reactions to other methods: `resources/read`, `prompts/get`, `completion/complete`, … */
  readonly methods?: Readonly<Record<string, Act>>;
  /** Decides before a remote server reads a request, other than `initialize`, whether it is refused. */
  readonly door?: (method: string) => RefusalInTime | undefined;
  /** Returns further faults of a request to a remote server; for a call, with its tool. */
  readonly meets?: (moment: Moment, tool?: string) => Met;
  readonly info?: Partial<ServerInfo>;
  /** Secrets that the server was launched with and prints only on stderr when it dies. */
  readonly secrets?: readonly string[];
  /** Makes the start fail: always, or only until something that is missing comes back. */
  readonly missing?: true | 'forNow';
  readonly startMs?: number;
  /** Ends the server's process by itself this many ms after its start. */
  readonly crashes?: Death & { readonly afterMs: number };
  /** Reaction to the handshake: no answer, end of the process, an answer after some ms, or another answer. */
  readonly initialize?:
    | 'never'
    | 'error'
    | 'dies'
    | number
    | { readonly errors: string; readonly code?: number; readonly afterMs?: number }
    /** Handshake result instead of a correct one. */
    | { readonly answers: unknown; readonly afterMs?: number }
    /** Refusal by HTTP, for a server without a process. */
    | RefusalInTime;
  readonly listMs?: number | 'never' | 'error';
  /** Returns the reaction to the n-th `tools/list` of this process, instead of `listMs` and `lists`. */
  readonly listing?: (n: number) => Exclude<Act, (...args: never) => unknown>;
  readonly ignores?: readonly ('stdin' | 'SIGTERM')[];
  /** Returns the time in ms that the server takes to end after a request to end; meanwhile no answers come. */
  readonly ends?: (asked: 'stdin' | 'SIGTERM') => number | 'never';
  /** Returns the faults that happen at a moment of the server's life; called each time. */
  readonly happens?: (moment: Moment, tool?: string) => readonly Happening[];
  /** Reports the exit before the end of the stream, because another process holds the pipes. */
  readonly exitsFirst?: true;
  /** Number of group members that outlive the leader; they obey SIGTERM unless stubborn. */
  readonly leaves?: { readonly count: number; readonly stubborn?: true };
  /** Scripts from the n-th start on, by n. */
  readonly later?: Readonly<Record<number, Script>>;
  /** Builds a new script for each start, so that its memory ends with its process. */
  readonly at?: (start: number) => Script;
}

/** Running script: a process and its group, its session, and the questions asked there. */
export interface Child {
  readonly key: Address;
  readonly server: string;
  readonly script: Script;
  readonly emit: Emit<ProcessFact>;
  readonly pid: number;
  isAlive: boolean;
  /** Number of living members of the process group beside the leader. */
  members: number;
  areStubborn: boolean;
  /** Tells whether a group member holds the child's pipes, so that the child's end shows late. */
  areHeld: boolean;
  /** Time until which the process is stopped. */
  stoppedUntil: number;
  deafUntil: number;
  isInputClosed: boolean;
  isSilent: boolean;
  session: Session | undefined;
  /** Data that was written to the child and not yet read. */
  readonly unread: (() => void)[];
  lists: number;
  readonly timers: Set<number>;
}
export const initialContext = (facts: Pick<Child, 'key' | 'server' | 'script' | 'emit' | 'pid'>): Child => {
  const { missing, leaves } = facts.script;
  return {
    ...facts,
    isAlive: !missing,
    members: missing ? 0 : (leaves?.count ?? 0),
    areStubborn: leaves?.stubborn ?? false,
    areHeld: false,
    stoppedUntil: 0,
    deafUntil: 0,
    isInputClosed: false,
    isSilent: false,
    session: undefined,
    unread: [],
    lists: 0,
    timers: new Set(),
  };
};
/** Request that a server has read and not answered. */
export interface Pending {
  readonly id: number;
  readonly method: string;
  withdrawn?: () => void;
  /** Delay in ms of the answer on its way. */
  lateMs?: number;
}
/** Session, as seen by its server. */
export interface Session {
  /** End of the session over HTTP; undefined over pipes. */
  readonly remote?: RemoteEnd;
  readonly child: Child;
  readonly pending: Map<number, Pending>;
  /** State of the session; `open` after the client has said that it is ready. */
  state: 'connecting' | 'open' | 'over';
  /** Sends a message to the client. */
  write(message: object): void;
  /** Ends the session. */
  end(): void;
}
/** Session over HTTP, as its server uses it. */
export interface RemoteEnd extends Pick<Session, 'write' | 'end'> {
  readonly id: string;
}

/** Capabilities of a server with tools that announces their changes. */
export const toolsOnly: Capabilities = {
  tools: { listChanged: true },
  resources: null,
  prompts: null,
  completions: false,
  logging: false,
};
export const toolOf = (name: string): Tool => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
});
export const capabilitiesOf = ({ info }: Script): Capabilities => info?.capabilities ?? toolsOnly;
/** Tells whether a child or a member of its group lives. */
export const isSome = (child: Child): boolean => child.isAlive || child.members > 0;
