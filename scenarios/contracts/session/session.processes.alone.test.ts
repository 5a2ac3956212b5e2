import { afterEach, describe, expect, it } from 'vitest';
import { messageBytes } from '../../../adapters/mcp/messages/framing.ts';
import { resultBytes } from '../../../adapters/mcp/transport.ts';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import type { SessionFact } from '../../../machines/ports/session.ts';
import { registered } from '../registered.ts';
import { sessionMcpContract } from './session-mcp.contract.ts';
import { sessionContract } from './session.contract.ts';
import { createStdioWorld, type StdioWorld } from './session.world.ts';

const createWorld = (): StdioWorld => createStdioWorld();
registered('session port: real processes', sessionContract({ createWorld }));
registered('session port, the whole of MCP: real processes', sessionMcpContract({ createWorld }));

describe('a session over the streams of a process', () => {
  let world: StdioWorld;
  afterEach(() => world.dispose());
  const connect = async () => {
    const facts: SessionFact[] = [];
    const session = world.open('echo', (fact) => facts.push(fact));
    await world.until(() => facts.length > 0);
    return session;
  };
  const call = async (session: string, name: string, args: object = {}): Promise<RequestFact> => {
    const facts: RequestFact[] = [];
    const request = { id: 'q', target: session, method: 'tools/call', params: { name, arguments: args } };
    world.ask('test', request, (fact) => facts.push(fact));
    await world.until(() => facts.length > 0);
    return facts[0] as RequestFact;
  };

  it('fails a call whose answer is longer than a message may be, and lives on', async () => {
    world = createStdioWorld({ resultBytes });
    const { key } = await connect();
    const innocent = call(key, 'echo', { text: 'innocent' });
    const [tooLarge, answered] = await Promise.all([
      call(key, 'big', { bytes: messageBytes + 1_000_000 }),
      innocent,
    ]);
    expect(tooLarge).toMatchObject({ failure: { code: 413, details: { limit: resultBytes } } });
    expect(answered).toMatchObject({ type: 'ask.answered' });
    expect(await call(key, 'big', { bytes: 6 * 1024 * 1024 })).toMatchObject({ type: 'ask.answered' });
  });

  it('tells a log of every line that reached nobody', async () => {
    world = createStdioWorld();
    const { key } = await connect();
    await call(key, 'garbage');
    await call(key, 'stringId');
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
    world = createStdioWorld();
    const { key } = await connect();
    expect(await call(key, 'echo', { text: 1n })).toMatchObject({ sent: false, failure: { code: 400 } });
  });

  it('sends more than a pipe holds', async () => {
    world = createStdioWorld({ resultBytes });
    const { key } = await connect();
    const text = 'x'.repeat(300_000);
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(key, 'echo', { text })));
    expect(answers.every(({ type }) => type === 'ask.answered')).toBe(true);
  });

  it('lets go of the streams when it is closed, and keeps draining them', async () => {
    world = createStdioWorld();
    const session = await connect();
    const streams = world.ledger.list()[0]?.streams;
    session.close();
    expect(streams?.stdin.listenerCount('drain')).toBe(0);
    expect(streams?.stdout.listenerCount('data')).toBe(0);
    expect(streams?.stdout.readableFlowing).toBe(true);
  });
});
