import type { AnyStateMachine } from 'xstate';
import type { Address } from '../../machines/kernel/effects.ts';
import type { OpenPort, RequestPort } from '../../machines/kernel/ports.ts';

export type Kinds = Readonly<Record<string, AnyStateMachine>>;
export type Question = Parameters<RequestPort>[1];
/** Ports by the name under which machines invoke them. */
export type Ports = Readonly<Record<string, OpenPort>>;
/** What a host can do. A host has the parts that it uses, and the runtime knows none. */
export interface Part {
  /** Machines by the kind under which they are opened. */
  readonly kinds: Kinds;
  readonly ports?: Ports;
  /** Answers questions of machines; undefined for those of other parts. */
  readonly asked?: (question: Question) => RequestPort | undefined;
  /** Values that a machine is opened with, by name. They are computed at once, and recorded. */
  readonly draws?: Readonly<Record<string, (a: Address, params: object) => unknown>>;
  /** Called after all machines have ended; resolves when nothing is left. */
  close?(): Promise<void>;
}
