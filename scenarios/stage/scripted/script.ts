import type { Address } from '../../../machines/kernel/address.ts';
import type { Tool } from '../../../machines/catalog/entries.ts';
import type {
  Emit,
  ListKind,
  Capabilities,
  ProcessFact,
  ServerInfo,
  SessionLost,
} from '../../../machines/kernel/ports.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { Moment } from '../../fault-server/words/fault.ts';

/** What a server behind a URL does with one request, beside answering it. All times in virtual ms. */
export interface Met {
  /** It is not read: this is done in its place. */
  readonly instead?: { readonly afterMs: number } & (Refusal | Passing | { readonly never: true });
  /** On its way the answer takes so long, or breaks off. */
  readonly answer?: { readonly lateMs: number } | { readonly broken: Failure };
  /** What happens so long after it. */
  readonly later: readonly ({ readonly afterMs: number } & Passing)[];
}
export interface Refusal {
  readonly refuses: Failure;
  /** Whether it may have been worked on: surely not, it was answered, nobody knows. */
  readonly how: 'unsent' | 'answered' | 'lost';
  /** It is the end of the session, too. */
  readonly ends?: Omit<SessionLost, 'reason'>;
}
/** It forgets the session, or is away for so long. */
export type Passing =
  | { readonly forgets: true }
  | { readonly downMs: number; readonly forgetsAll: boolean; readonly areFaultsCleared: () => boolean };

/** A question as a scripted server sees it. */
export interface ScriptedCall {
  /** Of a call what the tool is given, of any other question its params. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The server says that one of its lists has changed, by default its tools. */
  announce(list?: ListKind): void;
  /** The server says that a resource has changed. */
  update(uri: string): void;
  /** Told to who asked, unless he has his answer. */
  progress(progress: number, total?: number, message?: string): void;
}
/** Progress 1, 2, 3, … every so often until the answer, or so many times. */
export interface Progressing {
  readonly everyMs: number;
  readonly times?: number;
}
export interface Death {
  readonly code?: number | null;
  readonly signal?: string | null;
  readonly stderr?: string;
  /** Part of it that came shortly before. Default: all of it. */
  readonly recent?: string;
}
/** What a scripted server does when it is asked. */
export type Act =
  | { readonly answers: unknown; readonly afterMs?: number; readonly progresses?: Progressing }
  /** A JSON-RPC error of this code, by default -32603. */
  | { readonly errors: string; readonly code?: number; readonly data?: unknown; readonly afterMs?: number }
  /** `cancelled` is told when the question is withdrawn; what it returns is answered then, too late. */
  | { readonly never: true; readonly cancelled?: () => unknown; readonly progresses?: Progressing }
  /** The process ends before it answers. */
  | { readonly dies: Death; readonly afterMs?: number }
  /** The stream ends before it answers; the process lives. */
  | { readonly hangsUp: true }
  /** One page after the other, without end. */
  | { readonly endless: true; readonly afterMs?: number }
  | ((call: ScriptedCall) => Act);
/** What happens to a server beside its answers. */
export type Happening = { readonly afterMs?: number } & (
  | { readonly dies: Death }
  /** Its output is closed, and it lives. */
  | { readonly hangsUp: true }
  /** Its input is closed: whoever asks next meets a broken pipe. */
  | { readonly closesInput: true }
  /** It does nothing at all for so long, as under SIGSTOP. */
  | { readonly stopsFor: number }
  /** It reads nothing for so long; what is written to it waits. */
  | { readonly deafFor: number }
  /** One more in its group, which outlives it. */
  | { readonly forks: { readonly stubborn?: boolean; readonly holdsPipes?: boolean } }
  | { readonly does: (own: Own) => void }
);
/** What a server can do by itself, as long as it lives. */
export interface Own {
  after(ms: number, run: () => void): void;
  /** It says that a list has changed. `said`: there was a session in which somebody could hear it. */
  announce(list: ListKind, said?: () => void): void;
  /** It says that a resource has changed. */
  update(uri: string, said?: () => void): void;
}
/** What is so, whoever knows it. */
export interface Truth {
  /** As it would list them now. */
  readonly tools: readonly Tool[];
  /** It was asked for them since they changed last. */
  readonly isListed: boolean;
  /** It has said so since they changed last. */
  readonly isTold: boolean;
  readonly resources: ResourcesTruth;
}
export interface ResourcesTruth {
  /** As it would list them now. */
  readonly uris: readonly string[];
  /** What it has at one of them. */
  read(uri: string): readonly { readonly uri: string; readonly text?: string; readonly blob?: string }[];
  /** It was asked for the list since it changed last; it has said so since. */
  readonly isListed: boolean;
  readonly isTold: boolean;
  /** It has not changed this one without a word, nor given another in its place, since it said last that it changed. */
  isKnowable(uri: string): boolean;
  /** Somebody wants to hear of its changes. */
  isSubscribed(uri: string): boolean;
}
/**
 * An MCP server that behaves, or misbehaves, as it is told. All times in virtual ms. What is said of processes holds
 * for one that has one; a remote server (a session without a process) starts with each session.
 */
export interface Script {
  readonly tools?: Readonly<Record<string, Act>>;
  /** A tool that is none of these. */
  readonly otherTool?: (name: string) => Act | undefined;
  /** What its lists are now. */
  readonly truth?: () => Truth;
  /** Instead of one list for ever: what the n-th `tools/list` answers. */
  readonly lists?: (n: number) => readonly string[];
  /** Entries of its lists that cannot be tools, resources or prompts. */
  readonly malformed?: number;
  readonly resources?: readonly object[];
  readonly resourceTemplates?: readonly object[];
  readonly prompts?: readonly object[];
  /** What it does when it is asked with any other method: `resources/read`, `prompts/get`, `completion/complete`, … */
  readonly methods?: Readonly<Record<string, Act>>;
  /**
   * Asked before a remote server reads a question: it has forgotten the session, or it refuses with this failure,
   * which with the code `Unauthorized` is the end of the session, too.
   */
  readonly door?: (method: string) => 'forgotten' | Failure | undefined;
  /** What else may meet a request to a remote server; of a call with its tool. */
  readonly meets?: (moment: Moment, tool?: string) => Met;
  readonly info?: Partial<ServerInfo>;
  /** What it was launched with and tells nobody but its stderr, when it dies. */
  readonly secrets?: readonly string[];
  /** It cannot be started: ever, or only for want of something that may come back. */
  readonly missing?: true | 'forNow';
  readonly startMs?: number;
  /** It ends by itself so long after its start. */
  readonly crashes?: Death & { readonly afterMs: number };
  /** What it does when a session begins: never an answer, its end, an answer after so many ms, or another one. */
  readonly initialize?:
    | 'never'
    | 'error'
    | 'dies'
    | number
    | { readonly errors: string; readonly code?: number; readonly afterMs?: number }
    /** The result in place of a good one. */
    | { readonly answers: unknown; readonly afterMs?: number }
    /** What the transport to a server without a process makes of it. */
    | { readonly refuses: Failure; readonly afterMs?: number };
  readonly listMs?: number | 'never' | 'error';
  /** Instead of `listMs` and `lists`: what the n-th `tools/list` of this process is answered with. */
  readonly listing?: (n: number) => Exclude<Act, (...args: never) => unknown>;
  readonly ignores?: readonly ('stdin' | 'SIGTERM')[];
  /** How long it takes to end when it is asked so; meanwhile it answers nobody. */
  readonly ends?: (asked: 'stdin' | 'SIGTERM') => number | 'never';
  /** Asked each time that a moment of its life comes. */
  readonly happens?: (moment: Moment, tool?: string) => readonly Happening[];
  /** Its exit is told before its stream ends: somebody else holds the pipes. */
  readonly exitsFirst?: true;
  /** So many members of its group outlive its leader; they obey SIGTERM unless stubborn. */
  readonly leaves?: { readonly count: number; readonly stubborn?: true };
  /** From its n-th start on it behaves like this. */
  readonly later?: Readonly<Record<number, Script>>;
  /** The same, made anew for each start: what a script remembers is forgotten with its process. */
  readonly at?: (start: number) => Script;
}

/** What lives of a script: a process and its group, a session with it, and what was asked there. */
export interface Child {
  readonly key: Address;
  readonly server: string;
  readonly script: Script;
  readonly emit: Emit<ProcessFact>;
  readonly pid: number;
  isAlive: boolean;
  /** Living members of its group besides the leader. */
  members: number;
  areStubborn: boolean;
  /** A member of its group holds its pipes: its end shows late. */
  areHeld: boolean;
  /** It hears and answers nobody, until then. */
  stoppedUntil: number;
  deafUntil: number;
  isInputClosed: boolean;
  isSilent: boolean;
  session: Session | undefined;
  /** What was written to it and not yet read. */
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
/** A request that a server has read and not answered. */
export interface Pending {
  readonly id: number;
  readonly method: string;
  /** The transport to a server without a process says that it will not be answered. */
  refuse(failure: Failure, how: 'unsent' | 'answered' | 'lost'): void;
  withdrawn?: () => void;
  /** How its answer comes, once. */
  carry?: (deliver: () => void) => void;
}
/** The end of a session at its server. */
export interface Session {
  readonly isRemote: boolean;
  readonly child: Child;
  readonly pending: Map<number, Pending>;
  /** `open`: the client has said that it is ready. */
  state: 'connecting' | 'open' | 'over';
  /** `initialize`, once it was read. */
  greeting?: Pending;
  /** A remote server knows it no more, and has not said so yet. */
  isForgotten?: boolean;
  /** Sends a message to the client. */
  write(message: object): void;
  /** Nothing comes any more; a client over pipes finds words of its own for it. */
  end(lost: SessionLost): void;
}

/** What a server declares that has tools and says when they change. */
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
export const lostFailure = (message: string): Failure => ({ code: 'ServerLost', message });
/** Anything of it lives, itself or a member of its group. */
export const isSome = (child: Child): boolean => child.isAlive || child.members > 0;
