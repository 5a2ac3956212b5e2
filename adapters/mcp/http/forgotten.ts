import type { IncomingHttpHeaders } from 'node:http';
import type { RpcError } from '../messages/envelope.ts';

/** Id of the ping that asks whether a server still knows a session; its answer is never passed on. */
export const check = 'is-session-known';

const ofSessions =
  /session|\bnot (?:been |yet )*initiali[sz]ed|\buninitiali[sz]ed|\bbefore initiali[sz]|\binitiali[sz]\w* (?:first|(?:is )?required|(?:is )?not complete)|\b(?:must|first) initiali[sz]e/i;
const speaksOfSession = (text: string): boolean => ofSessions.test(text);
const maySpeakOfSession = (text: string): boolean => /session|initiali[sz]/i.test(text);
/** Message of Python servers for a request before `initialize`; the same message also reports wrong parameters of a call. */
const vague = /^invalid request parameters$/i;

const passing: readonly number[] = [408, 429, 502, 503, 504];

/** `ask`: the message may mean another kind of session, such as that of a browser tool, so a ping decides. */
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

/** Only a list or ping that worked before is proof; other errors may mean the session of a browser tool. */
export class Doubts {
  readonly #worked = new Set<string>();
  #doubted: RpcError | undefined;

  /** No `error` means a result. `ask`: a ping has to decide. */
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
  /** True when the ping failed in the same way as the request before it. */
  settle(error: RpcError | undefined): boolean {
    const before = this.#doubted;
    this.#doubted = undefined;
    if (!before || !error) return false;
    const isSame = error.code === before.code && error.message === before.message;
    return isSame || maySpeakOfSession(wordsOf(error));
  }
}
