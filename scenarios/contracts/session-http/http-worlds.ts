import type { ServerResponse } from 'node:http';
import { afterEach } from 'vitest';
import type { SeenRequest } from '../../fixtures/http-server.ts';
import { createHttpWorld, type HttpWorld, type HttpWorldOptions } from '../session/session.world.ts';

/** What they hold ends with each test. */
export function httpWorlds(): (kind: 'streamable' | 'sse', options?: HttpWorldOptions) => Promise<HttpWorld> {
  const worlds: HttpWorld[] = [];
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.dispose();
  });
  return async (kind, options = {}) => {
    const world = await createHttpWorld(kind, options);
    worlds.push(world);
    return world;
  };
}
export function methodOf({ body }: SeenRequest): string {
  const method = body?.['method'];
  return typeof method === 'string' ? method : '';
}
export const timesOf = ({ server }: HttpWorld, method: string): number =>
  server.seen.filter((one) => methodOf(one) === method).length;

/** `own` repeats the id of the request. */
export const bodies = {
  own: (id: unknown, message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32001, message } }),
  'own after a byte order mark': (id: unknown, message: string) =>
    `\uFEFF${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32001, message } })}`,
  'id null': (_: unknown, message: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32001, message } }),
  detail: (_: unknown, message: string) => JSON.stringify({ detail: message }),
  text: (_: unknown, message: string) => message,
  empty: () => '',
} as const;
export type BodyKind = keyof typeof bodies;
export function refuse(
  response: ServerResponse,
  seen: Pick<SeenRequest, 'body'>,
  { status, kind, message = 'nope', headers = {} }: Refusing,
): true {
  response.writeHead(status, headers).end(bodies[kind](seen.body?.['id'], message));
  return true;
}
type When = (seen: SeenRequest) => boolean;
export const inCall: When = (seen) => methodOf(seen) === 'tools/call';
export const refusing = (refusal: Refusing, when: When = () => true) => ({
  instead: (seen: SeenRequest, response: ServerResponse) => when(seen) && refuse(response, seen, refusal),
});
interface Refusing {
  readonly status: number;
  readonly kind: BodyKind;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
