import { cut } from './messages/noise.ts';
import type { Waits } from '../../machines/kernel/ports.ts';
import type { Timers } from '../clock.ts';
import type { McpTransport, Notice } from './transport.ts';

/** A handshake that is done sooner is told of by nobody. */
const tellMs = 1_000;

interface Around {
  /** Where its lines come from, as people are told. */
  readonly source: 'stdout' | 'it';
  readonly timers: Timers;
  readonly now: () => number;
  readonly redact: ((text: string) => string) | undefined;
  readonly tell: (waits: Waits) => void;
}

/** Tells what a handshake that takes long waits for and what came instead; each change once, at most one a second. */
export class Handshake {
  readonly #transport: McpTransport;
  readonly #around: Around;
  readonly #begun: number;
  #lines = 0;
  #last = '';
  #others = 0;
  #told = '';
  #timer: unknown;

  constructor(transport: McpTransport, around: Around) {
    this.#transport = transport;
    this.#around = around;
    this.#begun = around.now();
    this.#wait();
  }
  count({ kind, text }: Notice): void {
    if (kind !== 'garbage') this.#others += 1;
    else {
      this.#lines += 1;
      this.#last = text;
    }
  }
  /** The session is open, or will never be. */
  over(): void {
    this.#around.timers.clearTimeout(this.#timer);
  }
  #wait(): void {
    this.#timer = this.#around.timers.setTimeout(() => {
      this.#wait();
      this.#look();
    }, tellMs);
  }
  #look(): void {
    const { for: step, since } = this.#transport.step ?? { for: 'initialize', since: this.#begun };
    const waits = { for: step, since: new Date(since).toISOString(), came: this.#came() } as const;
    const now = JSON.stringify(waits);
    if (now === this.#told) return;
    this.#told = now;
    this.#around.tell(waits);
  }
  #came(): string {
    const { source, redact } = this.#around;
    const { heldBytes = 0 } = this.#transport;
    const had = source === 'stdout' ? 'stdout had' : 'it sent';
    const lines =
      this.#lines === 1 ? '1 line that is no message' : `${this.#lines} lines that are no messages`;
    const said = [
      this.#lines > 0 && `${had} ${lines}, the last: ${JSON.stringify(cut(this.#last, redact))}`,
      this.#others > 0 && `${had} ${this.#others} messages that are not the answer`,
      heldBytes > 0 && `${source} has ${heldBytes} bytes without a line end`,
    ];
    return said.filter((part) => part !== false).join('; ');
  }
}
