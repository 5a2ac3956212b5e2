import { afterEach, describe, expect, it, vi } from 'vitest';
import { wires } from './odd-server.ts';
import { greeting, openOdd, type OddSession } from './odd.harness.ts';

let session: OddSession | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await session?.close();
  session = undefined;
});
const sessionWire = 'the streams of a process';
const refusals: readonly (readonly [what: string, error: object, asks: readonly string[]])[] = [
  ['a list', { message: 'no', data: { supported: ['2024-11-05', '2025-06-18'] } }, ['2025-06-18']],
  [
    'one version',
    { message: 'no', data: { expected: '2025-03-26', requested: '2025-11-25' } },
    ['2025-03-26'],
  ],
  ['words', { message: 'Unsupported version 2025-11-25. Supported: 2025-06-18' }, ['2025-06-18']],
  ['words after the own one', { message: 'Server only supports 2024-11-05, 2025-03-26' }, ['2025-03-26']],
  ['a version nobody speaks', { message: 'no', data: { supported: ['2099-01-01'] } }, []],
  ['only the version that was asked for', { message: 'Unsupported protocol version: 2025-11-25' }, []],
];

describe.each(Object.keys(wires))('a server that refuses a version over %s', (wire) => {
  it.each(refusals)(
    'is asked once more with a version that both speak when it names %s',
    async (_, error, again) => {
      const asked: unknown[] = [];
      session = await openOdd(wire, ({ id, method, params }, say) => {
        if (method !== 'initialize') return;
        asked.push(params?.['protocolVersion']);
        const version = again[0];
        if (params?.['protocolVersion'] === version)
          say({ jsonrpc: '2.0', id, result: { ...greeting, protocolVersion: version } });
        else say({ jsonrpc: '2.0', id, error: { code: -32_602, ...error } });
      });
      expect(asked).toEqual(['2025-11-25', ...again]);
      expect(session.first.type).toBe(again.length > 0 ? 'session.opened' : 'session.failed');
    },
  );
  it('is asked no third time with a version that it names itself, and the remedy does not send people to that version', async () => {
    let times = 0;
    session = await openOdd(wire, ({ id, method }, say) => {
      if (method !== 'initialize') return;
      times += 1;
      say({
        jsonrpc: '2.0',
        id,
        error: { code: -32_602, message: 'no', data: { supported: ['2025-06-18'] } },
      });
    });
    expect(times).toBe(2);
    expect(session.first).toMatchObject({
      failure: { code: 'NotStartable', remedy: expect.stringContaining('Update the server') as string },
    });
  });
});

describe('a process that says nothing to initialize', () => {
  const discovered = { ...greeting, supportedVersions: ['2026-07-28'] };
  it('is asked for the newest revision after 8 s, and used by it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const opened = openOdd(sessionWire, ({ id, method }, say) => {
      if (method === 'server/discover') say({ jsonrpc: '2.0', id, result: discovered });
    });
    await vi.advanceTimersByTimeAsync(7_900);
    await vi.advanceTimersByTimeAsync(200);
    session = await opened;
    expect(session.first).toMatchObject({ type: 'session.opened', info: { protocolVersion: '2026-07-28' } });
  });
  it.each<[string, object]>([
    ['refuses that', { error: { code: -32_601, message: 'no such method' } }],
    ['knows that, too', { result: discovered }],
  ])('is used by its late answer when it %s afterwards', async (_, answer) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const waiting: (() => void)[] = [];
    const asked: string[] = [];
    const opened = openOdd(sessionWire, ({ id, method = '' }, say) => {
      asked.push(method);
      if (method === 'initialize') waiting.push(() => say({ jsonrpc: '2.0', id, result: greeting }));
      if (method === 'server/discover') waiting.push(() => say({ jsonrpc: '2.0', id, ...answer }));
    });
    await vi.advanceTimersByTimeAsync(40_000);
    for (const say of waiting) say();
    session = await opened;
    expect(asked.slice(0, 2)).toEqual(['initialize', 'server/discover']);
    expect(session.first).toMatchObject({ type: 'session.opened', info: { protocolVersion: '2025-11-25' } });
  });
});
