import type { Notice } from './carrier.ts';

/** What a server wrote that reached nobody, counted since its first session. `last`: at most 200 characters of it. */
export interface Noise {
  readonly garbage: number;
  readonly overlong: number;
  readonly unknownId: number;
  /** Answers to calls that were cancelled or timed out, or second ones. */
  readonly lateAnswer: number;
  readonly lateProgress: number;
  readonly protocol: number;
  readonly last?: string;
}
const silence: Noise = { garbage: 0, overlong: 0, unknownId: 0, lateAnswer: 0, lateProgress: 0, protocol: 0 };

export class NoiseMeter {
  readonly #byServer = new Map<string, Noise>();

  count(server: string, { kind, text }: Notice): void {
    const noise = this.of(server);
    this.#byServer.set(server, { ...noise, [kind]: noise[kind] + 1, last: text.slice(0, 200) });
  }
  of(server: string): Noise {
    return this.#byServer.get(server) ?? silence;
  }
}
