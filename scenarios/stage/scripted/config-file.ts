import type { Edit } from '../../../machines/config/index.ts';
import type { Ports } from '../../../machines/kernel/ports.ts';
import type { Found } from '../../../machines/settings/settings.rules.ts';

interface Clock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
/** So long a disk takes. */
const diskMs = 2;

/** A fake of the port `configFile`: one file that is always right, on virtual time. */
export class ScriptedConfigFile {
  readonly #clock: Clock;
  #value: Readonly<Record<string, unknown>> = {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }
  request: Ports['request'] = (_from, { id, method, params }, emit) => {
    const { edits = [] } = (params ?? {}) as { readonly edits?: readonly Edit[] };
    const timer = this.#clock.setTimeout(() => {
      if (method === 'write')
        for (const edit of edits) this.#value = { ...this.#value, [edit.path.join('.')]: edit };
      const found: Found = { kind: 'good', value: this.#value, mark: JSON.stringify(this.#value) };
      emit({ type: 'ask.answered', id, result: found });
    }, diskMs);
    return () => this.#clock.clearTimeout(timer);
  };
}
