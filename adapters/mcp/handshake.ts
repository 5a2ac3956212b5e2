import type { ClientCapabilities } from '@modelcontextprotocol/client';
import { cut } from './messages/noise.ts';
import type { Waits } from '../../machines/kernel/ports.ts';
import type { Timers } from '../clock.ts';
import { type McpTransport, type Notice, latestSessionRevision, sessionRevisions } from './transport.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { readInitialize, type Initialized, type Tell } from './lenient.ts';
import { errorOf, type Envelope } from './messages/envelope.ts';
import type { PendingRequests } from './messages/pending-requests.ts';
import { handshakeFailure, handshakeRefusal, foreignVersion } from './messages/refusal.ts';

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

interface Opening {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
  readonly tell: Tell;
  /** Returns the reason why the stream ended, or undefined while it lives. */
  readonly lost: () => string | undefined;
}
type Opened = { readonly opened: Initialized } | { readonly failure: Failure };

/**
 * Runs the handshake of MCP: sends `initialize`, reads the answer, and sends the notification `initialized`;
 * `end` is called once.
 */
export function open(requests: PendingRequests, opening: Opening, end: (opened: Opened) => void): void {
  const { clientInfo, capabilities, tell, lost } = opening;
  const fail = (error?: unknown): void => end({ failure: handshakeFailure(error, lost()) });
  const read = (answer: Envelope | undefined): void => {
    // The stream ended before the answer to `initialize` came.
    if (!answer) return fail();
    const error = answer.error === undefined ? undefined : errorOf(answer);
    if (error) return end({ failure: handshakeRefusal(error) });
    const opened = readInitialize(answer.result, tell);
    if ('problem' in opened) return end({ failure: unreadable(opened.problem) });
    const { protocolVersion } = opened;
    if (!sessionRevisions.includes(protocolVersion)) return end({ failure: foreignVersion(protocolVersion) });
    requests.setProtocolVersion(protocolVersion);
    after(requests.notify('notifications/initialized'), () => end({ opened }), fail);
  };
  const greet = (): void => {
    const params = { protocolVersion: latestSessionRevision, capabilities, clientInfo };
    const { id, sent } = requests.request('initialize', params, { settle: read, progress: () => {} });
    sent?.catch((error: unknown) => requests.forget(id) && fail(error));
  };
  after(requests.start(), greet, fail);
}
function after(done: Promise<void> | undefined, go: () => void, fail: (error: unknown) => void): void {
  if (done) void done.then(go, fail);
  else go();
}
const unreadable = (problem: string): Failure => ({
  code: 'NotStartable',
  message: `the answer of the server cannot be used: ${problem}`,
  details: { asked: latestSessionRevision },
  remedy: 'Take another version of the server: this one does not say which version of MCP it speaks',
});
