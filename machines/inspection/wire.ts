/** How a page and its host find each other. Without packages: the page has it, too. */

export const inspectionProtocol = 1;
/** The page offers both; the host answers with the first, and so never says the token. */
export const subprotocol = `a2c-inspect.${inspectionProtocol}`;
export const tokenSubprotocol = (token: string): string => `token.${token}`;
export const attachPath = '/attach';
