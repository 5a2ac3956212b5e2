import type { IncomingHttpHeaders } from 'node:http';
import type { RpcError } from '../messages/envelope.ts';

/** Id of the ping that asks whether a server knows our session still. Its answer is for nobody else. */
export const check = 'is-session-known';

/** Words of servers that know our session no more, or see a request before `initialize`. */
const ofSessions =
  /session|\bnot (?:been |yet )*initiali[sz]ed|\buninitiali[sz]ed|\bbefore initiali[sz]|\binitiali[sz]\w* (?:first|(?:is )?required|(?:is )?not complete)|\b(?:must|first) initiali[sz]e/i;
const speaksOfSession = (text: string): boolean => ofSessions.test(text);
/** Words that may say the same. A ping decides. */
const maySpeakOfSession = (text: string): boolean => /session|initiali[sz]/i.test(text);
/** Python servers say no more than this before `initialize`; and the same of a call whose parameters are wrong. */
const vague = /^invalid request parameters$/i;

/** These say nothing of a session, whatever stands in the body. */
const passing: readonly number[] = [408, 429, 502, 503, 504];

/**
 * Whether a refusal, to a request that named a session, says that the server knows that session no more. `ask`: its words may be of a
 * session of its own, as of a browser or a plan, so a ping has to fail alike.
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
 * Judges JSON-RPC errors in one session. A list or a ping that was answered well before, and fails with words of a session, says that
 * it is forgotten. Anything else may speak of sessions of its own, as a browser tool does: then a ping has to fail alike.
 */
export class Doubts {
  readonly #worked = new Set<string>();
  /** The error that a ping is to confirm. */
  #doubted: RpcError | undefined;

  /** `ask`: a ping has to say. `error`: undefined for a result. */
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
  /** The ping is answered. True: it failed alike. */
  settle(error: RpcError | undefined): boolean {
    const before = this.#doubted;
    this.#doubted = undefined;
    if (!before || !error) return false;
    const isSame = error.code === before.code && error.message === before.message;
    return isSame || maySpeakOfSession(wordsOf(error));
  }
}
