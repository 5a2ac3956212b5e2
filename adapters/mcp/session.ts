import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { AskFact, Give, Offers, SessionFact, SessionInput } from '../../machines/kernel/ports.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { answerMs, answerRequests, capabilitiesOf, type Answers } from './messages/answers.ts';
import type { Around, Carrier } from './carrier.ts';
import { carrierOf, type CarrierOptions } from './carriers.ts';
import { Handshake } from './handshake.ts';
import { isAllowed, notAllowed } from './messages/methods.ts';
import { factOfNotification, logOf, type ServerLog } from './messages/notifications.ts';
import { offersOf, shownOf } from './messages/offers.ts';
import { gather, listed, type ListQuestion } from './messages/pages.ts';
import { Questions, type Asker } from './messages/questions.ts';
import {
  factOf,
  handshakeFailure,
  lost,
  notConnected,
  refusedOnTheWay,
  unsent,
  unwritable,
} from './messages/refusal.ts';

export interface SessionOptions extends CarrierOptions {
  /** Who we say we are. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** What this host answers when a server asks. */
  readonly answers?: Answers;
  /** Default 2 min: sampling is refused then, elicitation cancelled. */
  readonly answerMs?: number;
  /** Hides what nobody may see of what a server wrote; before it is cut, which could leave a part of that. */
  readonly discreet?: (text: string) => string;
  /** What a server says in its own log. */
  readonly log?: (server: string, line: ServerLog) => void;
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

/** connecting → open → lost, or connecting → lost; `close` leads from each to closed, without a word. */
export class Session {
  #state: 'connecting' | 'open' | 'lost' | 'closed' = 'connecting';
  readonly #input: SessionInput;
  readonly #options: SessionOptions;
  readonly #give: Give<SessionFact>;
  readonly #client: Client;
  readonly #carrier: Carrier | undefined;
  readonly #questions: Questions | undefined;
  #handshake: Handshake | undefined;
  #offers: Offers | undefined;

  constructor(options: SessionOptions, input: SessionInput, around: Around, give: Give<SessionFact>) {
    this.#give = give;
    this.#input = input;
    this.#options = options;
    const { answers = {}, clientInfo } = options;
    const capabilities = capabilitiesOf(answers);
    this.#client = new Client(clientInfo, { capabilities, jsonSchemaValidator: trusting });
    const { server } = input;
    const ms = options.answerMs ?? answerMs;
    answerRequests(this.#client, { server, answers, ms, timers: around.timers });
    const notice: Around['notice'] = (seen) => {
      around.notice(seen);
      this.#handshake?.count(seen);
    };
    const made = carrierOf(options, input, { ...around, notice });
    if ('failure' in made) {
      queueMicrotask(() => this.#fail(made.failure));
      return;
    }
    const { carrier } = made;
    const questions = new Questions(carrier, notice);
    this.#carrier = carrier;
    this.#handshake = new Handshake(carrier, {
      source: input.process === null ? 'it' : 'stdout',
      timers: around.timers,
      discreet: options.discreet,
      tell: (waits) => this.#give({ type: 'session.waits', waits }),
    });
    this.#questions = questions;
    questions.onclose = () => this.#lose();
    questions.onnotification = (method, params) => this.#hear(method, params);
    this.#client.onerror = (error) => notice({ kind: 'protocol', text: error.message, bytes: 0 });
    this.#client.connect(questions, never).then(
      () => this.#opened(carrier, questions),
      (error: unknown) => this.#fail(handshakeFailure(error, carrier.lostBecause)),
    );
  }

  ask(question: ListQuestion, give: Give<AskFact>): () => void {
    const questions = this.#questions;
    const { id, method } = question;
    if (this.#state !== 'open' || !questions || !this.#offers) {
      give(unsent(id, notConnected));
      return nothing;
    }
    if (!isAllowed(method, this.#offers)) {
      give(unsent(id, notAllowed(method)));
      return nothing;
    }
    const next = listed[method] === undefined ? undefined : gather(question, give);
    let current = -1;
    const asker: Asker = {
      settle: (answer) => {
        if (!answer) return give(lost(id, this.#carrier?.lostBecause ?? connectionEnded));
        if (!next) return give(factOf(id, answer, method));
        const more = next(answer);
        if (more) send(more);
      },
      progress: (progress) => give({ type: 'ask.progress', id, ...progress }),
    };
    const send = (params: unknown): void => {
      try {
        const asked = questions.ask(method, params, asker);
        current = asked.id;
        asked.sent.catch((error: unknown) => questions.forget(asked.id) && give(refusedOnTheWay(id, error)));
      } catch {
        give(unsent(id, unwritable));
      }
    };
    send(question.params);
    return () => questions.withdraw(current);
  }
  /** The server may ask for the roots anew. */
  announceRoots(): void {
    if (this.#state === 'open' && this.#options.answers?.roots)
      this.#client.sendRootsListChanged().catch(nothing);
  }

  close(): void {
    this.#state = 'closed';
    this.#handshake?.over();
    this.#questions?.withdrawAll();
    this.#end();
  }
  /** Resolves when nothing of it is under way any more. */
  async closed(): Promise<void> {
    await this.#carrier?.closed?.();
  }
  #end(): void {
    this.#client.close().catch(nothing);
    // The client has let go of a carrier that ended or never began.
    this.#carrier?.close().catch(nothing);
  }

  #opened(carrier: Carrier, { protocolVersion }: Questions): void {
    // The server answered and ended in one breath.
    if (carrier.lostBecause) return this.#fail(handshakeFailure(undefined, carrier.lostBecause));
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    this.#handshake?.over();
    const said = this.#client.getServerVersion() ?? { name: '', version: '' };
    const { name, version } = said;
    const shown = shownOf(said, this.#client.getInstructions());
    const offers = offersOf(this.#client.getServerCapabilities() ?? {});
    this.#offers = offers;
    this.#give({ type: 'session.opened', info: { name, version, protocolVersion, offers, ...shown } });
  }
  /** Before it is open nobody has anything that could have changed. */
  #hear(method: string, params: unknown): void {
    if (this.#state !== 'open') return;
    const fact = factOfNotification(method, params);
    if (fact) return this.#give(fact);
    const line = logOf(method, params);
    if (line) this.#options.log?.(this.#input.server, line);
  }
  #fail(failure: Failure): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'lost';
    this.#handshake?.over();
    this.#end();
    this.#give({ type: 'session.failed', failure });
  }
  /** While connecting, the handshake itself fails, a moment later and with a better reason. */
  #lose(): void {
    if (this.#state !== 'open') return;
    this.#state = 'lost';
    this.#questions?.lose();
    // Those who heard of it may have closed the session.
    if (this.#isClosed()) return;
    const reason = this.#carrier?.lostBecause ?? connectionEnded;
    this.#give({ type: 'session.lost', reason, ...(this.#carrier?.isExpired && { isExpired: true }) });
  }
  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}
