import type { Notice } from '../transport.ts';

/** What a server wrote that reached nobody, counted since its first session. `last`: at most 200 characters of it. */
export interface Noise {
  /** Lines that are no JSON-RPC messages, such as logs on stdout. */
  readonly garbage: number;
  /** Messages that are longer than `sizes.stdioMessageBytes` and answer nothing. */
  readonly overlong: number;
  /** Answers to questions that were never asked. */
  readonly unknownId: number;
  /** Answers to calls that were cancelled or timed out, or second ones. */
  readonly lateAnswer: number;
  /** Progress of calls that had ended. */
  readonly lateProgress: number;
  /** Whatever else MCP does not allow. */
  readonly protocol: number;
  /** The last of them, cut after 200 characters, secrets hidden; absent: there was none. */
  readonly last?: string;
}
const silence: Noise = { garbage: 0, overlong: 0, unknownId: 0, lateAnswer: 0, lateProgress: 0, protocol: 0 };

/** What a server wrote, as it is shown: secrets are looked for in the whole of it. */
export const cut = (text: string, redact: (text: string) => string = (all) => all): string =>
  redact(text).slice(0, 200);

export class NoiseMeter {
  /** `last` as it came: few are asked for, and there may be very many. */
  readonly #byServer = new Map<string, Noise>();
  readonly #redact: ((text: string) => string) | undefined;

  constructor(redact?: (text: string) => string) {
    this.#redact = redact;
  }

  count(server: string, { kind, text }: Notice): void {
    const noise = this.#byServer.get(server) ?? silence;
    this.#byServer.set(server, { ...noise, [kind]: noise[kind] + 1, last: text });
  }
  of(server: string): Noise {
    const noise = this.#byServer.get(server);
    if (noise?.last === undefined) return silence;
    return { ...noise, last: cut(noise.last, this.#redact) };
  }
}
