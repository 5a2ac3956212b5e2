import type { CallLimits } from '../../../machines/call/policy/index.ts';
import type { CallEnd, CallPhase, Outcome } from '../../../machines/call/messages.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { ResourceCollection } from '../../../machines/kernel/ports.ts';
import { timing, type Timing } from '../../../machines/kernel/timing.ts';
import { calm, type ServerSettings } from '../server-plan.ts';
import type { Fault } from '../../fault-server/words/fault.ts';
import type { Meant } from '../../invariants/invariants.ts';
import type { HarnessOptions } from '../harness.ts';
import type { Values } from '../scripted/host-ports.ts';

/** A tool of a server: how long it takes, what it answers, whether it announces that the tools have changed. */
export interface ToolData {
  /** ms until it answers; without: it answers at once. */
  readonly takes?: number;
  /** Until it answers it says so often how far it is; without: it says nothing. */
  readonly progressEveryMs?: number;
  /** Without: it takes any object. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /** Without: it promises nothing. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** The result as MCP has it; without: one text. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Says with each call that the tools have changed. */
  readonly changes?: boolean;
}
/** How a server behaves: the same words as those of the fault server. */
export interface Behaviour {
  /** By name; without: it has none. */
  readonly tools?: Readonly<Record<string, ToolData>>;
  /** What goes wrong with it; without: nothing. */
  readonly faults?: readonly Fault[];
}
/** A server of the config, and how it behaves. */
export interface ServerData extends Behaviour, ServerSettings {
  /** Unique in its plan. */
  readonly name: string;
  /** URIs of what it has and lets watch: windows, documents, anything; without: it has no resources. */
  readonly resources?: readonly string[];
  /** It is not in the config with which the computer starts. */
  readonly isAbsent?: true;
  /** From its n-th start on it behaves so. */
  readonly later?: Readonly<Record<number, Behaviour>>;
  /** Its results go through a program, which gives them a mark, ends itself, or does not end; in virtual time only. */
  readonly program?: ProgramData;
  /** What it was launched with, and says on stderr when it dies; in virtual time only. */
  readonly secret?: string;
}
/** A server as it stands in a later config: what is not said is as at the beginning. */
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
  /** Of a server of the plan. */
  readonly name: string;
}
/** `always` and `never` count for the whole session; `nobody` gives no answer. */
export type PersonWord = 'yes' | 'always' | 'no' | 'never' | 'nobody';
/**
 * What the person does who is asked to confirm; without: nobody is asked. `yes after 700`: thinks for so many ms, and
 * answers whether or not the question is still open.
 */
export type PersonData = PersonWord | `${PersonWord} after ${number}`;
/** The word, and how long it takes; undefined: no longer than anybody's. */
export function personIn(person: PersonData): { readonly word: PersonWord; readonly afterMs?: number } {
  const [word, , ms] = person.split(' ');
  return ms === undefined ? { word: word as PersonWord } : { word: word as PersonWord, afterMs: Number(ms) };
}
/** What the host's own rule says of every call; `never`: nothing, for ever. Without: ours is asked. */
export type PermissionData = 'allow' | 'ask' | 'deny' | 'throws' | 'never';
/** What the program over the results of a server does. */
export type ProgramData = 'works' | 'fails' | 'hangs';

/** What our host and the world can be compared by. */
export const aspects = ['calls', 'shown', 'visits', 'signals', 'requests', 'processes', 'heard'] as const;
/** One thing in which reality and virtual time are compared. */
export type Aspect = (typeof aspects)[number];

/** Where a server stands: see `ServerStatus.state`. */
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
/** Who can be closed and started again. */
export type Root = 'office' | 'computer' | 'agent';
/** What somebody else may kill a server with. */
export type OutsideSignal = 'SIGKILL' | 'SIGSEGV' | 'SIGABRT';

/** One thing after another. `server`, `call` are names. */
export type Step =
  /** Until every server is ready or rests, and whoever has a link has joined. */
  | { readonly do: 'ready' }
  | {
      readonly do: 'call';
      readonly call: string;
      readonly by: 'host' | 'agent';
      readonly tool: string;
      /** Its arguments; without: none. */
      readonly params?: Readonly<Record<string, unknown>>;
      /** What it is called on the wire. */
      readonly reqId: string;
      readonly timeoutMs: number;
    }
  | { readonly do: 'cancel'; readonly call: string }
  /** Somebody asks for the Desktop or the Finder of the computer; `query` as the wire has it. */
  | {
      readonly do: 'show';
      readonly ask: string;
      readonly by: 'host' | 'agent';
      readonly collection: ResourceCollection;
      readonly query: Readonly<Record<string, unknown>>;
    }
  /** Somebody reads one resource, whoever has it. */
  | { readonly do: 'read'; readonly ask: string; readonly by: 'host' | 'agent'; readonly uri: string }
  /** Until that question is answered. */
  | { readonly do: 'shown'; readonly ask: string }
  | { readonly do: 'settled'; readonly call: string }
  /** Until the server comes to this stage once more since it was last waited for. */
  | { readonly do: 'reaches'; readonly server: string; readonly stage: Stage }
  /** Until it has been asked this so often, or was sent this. */
  | { readonly do: 'asked'; readonly server: string; readonly method: string; readonly count: number }
  | { readonly do: 'signalled'; readonly server: string; readonly signal: string; readonly count: number }
  /** Until the host of `who` has heard this so often. */
  | {
      readonly do: 'heard';
      readonly who: 'computer' | 'agent';
      readonly event: string;
      readonly count: number;
    }
  | { readonly do: 'start'; readonly server: string }
  | { readonly do: 'stop'; readonly server: string }
  /** From now on somebody wants to hear when these resources change, and no others. */
  | { readonly do: 'watch'; readonly server: string; readonly uris: readonly string[] }
  /** The whole config from now on: who is not named is gone. Another `generation`: another launch config; other `values`: they are asked for again. */
  | { readonly do: 'config'; readonly servers: readonly ConfigEntry[] }
  /** From now on its inputs give these, no value (`none`), or nothing for ever (`never`); whoever is asked takes `ms`. */
  | { readonly do: 'values'; readonly server: string; readonly values: Values; readonly ms?: number }
  | { readonly do: 'kill'; readonly server: string; readonly signal: OutsideSignal }
  | { readonly do: 'run'; readonly ms: number }
  /** The host of one of them asks it to end, or starts it again; nothing when it has ended, or is still there. */
  | { readonly do: 'close'; readonly who: Root }
  | { readonly do: 'begin'; readonly who: Root }
  /** From now on all is well: servers behave, wires hold, clocks go right. What cannot be launched stays so. */
  | { readonly do: 'clearFaults' }
  /** Everything had time to settle: what has to come in the end has to be there by now. */
  | { readonly do: 'quiescent' }
  /** A fault of host, agent or clock. `agent.duplicateCall` is about a call, and makes another one of it. */
  | { readonly do: 'fault'; readonly fault: Fault; readonly call?: string; readonly as?: string }
  /** Until the computer has ended. */
  | { readonly do: 'ended' }
  /** What no other step can say; in virtual time only. */
  | { readonly do: 'code'; readonly act: (harness: never) => void }
  | { readonly do: 'expect'; readonly expect: Expectation };

/** Something that has to hold at its point of the plan. */
export type Expectation =
  | {
      readonly of: 'call';
      readonly call: string;
      /** null: it waits still. */
      readonly outcome: Outcome | null;
      readonly end?: CallEnd;
      readonly phase?: CallPhase | null;
      readonly code?: Failure['code'];
      /** A part of the failure's sentence. */
      readonly says?: string;
      /** A part of what the server answered. */
      readonly result?: Readonly<Record<string, unknown>>;
      readonly details?: Readonly<Record<string, unknown>>;
      /** So long after it was asked; in virtual time only. */
      readonly at?: number;
    }
  /** What was shown; what is not named is not looked at. `uris` in their order, `texts` are parts of theirs. */
  | {
      readonly of: 'shown';
      readonly ask: string;
      readonly uris?: readonly string[];
      readonly texts?: readonly string[];
      readonly total?: number;
      readonly missing?: readonly string[];
      /** Of the failure; null: there is none. */
      readonly code?: Failure['code'] | null;
    }
  /** What its processes were launched with, one after the other: generation and 1,000 times the values. */
  | { readonly of: 'specs'; readonly server: string; readonly specs: readonly number[] }
  | { readonly of: 'visits'; readonly server: string; readonly stages: readonly Stage[] }
  /** The stage it is in. */
  | { readonly of: 'is'; readonly server: string; readonly stage: Stage }
  /** Parts of the sentence of its last failure. */
  | { readonly of: 'says'; readonly server: string; readonly texts: readonly string[] }
  /** `SIGTERM@500`: so long after the first one, in virtual time only. */
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
  /** `+read`, `-read`: what the host heard of the tools, in order. */
  | { readonly of: 'tools'; readonly changes: readonly string[] }
  /** How often the host of `who` heard this. */
  | {
      readonly of: 'heard';
      readonly who: 'computer' | 'agent';
      readonly event: string;
      readonly count: number;
    }
  /** The stages of the computer, or of somebody's link. */
  | {
      readonly of: 'stages';
      readonly who: 'computer' | 'computer link' | 'agent link';
      readonly stages: readonly string[];
    };

/** What code finds on the stage, and which faults it means. */
export type StageOptions = HarnessOptions & Meant;
/** A whole scenario as data, but for steps of code. */
export interface Plan {
  /** Unique among all scenarios. */
  readonly title: string;
  /** All that ever stand in its config. */
  readonly servers: readonly ServerData[];
  /** What happens and is waited for, in order. */
  readonly steps: readonly Step[];
  /** Delays in ms in the place of `planTiming`. */
  readonly timing?: Partial<Timing>;
  /** Without: nobody is asked. */
  readonly person?: PersonData;
  /** Without: our own rule is asked. */
  readonly permission?: PermissionData;
  /** How many calls of all servers together run at once, and how many wait for that; without: any number. */
  readonly total?: CallLimits;
  /** There is an office, the computer `c1` sits in it, and so does an agent `a1`. */
  readonly office?: true;
  /**
   * Servers and ports of its own in virtual time: the plan starts nothing, and its other members do not count.
   * @internal
   */
  readonly stage?: StageOptions;
  /** Why this cannot be played for real. */
  readonly virtualOnly?: string;
  /** In what reality may differ from virtual time, and why. */
  readonly differs?: readonly { readonly because: string; readonly aspects: readonly Aspect[] }[];
}

/** Short enough to be played for real, long enough for a busy machine. */
export const planTiming: Timing = {
  ...timing,
  ...calm,
  connectMs: 8_000,
  listMs: 8_000,
  backoffMs: 100,
  longestBackoffMs: 100,
  drainMs: 200,
  // Long, because whoever hangs for a moment would send a signal that nobody needs.
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

/** Aspects in which reality may differ from virtual time. */
export const differing = (plan: Plan): ReadonlySet<Aspect> =>
  new Set((plan.differs ?? []).flatMap((d) => d.aspects));

/** Can be written down as JSON: it has no code. */
export const isData = ({ steps }: Plan): boolean => steps.every((step) => step.do !== 'code');

/** Every word of the fault vocabulary that a plan says. */
export function wordsOf({ servers, steps }: Plan): string[] {
  const behaviours = servers.flatMap((s) => [s, ...Object.values(s.later ?? {})]);
  return [
    ...behaviours.flatMap(({ faults = [] }) => faults.map((f) => f.fault)),
    ...steps.flatMap((step) => (step.do === 'fault' ? [step.fault.fault] : [])),
  ];
}
