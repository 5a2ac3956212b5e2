import type { Tool } from '../../../../machines/catalog/entries.ts';
import type { Fault } from '../../../fault-server/words/fault.ts';
import { createChanges, createTools, type OwnTools } from '../../../fault-server/own/own-tools.mjs';
import type { Act, Happening, Own, Truth } from '../../scripted/script.ts';

const methodNotFound = -32_601;

/** The tools that a scripted process has now, how its words change them, and what anybody can know of it. */
export class ScriptedLists {
  readonly #tools: OwnTools;
  readonly #isOver: () => boolean;
  /** As of which change it was asked for them, and has said that they changed. */
  #listed = -1;
  #told = -1;
  #isDisowned = false;
  #changes: ReturnType<typeof createChanges> | undefined;

  constructor(server: string, configured: object, isOver: () => boolean) {
    this.#tools = createTools(server, { ...configured });
    this.#isOver = isOver;
  }
  list(): readonly Tool[] {
    return this.#tools.list();
  }
  has(tool: string): boolean {
    return this.#tools.has(tool);
  }
  /** It has said that its tools changed. */
  tell(): void {
    this.#told = this.#tools.revision;
  }
  /** This is how it answers somebody who asks for them now. */
  listed(act: Exclude<Act, (...args: never) => unknown>): typeof act {
    this.#listed = this.#tools.revision;
    // Whoever says so has no such list, and is not asked again.
    this.#isDisowned = 'errors' in act && act.code === methodNotFound;
    return act;
  }
  /** What a word of changing lists does; undefined: it is another word. */
  happeningOf(fault: Fault): Happening | undefined {
    if (!/^(notify|list)\./.test(fault.fault)) return undefined;
    return { afterMs: fault.afterMs ?? 0, does: (own) => this.#changesOf(own).get(fault.fault)?.(fault) };
  }
  #changesOf(own: Own): ReturnType<typeof createChanges> {
    this.#changes ??= createChanges({
      tools: this.#tools,
      say: (list) => own.announce(list, () => list === 'tools' && this.tell()),
      after: (ms, run) => own.after(ms, run),
      isOver: this.#isOver,
    });
    return this.#changes;
  }
  truth(): Omit<Truth, 'resources'> {
    const { revision } = this.#tools;
    return {
      tools: this.#isDisowned ? [] : this.list(),
      isListed: this.#listed === revision,
      isTold: this.#told === revision,
    };
  }
}
