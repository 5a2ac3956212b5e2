import type { HttpOptions, HttpServing, OpenSession } from './http.ts';

export type { HttpServing } from './http.ts';
/** The MCP SDK is loaded only then. */
export const serveOverHttp = async (options: HttpOptions, open: OpenSession): Promise<HttpServing> =>
  (await import('./http.ts')).serveOverHttp(options, open);
