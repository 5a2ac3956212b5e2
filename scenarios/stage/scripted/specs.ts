import type { Ports } from '../../../machines/kernel/ports.ts';
import type { Resolve, Resolved } from '../../../machines/client/client.events.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';

/** What the placeholders of a server stand for: values by a number, none, or a question that nobody answers. */
export type Values = number | 'none' | 'never';
interface Clock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
const missing = (server: string): Failure => ({
  code: 'InputNotFound',
  message: `Server '${server}' needs input word (nobody gave a value)`,
  details: { server_name: server, input_id: 'word' },
  remedy: `Answer when asked, then start it again: servers start ${server}`,
});

/** A fake of the port `spec`: generation and values are the launch spec. */
export class ScriptedSpecs {
  readonly #clock: Clock;
  readonly #values = new Map<string, { readonly values: Values; readonly ms: number }>();
  /** Questions that nobody answers. */
  readonly #open = new Set<() => void>();
  #areFaultsCleared = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }
  /** How many questions wait for an answer that does not come. */
  get waiting(): number {
    return this.#open.size;
  }
  /** From now on; whoever is asked for them takes so long. */
  set(server: string, values: Values, ms = 0): void {
    this.#values.set(server, { values, ms });
  }
  /** From now on every value can be had at once; who waits for one has it. */
  clearFaults(): void {
    this.#areFaultsCleared = true;
    for (const answer of this.#open) answer();
    this.#open.clear();
  }
  request: Ports['request'] = (_from, { id, params }, emit) => {
    const { server, generation } = params as Resolve;
    const { values, ms } = this.#now(server);
    if (values === 'never') {
      const later = (): void => emit({ type: 'ask.answered', id, result: { spec: generation } });
      this.#open.add(later);
      return () => void this.#open.delete(later);
    }
    const answer = (): void =>
      emit(
        values === 'none'
          ? { type: 'ask.refused', id, sent: false, failure: missing(server) }
          : {
              type: 'ask.answered',
              id,
              result: { spec: generation + values * 1_000 } satisfies Resolved,
            },
      );
    if (ms === 0) {
      answer();
      return () => {};
    }
    const timer = this.#clock.setTimeout(answer, ms);
    return () => this.#clock.clearTimeout(timer);
  };
  #now(server: string): { readonly values: Values; readonly ms: number } {
    const now = this.#values.get(server) ?? { values: 0, ms: 0 };
    if (!this.#areFaultsCleared) return now;
    return { values: typeof now.values === 'number' ? now.values : 0, ms: 0 };
  }
}
