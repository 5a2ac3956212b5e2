import { describe, expect, it } from 'vitest';
import { httpWorlds } from '../session-http/http-worlds.ts';
import { failureIn, openIn } from './session.probe.ts';
import type { HttpWorldOptions } from './session.world.ts';

const worldOf = httpWorlds();

describe('a URL of which nobody said what it speaks', () => {
  const untold = (kinds: string[]): HttpWorldOptions => ({
    spec: { kind: 'streamable', fallbackToSse: true },
    settledKind: (server, generation, kind) => kinds.push(`${server} ${generation} ${kind}`),
  });

  it('is spoken to as SSE when it refuses the first POST, and that is remembered', async () => {
    const kinds: string[] = [];
    const session = await openIn(await worldOf('sse', untold(kinds)));
    expect(await session.text('echo', { text: 'hi' })).toBe('hi');
    expect(kinds).toEqual(['echo 1 sse']);
  });

  it('is streamable when it takes the first POST, and that is remembered', async () => {
    const kinds: string[] = [];
    const world = await worldOf('streamable', untold(kinds));
    const session = await openIn(world);
    expect(await session.text('echo', { text: 'hi' })).toBe('hi');
    expect(kinds).toEqual(['echo 1 streamable']);
  });

  it.each([401, 403, 500])('is asked nothing else when it answers %i', async (status) => {
    const kinds: string[] = [];
    const world = await worldOf('streamable', untold(kinds));
    world.refuse = (response) => response.writeHead(status).end();
    expect(await failureIn(world)).toMatchObject({ details: { http_status: status } });
    expect(world.server.seen.map(({ method }) => method)).toEqual(['POST']);
    expect(kinds).toEqual([]);
  });
});
