import { afterEach, describe, expect, it } from 'vitest';
import type { Answers } from '../../../adapters/mcp/messages/answers.ts';
import { handTimers, openIn } from './session.probe.ts';
import type { ObservedSession } from './session.harness.ts';
import type { RealSessionWorld, WorldOptions } from './session.port.ts';
import { createHttpWorld, createLinkedWorld, createStdioWorld } from './session.world.ts';

const wires: Readonly<
  Record<string, (options: WorldOptions) => RealSessionWorld | Promise<RealSessionWorld>>
> = {
  'the streams of a process': createStdioWorld,
  'streamable HTTP': (options) => createHttpWorld('streamable', options),
  'HTTP and SSE': (options) => createHttpWorld('sse', options),
  'a linked pair': createLinkedWorld,
};
const message = { role: 'user', content: { type: 'text', text: 'hello' } } as const;
const sampling = { method: 'sampling/createMessage', params: { messages: [message], maxTokens: 10 } };
const sampled = { role: 'assistant', model: 'none', content: { type: 'text', text: 'hi' } } as const;
const form = { type: 'object', properties: {} } as const;
const elicitation = { method: 'elicitation/create', params: { message: 'who?', requestedSchema: form } };
const never = (): Promise<never> => new Promise(() => {});
function unanswered() {
  const signals: AbortSignal[] = [];
  const sample: Answers['sample'] = (_server, _params, signal) => (signals.push(signal), never());
  return { signals, sample };
}

describe.each(Object.keys(wires))('what a server asks of its host, over %s', (wire) => {
  let world: RealSessionWorld;
  afterEach(() => world.dispose());
  const openWith = async (answers: Answers, options: WorldOptions = {}): Promise<ObservedSession> => {
    world = await (wires[wire] ?? createStdioWorld)({ answers, ...options });
    return openIn(world);
  };
  const asked = async (session: ObservedSession, request: object): Promise<unknown> =>
    JSON.parse(await session.text('askHost', request));

  it('is answered by who can: roots, sampling, elicitation, with the name of the server', async () => {
    const servers: string[] = [];
    const session = await openWith({
      roots: () => [{ uri: 'file:///here', name: 'here' }],
      sample: async (server) => (servers.push(server), sampled),
      elicit: async (server) => (servers.push(server), { action: 'accept', content: {} }),
    });
    expect(await asked(session, { method: 'ping' })).toEqual({ result: {} });
    expect(await asked(session, { method: 'roots/list' })).toEqual({
      result: { roots: [{ uri: 'file:///here', name: 'here' }] },
    });
    expect(await asked(session, sampling)).toEqual({ result: sampled });
    expect(await asked(session, elicitation)).toEqual({ result: { action: 'accept', content: {} } });
    expect(servers).toEqual(['echo', 'echo']);
  });

  it.each([
    ['empty by a client that fills nothing in', {}, {}],
    ['with the default by one that fills it in', { applyDefaults: true }, { name: 'Ada' }],
  ])('has a field that a person left empty %s', async (_how, form, content) => {
    const said = { action: 'accept' as const, content: {} };
    const session = await openWith({ elicit: async () => said, capabilities: { elicitation: { form } } });
    const requestedSchema = { type: 'object', properties: { name: { type: 'string', default: 'Ada' } } };
    const request = { method: 'elicitation/create', params: { message: 'who?', requestedSchema } };
    expect(await asked(session, request)).toEqual({ result: { action: 'accept', content } });
  });

  it('is refused in words when no JSON can hold what the host says', async () => {
    const session = await openWith({
      elicit: async () => ({ action: 'accept', content: { name: 1n as never } }),
    });
    const message = 'the host could not answer: Do not know how to serialize a BigInt';
    expect(await asked(session, elicitation)).toEqual({ error: { code: -32603, message } });
  });

  it('is refused with -32601, and why, when nobody can answer', async () => {
    const session = await openWith({});
    for (const request of [{ method: 'foo/bar' }, { method: 'roots/list' }, elicitation])
      expect(await asked(session, request)).toMatchObject({ error: { code: -32601 } });
    const message = expect.stringContaining('is not answered by this client: its host gave it no model');
    expect(await asked(session, sampling)).toMatchObject({ error: { code: -32601, message } });
  });

  it('delays no other answer when it is answered slowly', async () => {
    let answer = (_: typeof sampled): void => {};
    const session = await openWith({ sample: () => new Promise((resolve) => (answer = resolve)) });
    const slow = session.call('askHost', sampling);
    expect(await session.text('echo', { text: 'meanwhile' })).toBe('meanwhile');
    expect(await asked(session, { method: 'ping' })).toEqual({ result: {} });
    expect(slow.facts).toMatchObject([{ type: 'ask.held', method: 'sampling/createMessage' }]);
    answer(sampled);
    expect(await slow.answer()).toMatchObject({ type: 'ask.answered' });
  });

  it('is refused with its first line, never a stack, when the host fails to answer', async () => {
    const session = await openWith({
      sample: () => Promise.reject(new Error('no model today\n    at somewhere (file.ts:1)')),
      roots: () => {
        throw new Error('no roots today');
      },
    });
    const error = { code: -32603, message: 'the host could not answer: no model today' };
    expect(await asked(session, sampling)).toEqual({ error });
    expect(await asked(session, { method: 'roots/list' })).toMatchObject({ error: { code: -32603 } });
  });

  it('is refused when nobody answers in time, or cancelled where a person was asked', async () => {
    const hand = handTimers();
    const { signals, sample } = unanswered();
    const session = await openWith({ sample, elicit: never }, { answerMs: 77, timers: hand.timers });
    const late = asked(session, sampling);
    await hand.awaited(77);
    hand.pass(77);
    expect(await late).toMatchObject({ error: { code: -32603, message: 'nobody answered within 77 ms' } });
    expect(signals[0]?.aborted).toBe(true);
    const asksPerson = asked(session, elicitation);
    await hand.awaited(77);
    hand.pass(77);
    expect(await asksPerson).toEqual({ result: { action: 'cancel' } });
  });

  it('is aborted when the server withdraws it, and when the session closes', async () => {
    const hand = handTimers();
    const { signals, sample } = unanswered();
    const session = await openWith({ sample }, { answerMs: 77, timers: hand.timers });
    const begun = async (n: number): Promise<void> => {
      while (signals.length < n) await session.text('echo', { text: 'meanwhile' });
    };
    session.call('askHost', sampling);
    await begun(1);
    await session.text('takeBack');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    session.call('askHost', sampling);
    await begun(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    session.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await world.port.closed();
    expect(hand.waitsFor(77), 'no timer is left').toBe(false);
  });

  it('may be asked again when the roots are others', async () => {
    const session = await openWith({ roots: () => [] });
    world.port.announceRoots();
    for (;;) {
      const methods = JSON.parse(await session.text('methods')) as string[];
      if (methods.includes('notifications/roots/list_changed')) break;
    }
    expect(session.facts).toHaveLength(1);
  });

  it('goes to the log of the host when it says it in its log', async () => {
    const lines: unknown[] = [];
    const session = await openWith({}, { log: (server, line) => lines.push([server, line]) });
    await session.call('log', { level: 'warning', logger: 'db', data: { rows: 3 } }).answer();
    expect(lines).toEqual([['echo', { level: 'warning', logger: 'db', data: { rows: 3 } }]]);
  });

  it('has with each question a token of its own beside what the caller said', async () => {
    const session = await openWith({});
    const meta = async (_meta: object | undefined): Promise<Record<string, unknown>> => {
      const params = { name: 'meta', arguments: {}, ...(_meta && { _meta }) };
      const fact = await session.request('tools/call', params).answer();
      const { content } = (fact as { result: { content: readonly { text: string }[] } }).result;
      return JSON.parse(content[0]?.text ?? '') as Record<string, unknown>;
    };
    const [one, other] = [await meta({ trace: 'abc', progressToken: 'mine' }), await meta(undefined)];
    expect(one).toMatchObject({ trace: 'abc', progressToken: expect.any(Number) });
    expect(other['progressToken']).not.toBe(one['progressToken']);
  });

  it('is counted where it reached nobody, with the last of it', async () => {
    const session = await openWith({});
    expect(world.port.noiseOf('echo')).toEqual({
      ...{ garbage: 0, overlong: 0, unknownId: 0, lateAnswer: 0, lateProgress: 0, protocol: 0 },
    });
    await session.call('garbage').answer();
    await session.call('stringId').answer();
    await session.call('work').answer();
    await world.until(() => world.port.noiseOf('echo').lateProgress === 1);
    const noise = world.port.noiseOf('echo');
    expect(noise).toMatchObject({ unknownId: 1 + Number(noise.garbage === 2), protocol: 1, lateProgress: 1 });
    expect(noise.garbage).toBeGreaterThanOrEqual(2);
    expect(noise.last?.length).toBeLessThanOrEqual(200);
  });
});
