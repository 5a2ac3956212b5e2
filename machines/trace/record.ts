/** Records of a host, before they are written. */
import type { EventObject } from 'xstate';
import type { Address, AnyEvent, Message } from '../kernel/effects.ts';
import { isObject } from '../protocol/json.ts';

/** Error that was thrown, in the form a trace stores. */
export interface Thrown {
  /** Name of the error class, such as `TypeError`. */
  readonly name: string;
  /** Message of the error. */
  readonly message: string;
}
/**
 * Record that the directory reports, in order, over all its actor systems. `in` and `draw` are all the input from
 * outside and all that a replay needs; everything else follows from them and can be compared.
 */
export type DirectoryRecord =
  | {
      readonly k: 'in';
      /**
       * Source of the input. `outlet`: a listener of the host is added or removed. `abandon`: the host ends a
       * tree of actors by force.
       */
      readonly via: 'start' | 'host' | 'abandon' | 'outlet' | 'leaf' | 'ask' | 'timer' | 'deadline';
      /** Address of the root, port instance or subscriber that receives the input. */
      readonly a: Address;
      /** Number of the timer that fired. */
      readonly n?: number;
      /** Id of the question that was answered. */
      readonly id?: string;
      readonly ev?: AnyEvent;
      readonly orElse?: Message;
      /** Config as the host gave it, when the machines receive a plan made from it. */
      readonly given?: object;
    }
  /**
   * Value that a machine got at once, without an event: a random number, a verdict of a judge, or an error that was
   * thrown.
   */
  | {
      readonly k: 'draw';
      readonly a: Address;
      /** Source of the value: `random`, `judge`, `outlet`, or the port that threw. */
      readonly port: string;
      /** Value: a number in [0, 1) from `random`, a verdict or null from `judge`. */
      readonly v?: unknown;
      readonly threw?: Thrown;
      /** Number of the message that was being delivered to a subscriber when it threw. */
      readonly n?: number;
    }
  | {
      readonly k: 'post';
      readonly from: Address;
      readonly a: Address;
      readonly ev: AnyEvent;
      /**
       * Set when the receiver no longer exists: `expected` when the sender marked the message as optional,
       * else `lost`.
       */
      readonly dead?: 'lost' | 'expected';
    }
  | {
      readonly k: 'open';
      readonly a: Address;
      readonly kind: string;
      readonly from: Address;
      readonly input: object;
      readonly will?: Message;
    }
  | {
      readonly k: 'end';
      readonly a: Address;
      readonly by?: Address;
      readonly why: 'done' | 'failed' | 'closed';
      readonly output?: unknown;
      readonly error?: string;
    }
  | {
      readonly k: 'timer';
      readonly op: 'set' | 'clear';
      readonly via?: 'timer' | 'deadline';
      readonly a: Address;
      readonly n: number;
      readonly ms?: number;
      /** Purpose of a timer that is set: the name of its delay, such as `connectTimeout`. */
      readonly for?: string;
      /** True for a timer cleared after it was due but before it fired, because the host was busy. */
      readonly late?: true;
    }
  /** Command to a port instance, a question, or the end of either. */
  | { readonly k: 'out'; readonly port: string; readonly a: Address; readonly ev: AnyEvent }
  /** Violation of an invariant, reported at the address where it occurred. */
  | { readonly k: 'defect'; readonly a: Address; readonly what: string };

/** By the host's program between two crossings, for people to read: `computer.debug.mark('checkout retry')`. */
export interface Mark {
  readonly k: 'mark';
  readonly text: string;
}

export type FrameVia = 'mcp' | 'socket' | 'relay';
/** JSON-RPC of a session, event of a seat, or relayed call; for inspection, a replay does not need it. */
export interface Frame {
  readonly k: 'frame';
  /** Session, link or office: `computer/client:fs#3/session#1`. */
  readonly a: Address;
  readonly via: FrameVia;
  /** Actor that made the request of the message; absent when no actor did. */
  readonly by?: Address;
  readonly dir: 'in' | 'out';
  /** Complete; name, id and any truncation are added when the frame is written. */
  readonly json: unknown;
  /** Written in place of those made from `json`. */
  readonly read?: Readonly<Record<string, unknown>>;
}

export interface ChannelEvent {
  readonly ch: string;
  readonly ev: EventObject;
}
/** At the first kept record of a trace whose beginning was dropped; any version can go on from it. */
export interface Facts {
  readonly k: 'facts';
  /** They led the hosts to their current state; in words of the public API. */
  readonly orders: readonly ChannelEvent[];
  /** On open channels, as far as they are still true: the answer to `initialize`, seats, sockets. */
  readonly told: readonly ChannelEvent[];
  /** Last exit of each closed port; its channel has no number: `process:files`. */
  readonly ended: readonly ChannelEvent[];
  /** By the question's channel without its number; calls and questions about their results are left out. */
  readonly answers: readonly ChannelEvent[];
  /** In the order in which they came. */
  readonly open: readonly ChannelEvent[];
  /** Returned at once (`draw`), without an event, for calls that are still open. */
  readonly draws: readonly { readonly ch: string; readonly v: unknown }[];
  /** `left` is in ms. */
  readonly timers: readonly { readonly ch: string; readonly left: number }[];
}
export const withoutNumber = (ch: string): string => ch.replace(/\/\d+$/, '');

/** Living actor in a checkpoint; times are in ms. */
export interface LivingRoot {
  readonly a: Address;
  readonly kind: string;
  readonly owner: Address | null;
  /** Time since it was opened, and since it entered its state. */
  readonly age: number;
  readonly inState: number;
  /** Its timers, with the time until each fires. */
  readonly holds: readonly {
    readonly held: 'timer' | 'deadline';
    readonly n: number;
    readonly left: number;
  }[];
  readonly snapshot: { readonly value: unknown; readonly context: unknown };
}
/** All living actors between two inputs, with which the records for a page begin; no file has one. */
export interface Checkpoint {
  readonly k: 'key';
  /** Owners come before the roots that they own. */
  readonly roots: readonly LivingRoot[];
}

/** One microstep of a machine, recorded in traces of the profiles `steps` and `full`. */
export interface Step {
  readonly k: 'step';
  /** Address of the root whose machine took the step. */
  readonly a: Address;
  /** Type of the event that caused the step. */
  readonly ev: string;
  /** State value after the step. */
  readonly v: unknown;
  /**
   * Transitions that were taken, such as `client: idle --server.start--> launching`; empty when the event
   * changed nothing.
   */
  readonly tr: readonly string[];
  /** Final status of the machine: `done`, `error` or `stopped`; absent while it lives. */
  readonly st?: string;
  /** Context fields that changed (profile `full`); all fields with the first step. */
  readonly ctx?: Readonly<Record<string, unknown>>;
  /** Names of context fields that were removed. */
  readonly gone?: readonly string[];
}
/** Parallel regions are ignored, because a server that is pinged stays ready. */
export function isSameOutside(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other;
  const [key = '', ...more] = Object.keys(one);
  return key in other && (more.length > 0 || isSameOutside(one[key], other[key]));
}
export function contextAfter(
  before: unknown,
  { ctx, gone = [] }: { readonly ctx?: unknown; readonly gone?: unknown },
): Readonly<Record<string, unknown>> {
  const next = { ...(before as object | undefined), ...(ctx as object | undefined) } as Record<
    string,
    unknown
  >;
  for (const key of Array.isArray(gone) ? (gone as string[]) : []) delete next[key];
  return next;
}
