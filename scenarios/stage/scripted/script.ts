import type { Address } from '../../../machines/kernel/effects.ts';
import type { Tool } from '../../../machines/catalog/entries.ts';
import type { Emit } from '../../../machines/kernel/ports.ts';
import type { ListKind, Capabilities, ServerInfo } from '../../../machines/ports/session.ts';
import type { ProcessFact } from '../../../machines/ports/process.ts';
import type { Moment } from '../../fault-server/words/fault.ts';

/** Fate of one request to a server behind a URL, beside its answer. All times in virtual ms. */
export interface Met {
  readonly instead?: { readonly afterMs: number } & (HttpRefusal | Passing | { readonly never: true });
  readonly answer?: { readonly lateMs: number } | { readonly broken: Broken };
  readonly later: readonly ({ readonly afterMs: number } & Passing)[];
}
/** A status, or a connection that is cut. `retryAfter` in s. */
export type HttpRefusal =
  | { readonly status: number; readonly retryAfter?: number }
  | { readonly resets: true };
/** After 1 ms by default. */
export type RefusalInTime = HttpRefusal & { readonly afterMs?: number };
/** With `resumes` the client gets the rest when it opens the stream again. */
export type Broken = 'resumes' | 'lost';
/** The server forgets the session, or is unreachable for some ms. */
export type Passing =
  | { readonly forgets: true }
  | { readonly downMs: number; readonly forgetsAll: boolean; readonly areFaultsCleared: () => boolean };

export interface ScriptedCall {
  /** Params of a question that is no call. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Its tools by default. */
  announce(list?: ListKind): void;
  update(uri: string): void;
  /** Does nothing after the answer. */
  progress(progress: number, total?: number, message?: string): void;
}
/** 1, 2, 3, … at an interval in ms until the answer, or a number of times. */
export interface Progressing {
  readonly everyMs: number;
  readonly times?: number;
}
export interface Death {
  readonly code?: number | null;
  readonly signal?: string | null;
  readonly stderr?: string;
  /** Last part of stderr, which came shortly before the end; all of it by default. */
  readonly recent?: string;
}
export type Act =
  | { readonly answers: unknown; readonly afterMs?: number; readonly progresses?: Progressing }
  /** -32603 by default. */
  | { readonly errors: string; readonly code?: number; readonly data?: unknown; readonly afterMs?: number }
  /** `cancelled`: the question is withdrawn; its result is then answered, too late. */
  | { readonly never: true; readonly cancelled?: () => unknown; readonly progresses?: Progressing }
  | { readonly dies: Death; readonly afterMs?: number }
  /** Ends the stream; the process lives on. */
  | { readonly hangsUp: true }
  /** One page after the other, without end. */
  | { readonly endless: true; readonly afterMs?: number }
  | ((call: ScriptedCall) => Act);
export type Happening = { readonly afterMs?: number } & (
  | { readonly dies: Death }
  | { readonly hangsUp: true }
  /** The next write meets a broken pipe. */
  | { readonly closesInput: true }
  /** In ms, as under SIGSTOP. */
  | { readonly stopsFor: number }
  /** In ms; written data waits. */
  | { readonly deafFor: number }
  /** A process of its group that outlives it. */
  | { readonly forks: { readonly stubborn?: boolean; readonly holdsPipes?: boolean } }
  | { readonly does: (own: Own) => void }
);
export interface Own {
  after(ms: number, run: () => void): void;
  /** `said` is called when a session was there to hear it. */
  announce(list: ListKind, said?: () => void): void;
  update(uri: string, said?: () => void): void;
}
/** The knowledge of a client is compared with it. */
export interface Truth {
  readonly tools: readonly Tool[];
  /** Requested since their last change. */
  readonly isListed: boolean;
  /** The last change was announced. */
  readonly isTold: boolean;
  readonly resources: ResourcesTruth;
}
export interface ResourcesTruth {
  readonly uris: readonly string[];
  read(uri: string): readonly { readonly uri: string; readonly text?: string; readonly blob?: string }[];
  readonly isListed: boolean;
  readonly isTold: boolean;
  /** Since the last announcement it was neither changed silently nor answered wrongly. */
  isKnowable(uri: string): boolean;
  isSubscribed(uri: string): boolean;
}
/** All times in virtual ms. A remote server (a session without a process) starts with each session. */
export interface Script {
  readonly tools?: Readonly<Record<string, Act>>;
  readonly otherTool?: (name: string) => Act | undefined;
  readonly truth?: () => Truth;
  /** For the n-th `tools/list`, instead of one constant list. */
  readonly lists?: (n: number) => readonly string[];
  readonly malformed?: number;
  readonly resources?: readonly object[];
  readonly resourceTemplates?: readonly object[];
  readonly prompts?: readonly object[];
  readonly methods?: Readonly<Record<string, Act>>;
  /** Before a remote server reads a request, other than `initialize`. */
  readonly door?: (method: string) => RefusalInTime | undefined;
  readonly meets?: (moment: Moment, tool?: string) => Met;
  readonly info?: Partial<ServerInfo>;
  /** The server was launched with them and prints them only on stderr when it dies. */
  readonly secrets?: readonly string[];
  /** `forNow`: only until something that is missing comes back. */
  readonly missing?: true | 'forNow';
  readonly startMs?: number;
  /** By itself, this many ms after its start. */
  readonly crashes?: Death & { readonly afterMs: number };
  readonly initialize?:
    | 'never'
    | 'error'
    | 'dies'
    | number
    | { readonly errors: string; readonly code?: number; readonly afterMs?: number }
    | { readonly answers: unknown; readonly afterMs?: number }
    /** For a server without a process. */
    | RefusalInTime;
  readonly listMs?: number | 'never' | 'error';
  /** For the n-th `tools/list` of this process, instead of `listMs` and `lists`. */
  readonly listing?: (n: number) => Exclude<Act, (...args: never) => unknown>;
  readonly ignores?: readonly ('stdin' | 'SIGTERM')[];
  /** Time in ms from a request to end until the end; meanwhile no answers come. */
  readonly ends?: (asked: 'stdin' | 'SIGTERM') => number | 'never';
  readonly happens?: (moment: Moment, tool?: string) => readonly Happening[];
  /** Before the end of the stream, because another process holds the pipes. */
  readonly exitsFirst?: true;
  /** Group members that outlive the leader; they obey SIGTERM unless stubborn. */
  readonly leaves?: { readonly count: number; readonly stubborn?: true };
  /** From the n-th start on, by n. */
  readonly later?: Readonly<Record<number, Script>>;
  /** A new script for each start, so that its memory ends with its process. */
  readonly at?: (start: number) => Script;
}

/** A process and its group, its session, and the questions asked there. */
export interface Child {
  readonly key: Address;
  readonly server: string;
  readonly script: Script;
  readonly emit: Emit<ProcessFact>;
  readonly pid: number;
  isAlive: boolean;
  /** Living members of its group beside the leader. */
  members: number;
  areStubborn: boolean;
  /** A group member holds its pipes, so that its end shows late. */
  areHeld: boolean;
  stoppedUntil: number;
  deafUntil: number;
  isInputClosed: boolean;
  isSilent: boolean;
  session: Session | undefined;
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
export interface Pending {
  readonly id: number;
  readonly method: string;
  withdrawn?: () => void;
  lateMs?: number;
}
export interface Session {
  /** Undefined over pipes. */
  readonly remote?: RemoteEnd;
  readonly child: Child;
  readonly pending: Map<number, Pending>;
  /** `open` after the client has said that it is ready. */
  state: 'connecting' | 'open' | 'over';
  write(message: object): void;
  end(): void;
}
export interface RemoteEnd extends Pick<Session, 'write' | 'end'> {
  readonly id: string;
}

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
export const isSome = (child: Child): boolean => child.isAlive || child.members > 0;
