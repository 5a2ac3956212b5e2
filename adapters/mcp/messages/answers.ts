import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type ClientCapabilities,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequest,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Timers } from '../../clock.ts';

/**
 * What the host can answer when a server asks. `signal` aborts when nobody wants the answer any more: the server
 * withdrew, the time is up, or the session closed. What is not here is not declared, and refused with -32601.
 */
export interface Answers {
  readonly roots?: (server: string) => readonly { readonly uri: string; readonly name?: string }[];
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
  /** The same where the server wants a person to open a URL (`mode: 'url'`). */
  readonly elicitUrl?: (
    server: string,
    params: ElicitRequest['params'],
    signal: AbortSignal,
  ) => Promise<ElicitResult>;
}
export const answerMs = 120_000;

export const capabilitiesOf = ({ roots, sample, elicit, elicitUrl }: Answers): ClientCapabilities => ({
  ...(roots && { roots: { listChanged: true } }),
  ...(sample && { sampling: {} }),
  ...((elicit ?? elicitUrl) && {
    elicitation: {
      // What a person leaves out is the default of the schema (SEP-1034).
      ...(elicit && { form: { applyDefaults: true } }),
      ...(elicitUrl && { url: {} }),
    },
  }),
});

const [internalError, methodNotFound] = [-32603, -32601];
/** What the SDK makes the JSON-RPC error of: a code and a sentence. */
const refusal = (message: string): Error => Object.assign(new Error(message), { code: internalError });

/** Each request of the server is answered on its own: none waits for another, and no answer to us waits for them. */
export function answerRequests(
  client: Client,
  { server, answers, ms, timers }: { server: string; answers: Answers; ms: number; timers: Timers },
): void {
  const { roots, sample, elicit, elicitUrl } = answers;
  const asked = <Answer>(
    outer: AbortSignal,
    ask: (signal: AbortSignal) => Promise<Answer>,
    late: () => Answer,
  ): Promise<Answer> => inTime({ outer, ask, late, ms, timers });
  if (roots)
    client.setRequestHandler(ListRootsRequestSchema, () =>
      answered(() => ({ roots: roots(server).map((root) => ({ ...root })) })),
    );
  if (sample)
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }, { signal }) =>
      asked(
        signal,
        (inner) => sample(server, params, inner),
        () => {
          throw refusal(`nobody answered within ${ms} ms`);
        },
      ),
    );
  // What was not declared: a server that asks all the same hears why nobody answers.
  client.fallbackRequestHandler = ({ method }) => {
    const why = method === 'sampling/createMessage' ? 'its host gave it no model' : 'it is not built';
    throw Object.assign(new Error(`${method} is not answered by this client: ${why}`), {
      code: methodNotFound,
    });
  };
  if (elicit ?? elicitUrl)
    client.setRequestHandler(ElicitRequestSchema, ({ params }, { signal }) => {
      // The client has refused what is not declared.
      const ask = params.mode === 'url' ? elicitUrl : elicit;
      return asked(
        signal,
        (inner) => ask?.(server, params, inner) ?? Promise.resolve({ action: 'decline' }),
        () => ({ action: 'cancel' }),
      );
    });
}

/** The words of what a host throws, its first line; never the stack. */
const sentenceOf = (error: unknown): string =>
  `the host could not answer: ${(error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 200)}`;

async function answered<Answer>(answer: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    throw refusal(sentenceOf(error));
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
  // Withdrawn before anybody was asked.
  if (outer.aborted) return Promise.reject(refusal('withdrawn'));
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
  const first = Promise.race([answered(() => ask(inner.signal)).then((answer) => ({ answer })), over]);
  return first
    .then((won) => {
      if (typeof won === 'object') return won.answer;
      inner.abort();
      // Nobody hears it.
      if (won === 'withdrawn') throw refusal('withdrawn');
      return late();
    })
    .finally(() => {
      timers.clearTimeout(timer);
      outer.removeEventListener('abort', abort);
    });
}
