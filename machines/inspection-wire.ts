/** Names by which an inspector's page and its host find each other. Without packages, because the page has it, too. */

export const inspectionProtocol = 1;
/** The page offers both; the host answers with the first, and so never says the token. */
export const subprotocol = `a2c-inspect.${inspectionProtocol}`;
export const tokenSubprotocol = (token: string): string => `token.${token}`;
export const attachPath = '/attach';

/** The ids of the data blocks of a page that is one file. Each `<` in JSON is written as `\u003c`. */
export const embedded = {
  /** `application/json`: a `welcome` whose `lines` are empty. */
  welcome: 'a2c-welcome',
  /** `application/x-ndjson`: the trace. */
  trace: 'a2c-trace',
  /** `application/json`: the `Checks` of the trace. */
  checks: 'a2c-checks',
  /** `text/plain`: the worker that lays charts out. */
  elk: 'a2c-elk',
} as const;
