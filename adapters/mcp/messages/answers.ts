/** Requests that a server makes of its client: sampling, elicitation and roots, answered by the host. */
import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  JSONRPCMessage,
} from '@modelcontextprotocol/client';
import { CreateMessageResultSchema, CreateMessageResultWithToolsSchema } from '@modelcontextprotocol/core';
import { z } from 'zod';
import type { Timers } from '../../clock.ts';
import {
  readElicitation,
  withDefaults,
  answeredId,
  Unreadable,
  type Tell,
  readSampling,
} from '../lenient.ts';
import type { Envelope } from './envelope.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

/**
 * Functions by which the host answers requests of a server. `signal` aborts when the answer is no longer
 * wanted: the server withdrew, the time is up, or the session closed. A request without a function here is not
 * declared as a capability, and refused with -32601.
 */
export interface Answers {
  /** Capabilities to declare in place of those that follow from the functions. */
  readonly capabilities?: ClientCapabilities;
  readonly roots?: (server: string) => Roots | Promise<Roots>;
  readonly sample?: (
    server: string,
    params: CreateMessageRequest['params'],
    signal: AbortSignal,
  ) => Promise<CreateMessageResult>;
  readonly elicit?: (
    server: string,
    params: ElicitRequest['params'],
    signal: AbortSignal,
  ) => Promise<ElicitResult>;
  /** Answers an elicitation that asks a person to open a URL (`mode: 'url'`). */
  readonly elicitUrl?: (
    server: string,
    params: ElicitRequest['params'],
    signal: AbortSignal,
  ) => Promise<ElicitResult>;
}
type Roots = readonly { readonly uri: string; readonly name?: string }[];
export const answerMs = 120_000;

export const capabilitiesOf = ({ capabilities, ...answers }: Answers): ClientCapabilities =>
  capabilities ?? capabilitiesBy(answers);
const capabilitiesBy = ({ roots, sample, elicit, elicitUrl }: Answers): ClientCapabilities => ({
  ...(roots && { roots: { listChanged: true } }),
  ...(sample && { sampling: {} }),
  ...((elicit ?? elicitUrl) && {
    elicitation: {
      // Fields that a person leaves out get the default of the schema (SEP-1034).
      ...(elicit && { form: { applyDefaults: true } }),
      ...(elicitUrl && { url: {} }),
    },
  }),
});

const codes = { invalidRequest: -32_600, methodNotFound: -32_601, invalidParams: -32_602, internal: -32_603 };
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  constructor(message: string, code: number = codes.internal) {
    super(message);
    this.code = code;
  }
}

/** Tells that this host owes the server an answer to a request of this method, or that it owes none any more, after `ms`. */
export type Owes = { readonly method: string } | { readonly ms: number };

interface Around {
  readonly server: string;
  readonly answers: Answers;
  readonly ms: number;
  readonly timers: Timers;
  readonly now: () => number;
  readonly owing: (owes: Owes) => void;
  readonly send: (answer: JSONRPCMessage) => Promise<void> | undefined;
  readonly tell: Tell;
}
type Ask<Answer> = (signal: AbortSignal) => Promise<Answer>;

/** Requests that the server withdraws, or that are open at `close`, are aborted and not answered. */
export class ServerRequests {
  readonly #around: Around;
  readonly #open = new Map<unknown, AbortController>();
  #owed = 0;
  #owedSince = 0;

  constructor(around: Around) {
    this.#around = around;
  }
  take(request: Envelope): void {
    const { id, method } = request;
    const { tell, send } = this.#around;
    const aborting = new AbortController();
    // JSON-RPC demands null as the id of the answer to a request with an invalid id.
    const isId = typeof id === 'string' || typeof id === 'number';
    if (isId) this.#open.set(id, aborting);
    const answer = isId
      ? this.#answer(request, aborting.signal)
      : Promise.reject(new Refusal('the id of a request is a text or a number', codes.invalidRequest));
    void answer
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ error: errorFor(error) }),
      )
      .then((said) => {
        if (this.#open.get(id) === aborting) this.#open.delete(id);
        if (aborting.signal.aborted) return undefined;
        const message = { jsonrpc: '2.0', id: isId ? id : null, ...said } as JSONRPCMessage;
        return send(message);
      })
      .catch((error: unknown) => tell(`${String(method)} could not be answered: ${sentenceOf(error)}`));
  }
  withdraw(params: unknown): void {
    const { requestId: id } = fieldsOf(params);
    const key = [id, typeof id === 'number' ? String(id) : answeredId(id)].find((one) => this.#open.has(one));
    this.#open.get(key)?.abort();
    this.#open.delete(key);
  }
  close(): void {
    for (const aborting of this.#open.values()) aborting.abort();
    this.#open.clear();
  }

  async #answer({ method, params }: Envelope, signal: AbortSignal): Promise<object> {
    const { roots, sample, elicit, elicitUrl } = this.#around.answers;
    if (method === 'ping') return {};
    if (method === 'roots/list' && roots) return this.#roots(roots);
    if (method === 'sampling/createMessage' && sample) return this.#sample(sample, params, signal);
    if (method === 'elicitation/create' && (elicit ?? elicitUrl)) return this.#elicit(params, signal);
    if (typeof method !== 'string')
      throw new Refusal('the method of a request is a text', codes.invalidRequest);
    const why = method === 'sampling/createMessage' ? 'its host gave it no model' : 'it is not built';
    throw new Refusal(`${method} is not answered by this client: ${why}`, codes.methodNotFound);
  }
  async #roots(roots: NonNullable<Answers['roots']>): Promise<object> {
    return given(async () => ({
      roots: (await roots(this.#around.server)).map((root) => ({ ...root })),
    }));
  }
  async #sample(sample: NonNullable<Answers['sample']>, raw: unknown, signal: AbortSignal): Promise<object> {
    const { server, ms } = this.#around;
    const params = readSampling(raw);
    const sampled = await this.#asked(
      signal,
      'sampling/createMessage',
      (inner) => sample(server, params, inner),
      () => {
        throw new Refusal(`nobody answered within ${ms} ms`);
      },
    );
    return checked(params.tools ? CreateMessageResultWithToolsSchema : CreateMessageResultSchema, sampled);
  }
  /** An answer of the server to one of our requests demands it. Rejects when the page is no longer wanted. */
  show(page: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const aborting = new AbortController();
    const either = AbortSignal.any([signal, aborting.signal]);
    this.#open.set(aborting, aborting);
    return this.#person(page, either).finally(() => this.#open.delete(aborting));
  }
  async #elicit(raw: unknown, signal: AbortSignal): Promise<object> {
    return this.#person(readElicitation(raw, this.#around.tell), signal);
  }
  async #person(params: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const { server, answers } = this.#around;
    const mode = params.mode ?? 'form';
    const ask = mode === 'url' ? answers.elicitUrl : answers.elicit;
    if (!ask) throw new Refusal(`this client has not declared elicitation by ${mode}`, codes.invalidParams);
    const answer = checked(
      personSays,
      await this.#asked(
        signal,
        'elicitation/create',
        (inner) => ask(server, params, inner),
        () => ({ action: 'cancel' as const }),
      ),
    );
    const { form } = fieldsOf(capabilitiesOf(answers).elicitation);
    if (answer.action !== 'accept' || mode === 'url') return answer as ElicitResult;
    const { content = {} } = answer;
    const isFilled = fieldsOf(form)['applyDefaults'] === true;
    return { ...answer, content: isFilled ? withDefaults(content, params) : content } as ElicitResult;
  }
  #asked<Answer>(outer: AbortSignal, method: string, ask: Ask<Answer>, late: () => Answer): Promise<Answer> {
    const { ms, timers, now, owing } = this.#around;
    this.#owed += 1;
    if (this.#owed === 1) {
      this.#owedSince = now();
      owing({ method });
    }
    return inTime({ outer, ask, late, ms, timers }).finally(() => {
      this.#owed -= 1;
      if (this.#owed === 0) owing({ ms: now() - this.#owedSince });
    });
  }
}
const personSays = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).optional(),
});
/** Checks an answer of the host against a schema, because a host may return anything. */
function checked<Answer>(schema: z.ZodType<Answer>, answer: unknown): Answer {
  const read = schema.safeParse(answer);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Refusal(`the host could not answer: ${issue?.path.map(String).join('.')}: ${issue?.message}`);
}
function errorFor(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  if (error instanceof Unreadable) return { code: codes.invalidParams, message: error.message };
  return { code: codes.internal, message: 'the request could not be read' };
}

/** Returns the first line of an error thrown by a host, at most 200 characters and never the stack. */
const sentenceOf = (error: unknown): string =>
  `${(error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200)}`;

async function given<Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    const said = await answer();
    // An answer that no JSON can hold would never be sent.
    JSON.stringify(said);
    return said;
  } catch (error) {
    throw new Refusal(`the host could not answer: ${sentenceOf(error)}`);
  }
}

function inTime<Answer>(asked: {
  readonly outer: AbortSignal;
  readonly ask: (signal: AbortSignal) => Promise<Answer>;
  readonly late: () => Answer;
  readonly ms: number;
  readonly timers: Timers;
}): Promise<Answer> {
  const { outer, ask, late, ms, timers } = asked;
  if (outer.aborted) return Promise.reject(new Refusal('withdrawn'));
  const inner = new AbortController();
  let timer: unknown;
  let withdrawn = (): void => {};
  const over = new Promise<'late' | 'withdrawn'>((resolve) => {
    timer = timers.setTimeout(() => resolve('late'), ms);
    withdrawn = () => resolve('withdrawn');
  });
  const abort = (): void => {
    inner.abort();
    withdrawn();
  };
  outer.addEventListener('abort', abort, { once: true });
  const first = Promise.race([given(() => ask(inner.signal)).then((answer) => ({ answer })), over]);
  return first
    .then((won) => {
      if (typeof won === 'object') return won.answer;
      inner.abort();
      // Throws an error that is never sent, because a withdrawn request is not answered.
      if (won === 'withdrawn') throw new Refusal('withdrawn');
      return late();
    })
    .finally(() => {
      timers.clearTimeout(timer);
      outer.removeEventListener('abort', abort);
    });
}
