import type { CallLimits } from '../../../machines/call/policy/call-limiters.ts';
import type { CallEnd, CallPhase, Outcome } from '../../../machines/call/call.rules.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { ResourceCollection } from '../../../machines/ports/link.ts';
import { timing, type Timing } from '../../../machines/kernel/timing.ts';
import { calm, type ServerSettings } from '../server-plan.ts';
import type { Landing } from '../../../machines/uploads/upload.rules.ts';
import type { Fault } from '../../fault-server/words/fault.ts';
import type { Meant } from '../../invariants/invariants.ts';
import type { HarnessOptions } from '../harness.ts';
import type { Values } from '../scripted/host-ports.ts';

/** Tool of a server: duration, answer, and whether a call announces changed tools. */
export interface ToolData {
  /** Time in ms until the tool answers; it answers at once by default. */
  readonly takes?: number;
  /** Interval in ms of progress messages until the answer; none by default. */
  readonly progressEveryMs?: number;
  /** JSON schema of the input; any object by default. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** JSON schema of the output; none by default. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** Result as in MCP; a single text by default. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Announces with each call that the tools have changed. */
  readonly changes?: boolean;
}
/** Behaviour of a server, in the words of the fault server. */
export interface Behaviour {
  /** Tools of the server by name; none by default. */
  readonly tools?: Readonly<Record<string, ToolData>>;
  /** Faults of the server; none by default. */
  readonly faults?: readonly Fault[];
}
/** Server of the config, with its behaviour. */
export interface ServerData extends Behaviour, ServerSettings {
  /** Name of the server, unique in its plan. */
  readonly name: string;
  /** URIs of the server's resources, which can be subscribed to: windows, documents, others; none by default. */
  readonly resources?: readonly string[];
  /** Leaves the server out of the config with which the computer starts. */
  readonly isAbsent?: true;
  /** Behaviour from the n-th start on, by n. */
  readonly later?: Readonly<Record<number, Behaviour>>;
  /** Program that transforms the results of the server: it adds a mark, fails, or hangs; in virtual time only. */
  readonly program?: ProgramData;
  /** Secret that the server is launched with and prints on stderr when it dies; in virtual time only. */
  readonly secret?: string;
}
/** Server in a later config; members not given are as at the beginning. */
export interface ConfigEntry extends Pick<
  ServerSettings,
  | 'generation'
  | 'values'
  | 'autoApprove'
  | 'forbidden'
  | 'only'
  | 'onConflict'
  | 'autoStart'
  | 'isLazy'
  | 'restart'
  | 'budget'
  | 'hearsChanges'
> {
  /** Name of a server of the plan. */
  readonly name: string;
}
/** Answer of the person; `always` and `never` hold for the whole session, `nobody` gives no answer. */
export type PersonWord = 'yes' | 'always' | 'no' | 'never' | 'nobody';
/**
 * Behaviour of the person who confirms calls; without it no confirmation is asked for. `yes after 700` answers after
 * 700 ms, even when the question is no longer open.
 */
export type PersonData = PersonWord | `${PersonWord} after ${number}`;
/** `afterMs` undefined means the default delay. */
export function personIn(person: PersonData): { readonly word: PersonWord; readonly afterMs?: number } {
  const [word, , ms] = person.split(' ');
  return ms === undefined ? { word: word as PersonWord } : { word: word as PersonWord, afterMs: Number(ms) };
}
/**
 * Result of the host's own permission rule for every call; `never` gives no result. Without it the built-in rule
 * decides.
 */
export type PermissionData = 'allow' | 'ask' | 'deny' | 'throws' | 'never';
/** Skills and landing folder of the computer; in virtual time only. */
export interface SharedData {
  /** Skills of its folders: the text of each file, by the name of the skill and the path of the file. */
  readonly skills?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Folder in which the files of agents land: idle time of an upload in ms, and whether nobody is asked. */
  readonly landing?: Landing;
}
/** Behaviour of the program that transforms the results of a server. */
export type ProgramData = 'works' | 'fails' | 'hangs';

export const aspects = ['calls', 'shown', 'visits', 'signals', 'requests', 'processes', 'heard'] as const;
/** One aspect in which a virtual play and a real one are compared. */
export type Aspect = (typeof aspects)[number];

/** Stage of a server, the same as `ServerStatus.state`. */
export type Stage =
  | 'idle'
  | 'standby'
  | 'authorizing'
  | 'unauthorized'
  | 'connecting'
  | 'ready'
  | 'recovering'
  | 'waiting'
  | 'open'
  | 'closing';
/** Root actor that can be closed and started again. */
export type Root = 'office' | 'computer' | 'agent';
/** Signal with which a server may be killed from outside. */
export type OutsideSignal = 'SIGKILL' | 'SIGSEGV' | 'SIGABRT';

/** One step of a plan. `server` and `call` are names. */
export type Step =
  /** Waits until every server is ready or at rest and every link has joined. */
  | { readonly do: 'ready' }
  | {
      readonly do: 'call';
      readonly call: string;
      readonly by: 'host' | 'agent';
      readonly tool: string;
      /** Arguments of the call; none by default. */
      readonly params?: Readonly<Record<string, unknown>>;
      /** Request id of the call on the wire. */
      readonly reqId: string;
      readonly timeoutMs: number;
    }
  | { readonly do: 'cancel'; readonly call: string }
  /** Asks for the Desktop or the Finder of the computer; `query` as on the wire. */
  | {
      readonly do: 'show';
      readonly ask: string;
      readonly by: 'host' | 'agent';
      readonly collection: ResourceCollection;
      readonly query: Readonly<Record<string, unknown>>;
    }
  /** Reads one resource, from the server that has it. */
  | { readonly do: 'read'; readonly ask: string; readonly by: 'host' | 'agent'; readonly uri: string }
  /** Puts a file of so many bytes on the computer, by the agent. */
  | { readonly do: 'put'; readonly ask: string; readonly bytes: number }
  /** Makes the agent read a content of so many bytes that the computer keeps for it. */
  | { readonly do: 'fetch'; readonly ask: string; readonly bytes: number }
  /** Makes the agent read `SKILL.md` of a skill; without a name, the list of skills. */
  | { readonly do: 'skill'; readonly ask: string; readonly name?: string }
  /** Waits until that question is answered. */
  | { readonly do: 'shown'; readonly ask: string }
  | { readonly do: 'settled'; readonly call: string }
  /** Waits until the server reaches this stage once more since the last wait for it. */
  | { readonly do: 'reaches'; readonly server: string; readonly stage: Stage }
  /** Waits until the server has received this request, or signal, `count` times. */
  | { readonly do: 'asked'; readonly server: string; readonly method: string; readonly count: number }
  | { readonly do: 'signalled'; readonly server: string; readonly signal: string; readonly count: number }
  /** Waits until the host of `who` has heard this event `count` times. */
  | {
      readonly do: 'heard';
      readonly who: 'computer' | 'agent';
      readonly event: string;
      readonly count: number;
    }
  | { readonly do: 'start'; readonly server: string }
  | { readonly do: 'stop'; readonly server: string }
  /** Subscribes the host to changes of these resources, and of no others. */
  | { readonly do: 'watch'; readonly server: string; readonly uris: readonly string[] }
  /**
   * Replaces the whole config; servers not named are removed. Another `generation` is another launch config; other
   * `values` are asked for again.
   */
  | { readonly do: 'config'; readonly servers: readonly ConfigEntry[] }
  /**
   * Sets the values of a server's inputs from now on: values, `none`, or `never` an answer; each answer takes `ms`.
   */
  | { readonly do: 'values'; readonly server: string; readonly values: Values; readonly ms?: number }
  | { readonly do: 'kill'; readonly server: string; readonly signal: OutsideSignal }
  | { readonly do: 'run'; readonly ms: number }
  /** Makes the host close a root actor, or start it again; does nothing when it has ended, or still runs. */
  | { readonly do: 'close'; readonly who: Root }
  | { readonly do: 'begin'; readonly who: Root }
  /** Ends all faults: servers, wires and clocks work correctly again. A command that cannot be launched stays so. */
  | { readonly do: 'clearFaults' }
  /** Checks that everything that has to come in the end is there by now. */
  | { readonly do: 'quiescent' }
  /** Causes a fault of host, agent or clock. `agent.duplicateCall` repeats a call under another name. */
  | { readonly do: 'fault'; readonly fault: Fault; readonly call?: string; readonly as?: string }
  /** Waits until the computer has ended. */
  | { readonly do: 'ended' }
  /** Runs code where no other step fits; in virtual time only. */
  | { readonly do: 'code'; readonly act: (harness: never) => void | Promise<void> }
  | { readonly do: 'expect'; readonly expect: Expectation };

/** Condition that has to hold at its point of the plan. */
export type Expectation =
  | {
      readonly of: 'call';
      readonly call: string;
      /** Outcome that the call has to have; null while the call has not ended. */
      readonly outcome: Outcome | null;
      readonly end?: CallEnd;
      readonly phase?: CallPhase | null;
      readonly code?: Failure['code'];
      /** Text that the failure message has to contain. */
      readonly says?: string;
      /** Members that the result has to contain. */
      readonly result?: Readonly<Record<string, unknown>>;
      readonly details?: Readonly<Record<string, unknown>>;
      /** Time in ms from the call to its end; checked in virtual time only. */
      readonly at?: number;
    }
  /**
   * Answer that was shown; members not given are not checked. `uris` are compared in order, `texts` by containment.
   */
  | {
      readonly of: 'shown';
      readonly ask: string;
      readonly uris?: readonly string[];
      readonly texts?: readonly string[];
      readonly total?: number;
      readonly missing?: readonly string[];
      /** Code of the expected failure; null when none is expected. */
      readonly code?: Failure['code'] | null;
    }
  /** Launch specs of the server's processes in order, each a number: generation plus 1,000 times the values. */
  | { readonly of: 'specs'; readonly server: string; readonly specs: readonly number[] }
  | { readonly of: 'visits'; readonly server: string; readonly stages: readonly Stage[] }
  /** Current stage of the server. */
  | { readonly of: 'is'; readonly server: string; readonly stage: Stage }
  /** Texts that the message of the server's last failure has to contain. */
  | { readonly of: 'says'; readonly server: string; readonly texts: readonly string[] }
  /** Signals sent to the server; `SIGTERM@500` is 500 ms after the first one, checked in virtual time only. */
  | { readonly of: 'signals'; readonly server: string; readonly signals: readonly string[] }
  | {
      readonly of: 'requests';
      readonly server: string;
      readonly method: string;
      readonly count: number;
      readonly atMost?: true;
    }
  | {
      readonly of: 'processes';
      readonly server: string;
      readonly started?: number;
      readonly failed?: number;
      readonly alive?: number;
    }
  /** Changes of the tools that the host heard of, in order: `+read`, `-read`. */
  | { readonly of: 'tools'; readonly changes: readonly string[] }
  /** Number of times that the host of `who` heard this event. */
  | {
      readonly of: 'heard';
      readonly who: 'computer' | 'agent';
      readonly event: string;
      readonly count: number;
    }
  /** Stages of the computer, or of a link. */
  | {
      readonly of: 'stages';
      readonly who: 'computer' | 'computer link' | 'agent link';
      readonly stages: readonly string[];
    };

export type StageOptions = HarnessOptions & Meant;
/** Whole scenario as data, except for steps of code. */
export interface Plan {
  /** Title, unique among all scenarios. */
  readonly title: string;
  /** All servers that are ever in the config of the plan. */
  readonly servers: readonly ServerData[];
  /** Actions and waits of the plan, in order. */
  readonly steps: readonly Step[];
  /** Delays in ms that override `planTiming`. */
  readonly timing?: Partial<Timing>;
  /** Person who confirms calls; without one no confirmation is asked for. */
  readonly person?: PersonData;
  /** Permission rule of the host; without it the built-in rule decides. */
  readonly permission?: PermissionData;
  /** Number of calls of all servers together that run at once, and number that may wait; no limit by default. */
  readonly total?: CallLimits;
  /** Adds an office with the computer `c1` and an agent `a1`. */
  readonly office?: true;
  /** Skills and a landing folder of the computer; none by default. */
  readonly shares?: SharedData;
  /**
   * Servers and ports for a virtual play: the plan starts nothing itself, and its other members are ignored.
   * @internal
   */
  readonly stage?: StageOptions;
  /** Reason why the plan cannot be played for real. */
  readonly virtualOnly?: string;
  /** Aspects in which a real play may differ from virtual time, with reasons. */
  readonly differs?: readonly { readonly because: string; readonly aspects: readonly Aspect[] }[];
}

/** Delays of plans: short enough for real plays, long enough for a busy machine. */
export const planTiming: Timing = {
  ...timing,
  ...calm,
  connectMs: 8_000,
  listMs: 8_000,
  backoffMs: 100,
  longestBackoffMs: 100,
  drainMs: 200,
  // Long, because a process that hangs for a moment would otherwise be sent a needless signal.
  stdinGraceMs: 3_000,
  termGraceMs: 3_000,
  killGraceMs: 2_000,
  exitGraceMs: 250,
  shutdownMs: 10_000,
  linkMs: 5_000,
  linkBackoffMs: 100,
  quietMs: 20,
  longestQuietMs: 200,
};
export const timingOf = (plan: Plan): Timing => ({ ...planTiming, ...plan.timing });

export const differing = (plan: Plan): ReadonlySet<Aspect> =>
  new Set((plan.differs ?? []).flatMap((d) => d.aspects));

export const isData = ({ steps }: Plan): boolean => steps.every((step) => step.do !== 'code');

/** Returns every fault word that a plan uses. */
export function wordsOf({ servers, steps }: Plan): string[] {
  const behaviours = servers.flatMap((s) => [s, ...Object.values(s.later ?? {})]);
  return [
    ...behaviours.flatMap(({ faults = [] }) => faults.map((f) => f.fault)),
    ...steps.flatMap((step) => (step.do === 'fault' ? [step.fault.fault] : [])),
  ];
}
