import type { Notice } from '../transport.ts';

/** Counts of what a server wrote that no caller received, since its first session. */
export interface Noise {
  /** Number of lines that are no JSON-RPC messages, such as logs on stdout. */
  readonly garbage: number;
  /** Number of messages that are longer than `sizes.stdioMessageBytes` and answer no request. */
  readonly overlong: number;
  /** Number of answers to requests that were never sent. */
  readonly unknownId: number;
  /** Number of answers to requests that were cancelled, timed out or already answered. */
  readonly lateAnswer: number;
  /** Number of progress notifications for requests that had ended. */
  readonly lateProgress: number;
  /** Number of violations of MCP by the server, without those that another counter here counts. */
  readonly protocol: number;
  /** Latest text of the server that was counted here, with secrets hidden, cut after 200 characters; absent without any. */
  readonly last?: string;
}
const silence: Noise = { garbage: 0, overlong: 0, unknownId: 0, lateAnswer: 0, lateProgress: 0, protocol: 0 };

/** Returns the first 200 characters of a server's text. Secrets are hidden before the cut. */
export const cut = (text: string, redact: (text: string) => string = (all) => all): string =>
  redact(text).slice(0, 200);

export class NoiseMeter {
  /** Counts by server. `last` is stored unredacted, because redaction costs time and is needed only when somebody asks. */
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
