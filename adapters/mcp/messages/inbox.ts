import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { Around } from '../transport.ts';
import { digitsBelow, digitsIn, type Digits } from '../../../machines/protocol/exact-numbers.ts';
import { answeredId, answerOf, isAnswer, parsed } from '../lenient.ts';
import { note, tooLargeError, type Envelope } from './envelope.ts';
import type { Found } from './framing.ts';
import { responseIdOf } from './overlong-id.ts';

/** More than anybody is shown: what must be hidden is looked for in the whole of it. */
const headLength = 4 * 1024;

/**
 * What comes in, whatever carried it. An answer over the limit reaches its caller as a JSON-RPC error, and the
 * connection lives; what is no message is a notice.
 */
export class Inbox implements Found {
  readonly #around: Pick<Around, 'resultBytes' | 'notice'>;
  readonly #deliver: (message: JSONRPCMessage) => void;

  constructor(around: Pick<Around, 'resultBytes' | 'notice'>, deliver: (message: JSONRPCMessage) => void) {
    this.#around = around;
    this.#deliver = deliver;
  }
  /** `text`: what it was read from, where that is at hand. */
  message(value: object, bytes: number, text = ''): void {
    this.#take(value, bytes, digitsIn(text, parsed));
  }
  #take(value: object, bytes: number, digits: readonly Digits[]): void {
    // Batches were part of MCP 2025-03-26.
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
  /** The text of one message that something else has framed; a byte order mark before it is nothing. */
  text(text: string, bytes: number): void {
    let value: unknown;
    try {
      value = parsed(text);
    } catch {
      // Told below, as anything else that is no message.
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
  /** In place of an answer that is too large. */
  refuse(id: RequestId, bytes: number): void {
    const error = tooLargeError(bytes, this.#around.resultBytes);
    this.#deliver({ jsonrpc: '2.0', id, error: { ...error } });
  }
  #note(text: string): void {
    this.#around.notice({ kind: 'protocol', text, bytes: 0 });
  }
}
