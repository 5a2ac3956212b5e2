import { fastestRegistry } from '../../adapters/npm-registry.ts';

/** For all probes of registries together. */
const limitMs = 3_000;
/** Time in ms for which the fastest registry is used, and for which the first of a list is when none has answered. */
const keepMs = 24 * 3_600_000;
const retryMs = 60_000;

interface RegistriesOptions {
  now(): number;
  notice(text: string): void;
  readonly fastestOf?: typeof fastestRegistry;
}
interface Choice {
  readonly registry: string | undefined;
  /** In ms since 1970. */
  readonly until: number;
}

/** All registries of a list are asked at once, and the first answer is remembered. */
export class Registries {
  readonly #options: RegistriesOptions;
  readonly #end = new AbortController();
  #last: { readonly list: string; readonly choice: Promise<Choice> } | undefined;
  #isWarned = false;

  constructor(options: RegistriesOptions) {
    this.#options = options;
  }
  async fastest(list: readonly string[]): Promise<string | undefined> {
    const last = this.#last;
    const asked = list.join(' ');
    if (last?.list === asked) {
      const { registry, until } = await last.choice;
      if (this.#options.now() < until || this.#end.signal.aborted) return registry;
      if (this.#last !== last) return this.fastest(list);
    }
    const choice = this.#choose([...new Set(list)]);
    this.#last = { list: asked, choice };
    return (await choice).registry;
  }
  close(): void {
    this.#end.abort();
  }
  async #choose(list: readonly string[]): Promise<Choice> {
    const { now, fastestOf = fastestRegistry } = this.#options;
    const found = await fastestOf(list, AbortSignal.any([this.#end.signal, AbortSignal.timeout(limitMs)]));
    if (this.#end.signal.aborted) return { registry: undefined, until: 0 };
    if (found === undefined) return { registry: this.#first(list), until: now() + retryMs };
    return { registry: found, until: now() + keepMs };
  }
  /** Warns once: otherwise every server that uses npm would repeat it. */
  #first([first, ...rest]: readonly string[]): string | undefined {
    if (first === undefined || this.#isWarned) return first;
    this.#isWarned = true;
    const all = [first, ...rest].map(withoutCredentials).join(', ');
    this.#options.notice(
      `no npm registry of ${all} has answered as one within ${limitMs / 1_000} s: ${withoutCredentials(first)} is used, or name one in a2c.npmRegistry`,
    );
    return first;
  }
}

export const withoutCredentials = (url: string): string => url.replace(/^(https?:\/\/)[^/]*@/i, '$1***@');
