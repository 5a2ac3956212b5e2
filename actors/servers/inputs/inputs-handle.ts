/** The inputs of a computer as its host has them: what its config defines, and the values that are known. */

import type { InputDefinition } from '../../../machines/config/index.ts';

/** What a host holds of the inputs of a computer (docs/config.md, Inputs). */
export interface ComputerInputs {
  /** In the order of the config. */
  list(): readonly InputDefinition[];
  /** One of them, or undefined. */
  get(id: string): InputDefinition | undefined;
  /**
   * Adds inputs, or puts them in the place of those with their ids, whose values are forgotten: one definition, or a list. Resolves
   * when servers that use them know it; rejects with every mistake (`ConfigInvalid`), and then nothing has changed.
   */
  add(definitions: unknown): Promise<void>;
  /** These and no others from now on. Rejects as `add` does. */
  load(definitions: unknown): Promise<void>;
  /** Resolves to false when there is none with this id. */
  remove(id: string): Promise<boolean>;
  /** Values that were answered or set. Those of the environment and defaults are not among them. */
  readonly values: {
    /** Undefined: it was not asked for yet. Passwords are given as they are. */
    get(id: string): unknown;
    /**
     * Servers have it from their next start, restart or retry on, and nobody is asked: kept until it is removed or cleared, set
     * again, or its definition changes. A variable of the environment comes first. False: no input has this id, or the value is none
     * of its options. Who is just asked needs not answer any more.
     */
    set(id: string, value: unknown): boolean;
    /** The next server that wants it asks again. False: nothing was known. */
    remove(id: string): boolean;
    /** By id. */
    list(): Readonly<Record<string, unknown>>;
    /** Forgets all of them. False: there was none. */
    clear(): boolean;
  };
}
