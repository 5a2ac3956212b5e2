import type { RefusedPeer } from '../../adapters/index.ts';
import type { CallPhase, Outcome } from '../../machines/call/messages.ts';
import type { Failure } from '../../machines/protocol/index.ts';

/** From what is told most to what is told least. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
/**
 * How much is told. `error`: what failed for good. `warn`: also what is tried again by itself. `info`: also who comes and goes, how
 * calls ended, and what became of servers. `debug`: also questions beside calls, requests to MCP servers, and
 * refusals that are no failure.
 */
export type LogLevel = (typeof logLevels)[number];
export const isTold = (level: LogLevel, least: LogLevel): boolean =>
  logLevels.indexOf(level) >= logLevels.indexOf(least);

/** Something that happened, seen by one layer. Secrets are hidden in it, and its texts have at most 1,000 characters. */
export interface LogEntry {
  /** When it was seen: ISO 8601, UTC. */
  readonly time: string;
  /** `warn` and `error` are failures; a `warn` is tried again by itself. */
  readonly level: LogLevel;
  /**
   * Layer that tells it: the agent, the office that relays, the seat of a computer or agent in an office (`link`),
   * the computer with its policy and its calls, the session with an MCP server, a machine of ours.
   */
  readonly layer: 'agent' | 'office' | 'link' | 'computer' | 'server' | 'machine';
  /** A method of the wire or of MCP (`client:tool_call`, `tools/call`), or what was told (`call.settled`, `seat.changed`). */
  readonly event: string;
  /** The call or question, by the name that it has at every layer; none where no question was under way. */
  readonly req_id?: string;
  /** Name of the server in the config. */
  readonly server?: string;
  /** The name by which the tool was called; none where it is about no call. */
  readonly tool?: string;
  /** The name of the computer in its office, where the office or the agent says it. */
  readonly computer?: string;
  /** The name of the agent in its office, where the office says it. */
  readonly agent?: string;
  /** The id of the office in which somebody took a seat or left it. */
  readonly office?: string;
  /** A connection to the office, by the id that Socket.IO has for it. */
  readonly peer?: string;
  /** Stage in which the call was. */
  readonly phase?: CallPhase;
  /** Known effect of the call: `unknown` when it was sent and never answered. */
  readonly outcome?: Outcome;
  /** ms that a call or question took, as this layer saw it: from the level `info` on. */
  readonly ms?: number;
  /** Code of a failure, as in `A2cError`: a number of the protocol, or a name of our own. */
  readonly code?: Failure['code'];
  /** Event in one sentence for a person. */
  readonly message: string;
}
/** Takes one entry. What it throws, or rejects, is a warning of the process and disturbs nothing else. */
export type Log = (entry: LogEntry) => void;
/** Options of a log. */
export interface LogOptions {
  /** Gets each failure as a structured entry (docs/operate.md). Default: none. */
  readonly log?: Log | undefined;
  /** From which level on `log` hears of it. Default `warn`: of failures only. */
  readonly logLevel?: LogLevel | undefined;
}

const mostCharacters = 1_000;
export const shortened = (entry: LogEntry): LogEntry =>
  Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      typeof value === 'string' && value.length > mostCharacters
        ? `${value.slice(0, mostCharacters - 1)}…`
        : value,
    ]),
  ) as unknown as LogEntry;

/** Lines that are told of the same address and reason before they are only counted. */
const firstOnes = 3;
const minuteMs = 60_000;
/** Pairs of an address and a reason that are known at once; what comes from others is counted in one line. */
const mostKnown = 50;

interface Known {
  readonly address: string;
  readonly detail: string;
  told: number;
  /** Refusals not told since the last minute ended. */
  more: number;
  isNew: boolean;
}

/**
 * Lines about refused peers, few enough that no peer can fill a log: the first ones of each address and reason, then
 * the number of further ones once a minute. A refusal for a reason of the office itself (503) counts as one reason
 * for all addresses. `close` tells the numbers so far.
 */
export class Refusals {
  readonly #tell: (address: string, text: string) => void;
  readonly #known = new Map<string, Known>();
  #others: Known | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (address: string, text: string) => void) {
    this.#tell = tell;
  }
  heard({ address, code, detail }: RefusedPeer): void {
    this.#timer ??= setInterval(() => this.#minute(), minuteMs).unref();
    const isOurs = code === 503;
    const from = isOurs ? 'several addresses' : address;
    const key = `${from} ${detail}`;
    let known = this.#known.get(key);
    if (!known && this.#known.size < mostKnown) {
      known = { address: from, detail, told: 0, more: 0, isNew: true };
      this.#known.set(key, known);
    }
    if (!known) {
      const more = (this.#others?.more ?? 0) + 1;
      this.#others = { address: 'other addresses', detail, told: 0, more, isNew: true };
      return;
    }
    known.isNew = true;
    if (known.told >= (isOurs ? 1 : firstOnes)) known.more += 1;
    else {
      known.told += 1;
      this.#tell(address, detail);
    }
  }
  close(): void {
    clearInterval(this.#timer);
    this.#count();
    this.#known.clear();
  }
  #minute(): void {
    this.#count();
    for (const [key, known] of this.#known)
      if (known.isNew) known.isNew = false;
      else this.#known.delete(key);
    if (this.#known.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
  #count(): void {
    for (const known of this.#known.values()) this.#countOf(known, 'more in a minute');
    if (this.#others) this.#countOf(this.#others, 'more of other addresses in a minute, the last');
    this.#others = undefined;
  }
  #countOf(known: Known, what: string): void {
    if (known.more > 0) this.#tell(known.address, `${known.more} ${what}: ${known.detail}`);
    known.more = 0;
  }
}
