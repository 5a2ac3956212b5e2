import type { Tool } from '../../../../machines/catalog/entries.ts';
import type { Fault } from '../../../fault-server/words/fault.ts';
import { createChanges, createTools, type OwnTools } from '../../../fault-server/own/own-tools.mjs';
import type { Act, Happening, Own, Truth, ResourcesTruth, Script } from '../../scripted/script.ts';
import {
  createResourceChanges,
  createResources,
  distortions,
  noResource,
  type Given,
  type OwnResources,
} from '../../../fault-server/own/own-resources.mjs';

type Params = Readonly<Record<string, unknown>>;

export const isDistortion = (word: string): boolean =>
  word === 'resource.gone' || Object.hasOwn(distortions, word);
/** In the order of the fault server, whatever the order of the faults. */
export function distorted(faults: readonly Fault[], contents: readonly Given[]): readonly Given[] {
  let given = contents;
  for (const [word, distort] of Object.entries(distortions)) {
    const fault = faults.findLast((each) => each.fault === word);
    if (fault) given = distort(given, fault);
  }
  return given;
}

export class ScriptedResources {
  readonly #resources: OwnResources;
  readonly #isOver: () => boolean;
  /** Revisions at the last list request and at the last announced change. */
  #listed = -1;
  #told = -1;
  /** Changed, or answered wrongly, since the last announced change. */
  readonly #untold = new Set<string>();
  #changes: ReturnType<typeof createResourceChanges> | undefined;

  constructor(server: string, configured: readonly string[], isOver: () => boolean) {
    this.#resources = createResources(server, configured, (uri) => this.#untold.add(uri));
    this.#isOver = isOver;
  }
  /** Undefined for words that change no resources. */
  happeningOf(fault: Fault): Happening | undefined {
    if (!fault.fault.startsWith('resource.')) return undefined;
    return { afterMs: fault.afterMs ?? 0, does: (own) => this.#changesOf(own).get(fault.fault)?.(fault) };
  }
  #changesOf(own: Own): ReturnType<typeof createResourceChanges> {
    this.#changes ??= createResourceChanges({
      resources: this.#resources,
      say: (list) => own.announce(list, () => (this.#told = this.#resources.revision)),
      update: (uri, written = uri) => own.update(written, () => this.#untold.delete(uri)),
      mention: (uri) => own.update(uri, () => (this.#told = this.#resources.revision)),
      after: (ms, run) => own.after(ms, run),
      isOver: this.#isOver,
    });
    return this.#changes;
  }
  methods(leave: (uri: string, contents: readonly Given[]) => Act): NonNullable<Script['methods']> {
    const all = this.#resources;
    const noted = (note: (uri: string) => void) => {
      return ({ arguments: given }: { readonly arguments: Params }): Act => {
        note(String(given['uri']));
        return { answers: {} };
      };
    };
    return {
      'resources/list': () => {
        this.#listed = all.revision;
        return { answers: { resources: all.list().map((uri) => ({ uri, name: uri })) } };
      },
      'resources/read': ({ arguments: given }) => {
        const uri = String(given['uri']);
        const contents = all.read(uri);
        return contents ? leave(uri, contents) : { errors: 'Resource not found', code: noResource };
      },
      'resources/subscribe': noted((uri) => all.subscribe(uri)),
      'resources/unsubscribe': noted((uri) => all.unsubscribe(uri)),
    };
  }
  lie(uri: string): void {
    this.#untold.add(uri);
  }
  truth(): ResourcesTruth {
    const { revision } = this.#resources;
    return {
      uris: this.#resources.list(),
      read: (uri) => this.#resources.read(uri) ?? [],
      isListed: this.#listed === revision,
      isTold: this.#told === revision,
      isKnowable: (uri) => !this.#untold.has(uri),
      isSubscribed: (uri) => this.#resources.isSubscribed(uri),
    };
  }
}

const methodNotFound = -32_601;

export class ScriptedLists {
  readonly #tools: OwnTools;
  readonly #isOver: () => boolean;
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
  tell(): void {
    this.#told = this.#tools.revision;
  }
  listed(act: Exclude<Act, (...args: never) => unknown>): typeof act {
    this.#listed = this.#tools.revision;
    // A server that answers "method not found" has no such list and is not asked again.
    this.#isDisowned = 'errors' in act && act.code === methodNotFound;
    return act;
  }
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
