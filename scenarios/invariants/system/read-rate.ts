import type { Found, RecordOf, Said } from '../invariant.ts';

/** So often one machine may read one resource in a moment: several may want it, a change has it read once more. */
const mostAtOnce = 20;
const momentMs = 50;
type Fields = Said<{ method: string; params: { readonly uri?: string } }>;

/** How often each machine has read each resource in this moment: who reads again and again must let time pass. */
export class ReadRate {
  readonly #reads = new Map<string, number>();
  #began = 0;

  take({ a, ev }: RecordOf<'out'>, at: number): Found | undefined {
    const { method, params } = ev as Fields;
    if (method !== 'resources/read') return undefined;
    if (at - this.#began >= momentMs) {
      this.#reads.clear();
      this.#began = at;
    }
    const key = `${a} ${params?.uri ?? ''}`;
    const count = (this.#reads.get(key) ?? 0) + 1;
    this.#reads.set(key, count);
    return count === mostAtOnce + 1
      ? { at: a, what: `reads ${params?.uri ?? ''} ${count} times in a moment` }
      : undefined;
  }
}
