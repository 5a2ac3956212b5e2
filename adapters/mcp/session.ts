import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { Address } from '../../machines/address.ts';
import type { AskFact, Give, Ports, SessionFact, SessionInput } from '../../machines/ports.ts';
import type { Failure } from '../../machines/wire/failure.ts';
import type { Ledger } from '../process/index.ts';
import { offersOf } from './offers.ts';
import { gather, listed, type ListQuestion } from './pages.ts';
import { Questions } from './questions.ts';
import { factOf, handshakeFailure, lost, notConnected, unsent, unwritable } from './refusal.ts';
import { StreamTransport, type Notice } from './transport.ts';

export interface SessionPortOptions {
  readonly ledger: Pick<Ledger, 'streamsOf'>;
  /** Who we say we are. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Default 7 MiB: a larger answer fails its question only. */
  readonly resultBytes?: number;
  /** Default 10 MiB: a larger message is not kept in memory. */
  readonly messageBytes?: number;
  /** What a server wrote that no question will hear of, for a log. */
  readonly notice?: (server: string, notice: Notice) => void;
}
export interface SessionPort {
  readonly open: Ports['session'];
  /** `tools/list` gives all pages as `{tools}`; any other method its result exactly as received. */
  readonly ask: Ports['ask'];
  /** True from open to close, also while connecting and after the stream was lost. */
  has(key: Address): boolean;
}

const nothing = (): void => {};
const connectionEnded = 'the connection ended';
/** Time-outs are the machines' business. The SDK insists on one; this is the longest that a timer can do. */
const never = { timeout: 2 ** 31 - 1 };
/** Answers are given as received; checking them against output schemas is the machines' business, too. */
const trusting: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** The real `session` port for MCP servers that speak over the streams of a process. */
export function sessionPortOf(options: SessionPortOptions): SessionPort {
  const sessions = new Map<Address, Session>();
  return {
    open: (_at, input, give) => {
      const session = new Session(options, input, give);
      sessions.set(input.key, session);
      return {
        tell: nothing,
        close: () => {
          if (sessions.get(input.key) === session) sessions.delete(input.key);
          session.close();
        },
      };
    },
    ask: (_from, question, give) => {
      const session = sessions.get(question.session);
      if (session) return session.ask(question, give);
      give(unsent(question.id, notConnected));
      return nothing;
    },
    has: (key) => sessions.has(key),
  };
}

/** connecting → open → lost, or connecting → lost; `close` leads from each to closed, without a word. */
class Session {
  #state: 'connecting' | 'open' | 'lost' | 'closed' = 'connecting';
  readonly #give: Give<SessionFact>;
  readonly #client: Client;
  readonly #transport: StreamTransport | undefined;
  readonly #questions: Questions | undefined;

  constructor(options: SessionPortOptions, input: SessionInput, give: Give<SessionFact>) {
    this.#give = give;
    this.#client = new Client(options.clientInfo, { capabilities: {}, jsonSchemaValidator: trusting });
    const streams = input.process === null ? undefined : options.ledger.streamsOf(input.process);
    if (!streams) {
      queueMicrotask(() => this.#fail(notConnected));
      return;
    }
    const notice = (seen: Notice): void => options.notice?.(input.server, seen);
    const { resultBytes, messageBytes } = options;
    const transport = new StreamTransport({ ...streams, resultBytes, messageBytes, notice });
    const questions = new Questions(transport, notice);
    this.#transport = transport;
    this.#questions = questions;
    questions.onclose = () => this.#lose();
    this.#client.onerror = (error) => notice({ kind: 'protocol', text: error.message, bytes: 0 });
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      // Before it is open nobody has a list that could have changed.
      if (this.#state === 'open') give({ type: 'list.changed', list: 'tools' });
    });
    this.#client.connect(questions, never).then(
      () => this.#opened(transport, questions),
      (error: unknown) => this.#fail(handshakeFailure(error, transport.lostBecause)),
    );
  }

  ask(question: ListQuestion, give: Give<AskFact>): () => void {
    const questions = this.#questions;
    if (this.#state !== 'open' || !questions) {
      give(unsent(question.id, notConnected));
      return nothing;
    }
    const { id, method } = question;
    const next = listed[method] === undefined ? undefined : gather(question, give);
    let current = -1;
    const send = (params: unknown): void => {
      try {
        const asked = questions.ask(method, params, (answer) => {
          if (!answer) return give(lost(id, this.#transport?.lostBecause ?? connectionEnded));
          if (!next) return give(factOf(id, answer, method));
          const more = next(answer);
          if (more) send(more);
        });
        current = asked.id;
        asked.sent.catch(() => questions.forget(asked.id) && give(unsent(id, notConnected)));
      } catch {
        give(unsent(id, unwritable));
      }
    };
    send(question.params);
    return () => questions.withdraw(current);
  }

  close(): void {
    this.#state = 'closed';
    this.#questions?.withdrawAll();
    this.#client.close().catch(nothing);
  }

  #opened(transport: StreamTransport, { protocolVersion }: Questions): void {
    // The server answered and ended in one breath.
    if (transport.lostBecause) return this.#fail(handshakeFailure(undefined, transport.lostBecause));
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    const offers = offersOf(this.#client.getServerCapabilities() ?? {});
    this.#give({ type: 'session.opened', info: { name, version, protocolVersion, offers } });
  }
  #fail(failure: Failure): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'lost';
    this.#give({ type: 'session.failed', failure });
  }
  /** While connecting, the handshake itself fails, a moment later and with a better reason. */
  #lose(): void {
    if (this.#state !== 'open') return;
    this.#state = 'lost';
    this.#questions?.lose();
    // Those who heard of it may have closed the session.
    if (this.#isClosed()) return;
    this.#give({ type: 'session.lost', reason: this.#transport?.lostBecause ?? connectionEnded });
  }
  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}
