import { afterEach, describe, expect, it } from 'vitest';
import { messageBytes } from '../../../adapters/mcp/messages/framing.ts';
import { resultBytes } from '../../../adapters/mcp/transport.ts';
import { registered } from '../registered.ts';
import { sessionMcpContract } from './session-mcp.contract.ts';
import { sessionContract } from './session.contract.ts';
import { openIn } from './session.probe.ts';
import type { ObservedSession } from './session.harness.ts';
import type { WorldOptions } from './session.port.ts';
import { createStdioWorld, type StdioWorld } from './session.world.ts';

const createWorld = (): StdioWorld => createStdioWorld();
registered('session port: real processes', sessionContract({ createWorld }));
registered('session port, the whole of MCP: real processes', sessionMcpContract({ createWorld }));

describe('a session over the streams of a process', () => {
  let world: StdioWorld;
  afterEach(() => world.dispose());
  const connect = (options: WorldOptions = {}): Promise<ObservedSession> =>
    openIn((world = createStdioWorld(options)));

  it('fails a call whose answer is longer than a message may be, and lives on', async () => {
    const session = await connect({ resultBytes });
    const innocent = session.text('echo', { text: 'innocent' });
    expect(await session.call('big', { bytes: messageBytes + 1_000_000 }).answer()).toMatchObject({
      failure: { code: 413, details: { limit: resultBytes } },
    });
    expect(await innocent).toBe('innocent');
    expect(await session.text('big', { bytes: 6 * 1024 * 1024 })).toHaveLength(6 * 1024 * 1024);
  });

  it('tells a log of every line that reached nobody', async () => {
    const session = await connect();
    await session.text('garbage');
    await session.text('stringId');
    // Notices after the answer may come later.
    expect(world.notices.slice(0, 5)).toMatchObject([
      { kind: 'garbage', text: 'Server listening on port 3000' },
      { kind: 'unknownId' },
      { kind: 'garbage', text: '42' },
      { kind: 'unknownId', text: '"nobody"' },
      { kind: 'protocol', text: 'an answer came with the id 2 as text' },
    ]);
  });

  it('refuses arguments that cannot be written, without sending anything', async () => {
    const session = await connect();
    const refused = await session.call('echo', { text: 1n }).answer();
    expect(refused).toMatchObject({ sent: false, failure: { code: 400 } });
  });

  it('sends more than a pipe holds', async () => {
    const session = await connect({ resultBytes });
    const text = 'x'.repeat(300_000);
    const answers = await Promise.all(Array.from({ length: 12 }, () => session.text('echo', { text })));
    expect(answers.every((each) => each === text)).toBe(true);
  });

  it('lets go of the streams when it is closed, and keeps draining them', async () => {
    const session = await connect();
    const streams = world.ledger.list()[0]?.streams;
    session.close();
    expect(streams?.stdin.listenerCount('drain')).toBe(0);
    expect(streams?.stdout.listenerCount('data')).toBe(0);
    expect(streams?.stdout.readableFlowing).toBe(true);
  });
});
