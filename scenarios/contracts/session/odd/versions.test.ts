import { describe, expect, it } from 'vitest';
import { wires } from './odd-server.ts';
import { greeting, openOdd } from './odd.harness.ts';

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
      const session = await openOdd(wire, ({ id, method, params }, say) => {
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
    const session = await openOdd(wire, ({ id, method }, say) => {
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
