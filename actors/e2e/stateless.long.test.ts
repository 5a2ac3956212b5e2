import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startHost } from '../../scenarios/fixtures/started-host.ts';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of servers of MCP 2026-07-28, made with the official SDK; a server with only this revision refuses `initialize`. */
const server = fixtureFile('stateless-server.mjs');
const folder = testFolder('stateless');
async function opened(kind: 'stdio' | 'http', ...more: readonly string[]) {
  const host =
    kind === 'http' ? closedAfter(await startHost(process.execPath, [server, '0', ...more])) : undefined;
  const entry = host ? { url: host.url } : { command: process.execPath, args: [server, ...more] };
  const elicit = async () => ({ action: 'accept', content: { name: 'Ada' } }) as const;
  const it = closedAfter(
    await computerWith({ it: { ...entry, autoApprove: ['all'] } }, { answers: { elicit } }),
  );
  return { it, host };
}

describe.each(['stdio', 'http'] as const)('a server of 2026-07-28 over %s', (kind) => {
  it.each([[[]], [['both']]])(
    'is spoken to in that revision, hears what it wants to know, and answers then (started with %j)',
    async (revisions) => {
      const { it } = await opened(kind, ...revisions);
      expect(it.status().servers[0]).toMatchObject({ state: 'ready' });
      const trace = readFileSync(await it.debug.writeTrace(folder), 'utf8');
      expect(trace).toContain('"protocolVersion":"2026-07-28"');
      const { outcome, result } = await it.callTool('greet', {});
      expect(outcome).toBe('succeeded');
      expect(JSON.stringify(result)).toContain('Hello, Ada (round one)');
    },
  );
  it('answers calls, at once and beside each other', async () => {
    const { it } = await opened(kind);
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`);
    const ended = await Promise.all(texts.map((text) => it.callTool('echo', { text })));
    expect(
      ended.map(({ result }) => (result as unknown as { content: { text: string }[] }).content[0]?.text),
    ).toEqual(texts);
  });
  it('is asked for its tools again when it says that they have changed', async () => {
    const { it } = await opened(kind);
    const changed = new Promise<void>((resolve) => void it.on('tools.changed', () => resolve()));
    await it.callTool('grow', {});
    await changed;
    const { tools } = await it.tools();
    expect(tools.map(({ name }) => name)).toContain('grown');
  });
  it('hears that a call is cancelled', async () => {
    const { it, host } = await opened(kind);
    const wrote = (word: string): Promise<void> =>
      host?.wrote(word) ??
      new Promise((resolve) => {
        const off = it.on('server.wrote', ({ text }) => {
          if (!text.includes(word)) return;
          off();
          resolve();
        });
      });
    const [begun, cancelled] = [wrote('begun'), wrote('cancelled')];
    const call = it.callTool('slow', {});
    await begun;
    call.cancel();
    expect(await call).toMatchObject({ end: 'cancelled' });
    await cancelled;
  });
});
