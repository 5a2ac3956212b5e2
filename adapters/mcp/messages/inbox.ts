import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { Around } from '../transport.ts';
import { digitsBelow, digitsIn, type Digits } from '../../../machines/protocol/exact-numbers.ts';
import { answeredId, answerOf, isAnswer, parsed } from '../lenient.ts';
import { note, tooLargeError, type Envelope } from './envelope.ts';
import type { Found } from './framing.ts';
import { responseIdOf } from './overlong-id.ts';

/** Number of characters of a bad message that are reported; more than is ever shown, because secrets are searched in all of it. */
const headLength = 4 * 1024;

/**
 * Receives the messages of any transport. An answer over the size limit reaches its caller as a JSON-RPC
 * error, and the connection lives on; text that is no message becomes a notice.
 */
export class Inbox implements Found {
  readonly #around: Pick<Around, 'resultBytes' | 'notice'>;
  readonly #deliver: (message: JSONRPCMessage) => void;

  constructor(around: Pick<Around, 'resultBytes' | 'notice'>, deliver: (message: JSONRPCMessage) => void) {
    this.#around = around;
    this.#deliver = deliver;
  }
  /** Takes a message; `text` is the JSON that it was parsed from, when available. */
  message(value: object, bytes: number, text = ''): void {
    this.#take(value, bytes, digitsIn(text, parsed));
  }
  #take(value: object, bytes: number, digits: readonly Digits[]): void {
    // Batches were part of MCP 2025-03-26, and are still accepted.
    if (Array.isArray(value)) {
      for (const [at, one] of value.entries())
        if (typeof one === 'object' && one !== null)
          this.#take(one as object, bytes, digitsBelow(digits, at));
      return;
    }
    const message: Envelope = value;
    if (!isAnswer(message)) return this.#deliver(value as JSONRPCMessage);
    const answer = answerOf(message);
    const { id } = answer as { readonly id: RequestId };
    if (id !== message.id) this.#note(`an answer came with the id ${id} as text`);
    if (bytes > this.#around.resultBytes) return this.refuse(id, bytes);
    note(answer, { bytes, digits: digitsBelow(digits, 'result') });
    this.#deliver(answer);
  }
  /** Takes the text of one complete message; a byte order mark before it is ignored. */
  text(text: string, bytes: number): void {
    let value: unknown;
    try {
      value = parsed(text);
    } catch {
      // Text that is not JSON is reported below, as other text that is no message.
    }
    if (typeof value === 'object' && value !== null) this.message(value, bytes, text);
    else this.garbage(text.slice(0, headLength), bytes);
  }
  garbage(text: string, bytes: number): void {
    this.#around.notice({ kind: 'garbage', text, bytes });
  }
  overlong(head: string, tail: string, bytes: number): void {
    const id = responseIdOf(head, tail);
    if (id === undefined) this.#around.notice({ kind: 'overlong', text: head, bytes });
    else this.refuse(answeredId(id) as RequestId, bytes);
  }
  /** Delivers an error in place of an answer that is too large. */
  refuse(id: RequestId, bytes: number): void {
    const error = tooLargeError(bytes, this.#around.resultBytes);
    this.#deliver({ jsonrpc: '2.0', id, error: { ...error } });
  }
  #note(text: string): void {
    this.#around.notice({ kind: 'protocol', text, bytes: 0 });
  }
}
