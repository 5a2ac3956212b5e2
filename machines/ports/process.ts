/** Port `process`: one child in a group of its own. */
import type { Address } from '../kernel/effects.ts';
import { callbackPort, type OpenPort } from '../kernel/ports.ts';

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
export type OpenProcess = OpenPort<ProcessInput, ProcessCommand, ProcessFact>;
