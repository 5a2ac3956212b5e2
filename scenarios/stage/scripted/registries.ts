import type { Ports } from '../../../machines/kernel/ports.ts';
import type { Probe, Probed } from '../../../machines/process/registry.machine.ts';

/** How a registry answers: after so many ms whether it can be used; `fails` breaks the question, `hangs` never answers. */
export type RegistryAct = { readonly ms: number; readonly isUsable: boolean } | 'fails' | 'hangs';
interface Clock {
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** A fake of the port `npmRegistry`. Who is not named hangs. */
export class ScriptedRegistries {
  readonly acts = new Map<string, RegistryAct>();
  /** Who was asked, and whose question was withdrawn before it was answered, in this order. */
  readonly probed: string[] = [];
  readonly aborted: string[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }
  request: Ports['request'] = (_from, { id, params }, emit) => {
    const { registry } = params as Probe;
    this.probed.push(registry);
    const act = this.acts.get(registry) ?? 'hangs';
    const abort = (): void => void this.aborted.push(registry);
    if (act === 'hangs') return abort;
    if (act === 'fails') {
      emit({ type: 'ask.refused', id, sent: true, failure: { code: 500, message: 'it broke' } });
      return () => {};
    }
    let isAnswered = false;
    const timer = this.#clock.setTimeout(() => {
      isAnswered = true;
      emit({ type: 'ask.answered', id, result: { isUsable: act.isUsable } satisfies Probed });
    }, act.ms);
    return () => {
      this.#clock.clearTimeout(timer);
      if (!isAnswered) abort();
    };
  };
}
