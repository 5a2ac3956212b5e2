import { edited, type Edit } from '../../../machines/config/json-text.ts';
import type { Ports } from '../../../machines/kernel/ports.ts';
import type { FileFound } from '../../../machines/presenter/settings.rules.ts';

interface Clock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
/** So long a disk takes. */
const diskMs = 2;

/** A fake of the port `configFile`: one file that is always right, on virtual time. */
export class ScriptedConfigFile {
  readonly #clock: Clock;
  #text: string;
  /** Nothing can be written any more. */
  isFull = false;

  constructor(clock: Clock, text = '{}') {
    this.#clock = clock;
    this.#text = text;
  }
  request: Ports['request'] = (_from, { id, method, params }, emit) => {
    const { edits = [] } = (params ?? {}) as { readonly edits?: readonly Edit[] };
    const timer = this.#clock.setTimeout(() => {
      if (method === 'write' && this.isFull) {
        const failure = { code: 500, message: 'the disk is full' } as const;
        return emit({ type: 'ask.refused', id, sent: true, failure });
      }
      const made = edited(this.#text, method === 'write' ? edits : []);
      if (made.ok) this.#text = made.text;
      const value = JSON.parse(this.#text) as Readonly<Record<string, unknown>>;
      const isTaken = made.ok && made.isTaken;
      const found: FileFound = { kind: 'good', value, mark: this.#text, isTaken };
      emit({ type: 'ask.answered', id, result: found });
    }, diskMs);
    return () => this.#clock.clearTimeout(timer);
  };
}
