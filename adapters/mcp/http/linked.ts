import type { SessionLost } from '../../../machines/ports/session.ts';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { NotSent, Refused, type Around, type McpTransport } from '../transport.ts';
import { causeOf, causeWords } from './http-failures.ts';
import { notStartable } from '../messages/refusal.ts';
import { Inbox } from '../messages/framing.ts';
import type { InMemorySpec, OwnSpec } from './remote.ts';

/** Longest wait in ms until a connection that the host has provided is closed. */
const partingMs = 2_000;
const nothing = (): void => {};

/** Messages pass as JSON, so that neither side holds objects of the other and sizes are counted. */
export class LinkedTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: McpTransport['onmessage'];
  lost: SessionLost | undefined;
  readonly #spec: InMemorySpec | OwnSpec;
  readonly #around: Around;
  readonly #inbox: Inbox;
  readonly #unwanted = new AbortController();
  #end: Transport | undefined;
  #isOver = false;
  #parting: Promise<void> = Promise.resolve();

  constructor(spec: InMemorySpec | OwnSpec, around: Around) {
    this.#spec = spec;
    this.#around = around;
    this.#inbox = new Inbox(around, (message) => this.#isOver || this.onmessage?.(message));
  }
  async start(): Promise<void> {
    const end = await this.#made();
    // Closes the connection when the transport was closed while the server was being created.
    if (this.#isOver) return this.#part(end);
    this.#end = end;
    end.onclose = () => this.#lose('the server closed the connection');
    end.onerror = (error) => this.onerror?.(error);
    // One microtask later, so that no answer arrives while its request is still being sent.
    end.onmessage = (message) => queueMicrotask(() => this.#receive(message));
    return end.start().catch((error: unknown) => {
      throw new Refused(failureOf(this.#spec, error), 'unsent');
    });
  }
  async send(message: JSONRPCMessage): Promise<void> {
    const copy = JSON.parse(JSON.stringify(message)) as JSONRPCMessage;
    if (this.#isOver || !this.#end) throw new NotSent('the server is gone');
    try {
      await this.#end.send(copy);
    } catch (error) {
      throw new NotSent(String(error));
    }
  }
  close(): Promise<void> {
    if (this.#isOver) return this.#parting;
    this.#isOver = true;
    if (this.#end) this.#part(this.#end);
    else this.#unwanted.abort();
    this.onclose?.();
    return this.#parting;
  }
  closed(): Promise<void> {
    return this.#parting;
  }

  async #made(): Promise<Transport> {
    try {
      return await this.#spec.connect(this.#unwanted.signal);
    } catch (error) {
      throw new Refused(failureOf(this.#spec, error), 'unsent');
    }
  }
  #receive(message: JSONRPCMessage): void {
    if (this.#isOver) return;
    let text: string | undefined;
    try {
      text = JSON.stringify(message);
    } catch {
      // Ignores the error, because a message without a text is reported as garbage after this block.
    }
    if (text === undefined) this.#inbox.garbage('a message that is not JSON', 0);
    else this.#inbox.text(text, Buffer.byteLength(text));
  }
  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.lost = { reason };
    this.onclose?.();
    if (this.#end) this.#part(this.#end);
  }
  #part(end: Transport): void {
    const { timers } = this.#around;
    let timer: unknown;
    const bound = new Promise<void>((resolve) => (timer = timers.setTimeout(resolve, partingMs)));
    // Turns an error that the connection of a host throws at once into a rejection, by an async function.
    const gone = (async () => end.close())().catch(nothing);
    this.#parting = Promise.race([gone, bound]).finally(() => timers.clearTimeout(timer));
  }
}

function failureOf({ kind }: InMemorySpec | OwnSpec, error: unknown): Failure {
  if (error instanceof Refused) return error.failure;
  if (kind === 'inmemory')
    return notStartable(
      'the server inside this host could not be made',
      'look at what the host connects under this name',
    );
  const [said = ''] = String(error instanceof Error ? error.message : error).split('\n');
  // Messages of Node name hosts and paths, so only their code is shown.
  const cause =
    error instanceof Error && 'syscall' in error ? causeWords(causeOf(error)) : said.slice(0, 200);
  const message = `the server cannot be reached: ${cause}`;
  const isFinal = error instanceof Error && 'isFinal' in error && error.isFinal === true;
  return isFinal
    ? notStartable(message, 'fix the config of this server')
    : { code: 'ServerLost', message, remedy: 'check that the server runs' };
}
