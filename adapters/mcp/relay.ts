/** Frames between an MCP client of another library and its server, watched and passed on unchanged. */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isUnread } from '../../machines/protocol/failure.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';
import { isAnswer, isNotification } from './lenient.ts';
import type { Envelope } from './messages/envelope.ts';
import { NotSent, Refused } from './transport.ts';

/** JSON-RPC code of our error for a request that lost its server, as the MCP SDK has it for a closed connection. */
const lostCode = -32_000;
const listChanges = ['tools', 'resources', 'prompts'] as const;

export interface RelayedClient {
  /** Called with each message of the server, and with our own errors for requests that the server will not answer. */
  deliver(message: object): void;
  failed(error: Error): void;
  /** When the first connection takes messages, and with `again` when another one replaced a lost one. */
  connected(again: boolean): void;
}
export interface RelayConnection {
  /** Undefined when it is done at once. Throws what `JSON.stringify` throws. */
  send(message: JSONRPCMessage): Promise<void> | undefined;
  /** Sends the client's `initialize` once more; its answer goes to `Relay.resumed`. */
  greetAgain(params: unknown): void;
}
interface Pending {
  readonly request: Envelope;
  isSent: boolean;
}
interface Greeting {
  readonly params: unknown;
  readonly result: Fields;
  /** Notification `initialized` of the client; undefined while it was not sent. */
  done?: object;
}

/** Transports leave out which server it is, and begin in the middle of a sentence. */
const asSentences = (server: string, { message, remedy, ...more }: Failure): Failure => ({
  ...more,
  message: message.startsWith('Server ') ? message : `Server '${server}': ${message}`,
  ...(remedy !== undefined && { remedy: remedy.slice(0, 1).toUpperCase() + remedy.slice(1) }),
});

/** Messages pass unchanged. Unsent requests wait for the next connection; sent and lost ones get an error. */
export class Relay {
  readonly #server: string;
  readonly #client: RelayedClient;
  readonly #resumes: boolean;
  readonly #pending = new Map<unknown, Pending>();
  readonly #questions = new Set<unknown>();
  #held: JSONRPCMessage[] = [];
  #connection: RelayConnection | undefined;
  #isReady = false;
  #greeting: Greeting | undefined;
  #ended: Failure | undefined;

  /** With `resumes`, a lost connection is replaced by another one. */
  constructor(server: string, client: RelayedClient, resumes: boolean) {
    this.#server = server;
    this.#client = client;
    this.#resumes = resumes;
  }

  /** Rejects when the message cannot be sent and gets no answer that would say so. */
  async send(message: object): Promise<void> {
    if (this.#ended) throw new Refused(this.#ended, 'unsent');
    const envelope: Envelope = message;
    const { id, method } = envelope;
    if (isAnswer(envelope)) {
      // Drops the answer to a request of a server whose connection is gone, because the next server may use the same id.
      if (this.#questions.delete(id)) await this.#pass(message);
    } else if (isNotification(envelope)) {
      if (method === 'notifications/cancelled' && !this.#cancel(envelope)) return;
      if (method === 'notifications/initialized' && this.#greeting) this.#greeting.done = message;
      await this.#pass(message);
    } else {
      this.#pending.set(id, { request: envelope, isSent: false });
      try {
        // Does not wait for a request, because it gets its error as an answer.
        void this.#pass(message);
      } catch (error) {
        this.#pending.delete(id);
        throw error;
      }
    }
  }
  /** False when the server never got it. */
  #cancel({ params }: Envelope): boolean {
    const { requestId } = fieldsOf(params);
    const pending = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    if (!pending || pending.isSent) return true;
    this.#held = this.#held.filter((each) => each !== pending.request);
    return false;
  }
  #pass(message: object): Promise<void> | undefined {
    if (this.#isReady && this.#connection) return this.#put(message as JSONRPCMessage, this.#connection);
    this.#held.push(message as JSONRPCMessage);
    return undefined;
  }
  #put(message: JSONRPCMessage, connection: RelayConnection): Promise<void> | undefined {
    const envelope: Envelope = message;
    const pending = isAnswer(envelope) ? undefined : this.#pending.get(envelope.id);
    if (pending) pending.isSent = true;
    const sent = connection.send(message);
    if (pending) return sent?.catch((error: unknown) => this.#refused(pending, connection, error));
    return sent;
  }
  #refused(pending: Pending, connection: RelayConnection, error: unknown): void {
    const { request } = pending;
    if (this.#pending.get(request.id) !== pending || !pending.isSent) return;
    const mayWait = error instanceof NotSent || (error instanceof Refused && isUnread(error.failure));
    if (mayWait && (this.#connection !== connection || this.#resumes)) return this.#hold(pending);
    const message = error instanceof Error ? error.message : String(error);
    const failure: Failure = error instanceof Refused ? error.failure : { code: 'ServerLost', message };
    this.#answer(pending, asSentences(this.#server, failure));
  }
  #hold(pending: Pending): void {
    pending.isSent = false;
    this.#held.push(pending.request as JSONRPCMessage);
  }

  connected(connection: RelayConnection): void {
    this.#connection = connection;
    if (this.#greeting) return connection.greetAgain(this.#greeting.params);
    this.#flush();
    this.#client.connected(false);
  }
  /** Returns a failure for another version, or for a lacking capability that the client was told of. */
  resumed(answer: Envelope): Failure | undefined {
    const { result: was = {}, done } = this.#greeting ?? {};
    const now = fieldsOf(answer.result);
    const lacks = Object.keys(fieldsOf(was['capabilities'])).filter(
      (name) => !(name in fieldsOf(now['capabilities'])),
    );
    const other = this.#otherwise(answer, was, now, lacks);
    if (other !== undefined)
      return {
        code: 'NotStartable',
        message: `Server '${this.#server}' came back, but ${other}, so the session of its client cannot go on`,
        remedy: 'Connect a new client.',
      };
    if (done) void this.#connection?.send(done as JSONRPCMessage)?.catch(this.#client.failed);
    this.#flush();
    for (const list of listChanges)
      if (fieldsOf(fieldsOf(now['capabilities'])[list])['listChanged'] === true)
        this.#client.deliver({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
    this.#client.connected(true);
    return undefined;
  }
  #otherwise(answer: Envelope, was: Fields, now: Fields, lacks: readonly string[]): string | undefined {
    if (answer.error !== undefined)
      return `refused initialize (${JSON.stringify(answer.error).slice(0, 200)})`;
    if (now['protocolVersion'] !== was['protocolVersion'])
      return `speaks version ${String(now['protocolVersion'])} of MCP instead of ${String(was['protocolVersion'])}`;
    return lacks.length > 0 ? `without ${lacks.join(', ')}` : undefined;
  }
  #flush(): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#isReady = true;
    const held = this.#held;
    this.#held = [];
    for (const message of held) void this.#put(message, connection)?.catch(this.#client.failed);
  }
  /** Returns the request that it answers; undefined when none waits for this answer, which is then dropped. */
  answered(answer: Envelope): Envelope | undefined {
    const key = this.#pending.has(answer.id) ? answer.id : String(answer.id);
    const { request } = this.#pending.get(key) ?? {};
    if (!request) return undefined;
    this.#pending.delete(key);
    if (request.method === 'initialize' && answer.error === undefined)
      this.#greeting = { params: request.params, result: fieldsOf(answer.result) };
    return request;
  }
  asked(question: Envelope): void {
    this.#questions.add(question.id);
    this.#client.deliver(question);
  }
  deliver(message: object): void {
    this.#client.deliver(message);
  }
  disconnected(connection: RelayConnection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#isReady = false;
  }

  /** Answers the requests that were lost with a connection, and withdraws the requests that its server sent to the client. */
  lose(failure: Failure): void {
    for (const requestId of this.#questions) {
      const params = { requestId, reason: failure.message };
      this.#client.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
    this.#questions.clear();
    for (const pending of this.#pending.values()) {
      if (!pending.isSent) continue;
      // Repeats a handshake that was not answered, because it has no effect that could happen twice.
      if (this.#resumes && pending.request.method === 'initialize') this.#hold(pending);
      else this.#answer(pending, failure);
    }
  }
  /** Ends the relay: every request without an answer gets the failure, and so does each later message. */
  end(failure: Failure): void {
    this.#ended ??= failure;
    for (const pending of this.#pending.values()) this.#answer(pending, failure);
    this.#held = [];
    this.#isReady = false;
  }
  #answer(pending: Pending, { message, code, details, remedy }: Failure): void {
    const { id } = pending.request;
    this.#pending.delete(id);
    const data = { ...details, code, ...(remedy !== undefined && { remedy }) };
    this.#client.deliver({ jsonrpc: '2.0', id, error: { code: lostCode, message, data } });
  }
}
