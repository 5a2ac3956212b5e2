import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { startHost, type StartedHost } from '../../scenarios/fixtures/started-host.ts';
import type { Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of servers of MCP 2026-07-28, made with the official SDK; a server with only this revision refuses `initialize`. */
const server = fixtureFile('stateless-server.mjs');
const folder = testFolder('stateless');
let computer: Computer | undefined;
let host: StartedHost | undefined;
afterEach(async () => {
  await computer?.close();
  await host?.kill();
  [computer, host] = [undefined, undefined];
});
const transports = ['stdio', 'http'] as const;
async function computerOf(kind: (typeof transports)[number], ...more: 'both'[]): Promise<Computer> {
  if (kind === 'http') host = await startHost(process.execPath, [server, '0', ...more]);
  const entry = host ? { url: host.url } : { command: process.execPath, args: [server, ...more] };
  computer = await bootedComputer({
    config: { mcpServers: { it: { ...entry, autoApprove: ['all'] } } },
    stateDir: false,
    answers: { elicit: async () => ({ action: 'accept', content: { name: 'Ada' } }) },
  });
  return computer;
}

async function expectNewest(it: Computer): Promise<void> {
  expect(it.status().servers[0]).toMatchObject({ state: 'ready' });
  expect(readFileSync(await it.debug.writeTrace(folder), 'utf8')).toContain('"protocolVersion":"2026-07-28"');
}

describe.each(transports)('a server of 2026-07-28 and of the revisions before it, over %s', (kind) => {
  it('is spoken to in the newer one', async () => {
    const it = await computerOf(kind, 'both');
    await expectNewest(it);
    expect(await it.callTool('greet', {})).toMatchObject({ outcome: 'succeeded' });
  });
});

describe.each(transports)('a server of 2026-07-28 over %s', (kind) => {
  it('is ready, and says what it is and speaks', async () => {
    await expectNewest(await computerOf(kind));
  });
  it('answers calls, at once and beside each other', async () => {
    const it = await computerOf(kind);
    const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`);
    const ended = await Promise.all(texts.map((text) => it.callTool('echo', { text })));
    expect(
      ended.map(({ result }) => (result as unknown as { content: { text: string }[] }).content[0]?.text),
    ).toEqual(texts);
  });
  it('is asked for its tools again when it says that they have changed', async () => {
    const it = await computerOf(kind);
    const changed = new Promise<void>((resolve) => void it.on('tools.changed', () => resolve()));
    await it.callTool('grow', {});
    await changed;
    const { tools } = await it.tools();
    expect(tools.map(({ name }) => name)).toContain('grown');
  });
  it('hears what it wants to know, and answers then', async () => {
    const { outcome, result } = await (await computerOf(kind)).callTool('greet', {});
    expect([outcome, JSON.stringify(result)]).toEqual([
      'succeeded',
      expect.stringContaining('Hello, Ada (round one)'),
    ]);
  });
  it('hears that a call is cancelled', async () => {
    const it = await computerOf(kind);
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
