import type { IncomingHttpHeaders } from 'node:http';
import type { RpcError } from '../messages/envelope.ts';

/** Id of the ping that asks whether a server still knows a session; its answer is never passed on. */
export const check = 'is-session-known';

/** Pattern of messages from servers that have forgotten a session, or that received a request before `initialize`. */
const ofSessions =
  /session|\bnot (?:been |yet )*initiali[sz]ed|\buninitiali[sz]ed|\bbefore initiali[sz]|\binitiali[sz]\w* (?:first|(?:is )?required|(?:is )?not complete)|\b(?:must|first) initiali[sz]e/i;
const speaksOfSession = (text: string): boolean => ofSessions.test(text);
/** Tells whether a message may concern a forgotten session; a ping then decides. */
const maySpeakOfSession = (text: string): boolean => /session|initiali[sz]/i.test(text);
/** Message of Python servers for a request before `initialize`; the same message also reports wrong parameters of a call. */
const vague = /^invalid request parameters$/i;

/** HTTP statuses that say nothing about a session, whatever the body holds. */
const passing: readonly number[] = [408, 429, 502, 503, 504];

/**
 * Tells whether the refusal of a request that named a session means that the server has forgotten it. `ask`: the message may
 * concern another kind of session, such as that of a browser tool, so a ping has to fail in the same way.
 */
export function isForgotten(
  status: number,
  headers: IncomingHttpHeaders,
  body: string,
): 'yes' | 'ask' | 'no' {
  if (status === 404) return 'yes';
  if (status < 400 || passing.includes(status)) return 'no';
  return headers['www-authenticate'] === undefined && maySpeakOfSession(body) ? 'ask' : 'no';
}

const lists: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
]);
const wordsOf = ({ message, data }: RpcError): string =>
  typeof data === 'string' ? `${message} ${data}` : message;

/**
 * Judge of the JSON-RPC errors in one session. A list or a ping that worked before and now fails with a message about a
 * session shows that the session is forgotten. The error of any other request may be about another kind of session, such as that
 * of a browser tool, so a ping has to fail in the same way.
 */
export class Doubts {
  readonly #worked = new Set<string>();
  /** Error that may mean a forgotten session, kept until the answer to a ping shows whether it does. */
  #doubted: RpcError | undefined;

  /** Tells whether the answer to a request shows a forgotten session; no `error` means a result. `ask`: a ping has to decide. */
  judge(method: string, error: RpcError | undefined): 'fine' | 'forgotten' | 'ask' {
    if (!error) {
      this.#worked.add(method);
      return 'fine';
    }
    const words = wordsOf(error);
    const isClear = speaksOfSession(words);
    if (!maySpeakOfSession(words) && !vague.test(error.message)) return 'fine';
    const hasWorked = this.#worked.has(method);
    if (isClear && hasWorked && (method === 'ping' || lists.has(method))) return 'forgotten';
    if (method === 'ping' || this.#doubted) return 'fine';
    this.#doubted = error;
    return 'ask';
  }
  /** Takes the answer to the ping that `ask` demanded; returns true when it failed in the same way as the request before it. */
  settle(error: RpcError | undefined): boolean {
    const before = this.#doubted;
    this.#doubted = undefined;
    if (!before || !error) return false;
    const isSame = error.code === before.code && error.message === before.message;
    return isSame || maySpeakOfSession(wordsOf(error));
  }
}
