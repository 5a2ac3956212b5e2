import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandLine, type Told } from '../../scenarios/fixtures/command-line.ts';
import { startHttpServer } from '../../scenarios/fixtures/http-server.ts';
import type { Context } from './context.ts';

/** Commands that ask once, over servers that take long to start. */
const folder = mkdtempSync(join(tmpdir(), 'a2c-starting-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const fileOf = (mcpServers: object, a2c: object = {}): string => {
  const file = join(folder, `${(files += 1)}.json`);
  writeFileSync(file, JSON.stringify({ mcpServers, a2c }));
  return file;
};

/** A server that answers `initialize` once somebody has seen on the terminal that it is waited for. */
async function withSlow(
  argv: readonly string[],
  { a2c = {}, answers = true }: { a2c?: object; answers?: boolean } = {},
): Promise<Told & { readonly meters: readonly (string | null)[] }> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const remote = await startHttpServer({
    kind: 'streamable',
    before: async ({ body }) => {
      if (body?.['method'] === 'initialize') await released;
    },
  });
  const meters: (string | null)[] = [];
  const told = { out: '', err: '' };
  const out = (text: string): void => void (told.out += `${text}\n`);
  const err = (text: string): void => void (told.err += `${text}\n`);
  const terminal = {
    ...{ out, err, outText: out, errText: err, line: out, isWatched: true, isRead: true },
    meter: (text: string | null) => {
      meters.push(text);
      if (answers && text !== null && text.includes('slow')) release();
    },
  } as unknown as Context['terminal'];
  const config = fileOf({ slow: { url: `${remote.url}/echo` } }, a2c);
  const { code } = await commandLine([...argv, '-c', config], { terminal });
  release();
  await remote.stop();
  return { code, ...told, meters };
}

describe('a server that takes long to start', () => {
  it.each([
    [['call', 'echo', '{"text":"at last"}', '--timeout', '60'], 'at last\n'],
    [['call', 'echo', '{"text":"at last"}'], 'at last\n'],
    [['tools'], 'echo'],
    [['status'], 'ready'],
  ])('is waited for by %j, and the terminal says so', async (argv, shown) => {
    const { code, out, meters } = await withSlow(argv);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(shown) });
    expect(meters[0]).toMatch(/^waiting for slow: \d+ s; waits for .+ since \d+ s/);
    expect(meters.at(-1)).toBeNull();
  });

  it('is named in the failure of a call whose time is over, and never "not found"', async () => {
    const argv = ['call', 'echo', '{}', '--timeout', '0.2', '--json'];
    const { code, out } = await withSlow(argv, { answers: false });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'ServerNotActive', details: { state: 'connecting', servers: ['slow'] } },
    });
  });

  it.each([
    [['--boot', '0.05'], {}],
    [[], { timeouts: { bootMs: 50 } }],
  ])('is waited for no longer than %j %j allow', async (how, a2c) => {
    const { code, out } = await withSlow(['tools', '--json', ...how], { a2c, answers: false });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ tools: [], servers: [{ name: 'slow', state: 'connecting' }] });
  });
});
