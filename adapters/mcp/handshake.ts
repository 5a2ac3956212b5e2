import { cut } from './messages/noise.ts';
import type { Waits } from '../../machines/kernel/ports.ts';
import type { Timers } from '../clock.ts';
import type { McpTransport, Notice } from './transport.ts';

/** Time in ms after which a handshake is slow enough to be reported; a faster one is never reported. */
const tellMs = 1_000;

interface Around {
  /** Name of the place where the lines of the server come from, as shown to people. */
  readonly source: 'stdout' | 'it';
  readonly timers: Timers;
  readonly now: () => number;
  readonly redact: ((text: string) => string) | undefined;
  readonly tell: (waits: Waits) => void;
}

/** Reports what a slow handshake waits for and what the server sent instead: each change once, at most once a second. */
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
  /** Stops the reports, because the session is open or has failed. */
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
