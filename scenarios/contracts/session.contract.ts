import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AskFact } from '../../machines/ports.ts';
import {
  expectSeen,
  observed,
  type ObservedSession,
  type ServerBehaviour,
  type SessionWorld,
  type Stage,
} from './session.stage.ts';

/** What every `session` port, and the answering side of it, owes its machines. */
export function sessionContract(name: string, createWorld: () => SessionWorld | Promise<SessionWorld>): void {
  describe(`session port: ${name}`, () => {
    let world: SessionWorld;
    beforeEach(async () => {
      world = await createWorld();
    });
    afterEach(() => world.dispose());
    const open = (behaviour: ServerBehaviour): ObservedSession =>
      observed(world, (give) => world.open(behaviour, give));
    const stage: Stage = {
      seen: expectSeen,
      world: () => world,
      open,
      opened: async (behaviour) => {
        const session = open(behaviour);
        expect(await session.first()).toMatchObject({ type: 'session.opened' });
        await world.ready?.();
        return session;
      },
    };
    describe('the handshake', () => handshake(stage));
    describe('a list', () => lists(stage));
    describe('a call', () => calls(stage));
    describe('a withdrawn question', () => withdrawals(stage));
    describe('a foreign line', () => foreignLines(stage));
    describe('the end', () => endings(stage));
  });
}

function handshake({ open, world }: Stage): void {
  it('opens the session with what the server said of itself', async () => {
    expect(await open('echo').first()).toEqual({
      type: 'session.opened',
      info: {
        name: 'fixture',
        version: '1.2.3',
        protocolVersion: '2025-06-18',
        offers: {
          tools: { listChanged: true },
          resources: null,
          prompts: null,
          completions: false,
          logging: false,
        },
      },
    });
  });

  it('tells a server without tools', async () => {
    expect(await open('noTools').first()).toMatchObject({ info: { offers: { tools: null } } });
  });

  it('that is refused fails with the words of the server', async () => {
    const session = open('refuses');
    expect(await session.first()).toMatchObject({
      type: 'session.failed',
      failure: { message: expect.stringContaining('not today'), details: { code: -32600 } },
    });
    await world().settled();
    expect(session.facts).toHaveLength(1);
  });

  it.each(['diesEarly', 'malformedInitialize'] as const)('fails, and once: %s', async (behaviour) => {
    const session = open(behaviour);
    expect(await session.first()).toMatchObject({ type: 'session.failed' });
    await world().settled();
    expect(session.facts).toHaveLength(1);
  });

  it('fails where there is nobody', async () => {
    const session = observed(world(), (give) => world().openOnNothing(give));
    expect(await session.first()).toMatchObject({ type: 'session.failed' });
  });

  it('that nobody answers is waited for, until close, and then nothing is told', async () => {
    const session = open('mute');
    expect(await session.call('echo').answer()).toMatchObject({ type: 'ask.refused', sent: false });
    session.close();
    await world().settled();
    expect(session.facts).toEqual([]);
  });
}

function lists({ opened }: Stage): void {
  it('has the tools as the server described them', async () => {
    const session = await opened('echo');
    const fact = await session.request('tools/list').answer();
    expect(fact).toMatchObject({ type: 'ask.answered' });
    const { tools } = (fact as { result: { tools: readonly object[] } }).result;
    expect(tools).toContainEqual({ name: 'echo', description: 'echo', inputSchema: { type: 'object' } });
  });

  it('has the tools of all pages in order, and counts entries that cannot be tools', async () => {
    const session = await opened('pages');
    expect(await session.request('tools/list').answer()).toMatchObject({
      type: 'ask.answered',
      result: { tools: [{ name: 'first' }, { name: 'second' }], malformed: 1 },
    });
  });

  it('that never ends is refused', async () => {
    const session = await opened('endlessPages');
    const fact = await session.request('tools/list').answer();
    expect(fact).toMatchObject({ type: 'ask.refused', sent: true });
    expect(fact).not.toHaveProperty('lost');
  });

  it('that has changed is told', async () => {
    const session = await opened('echo');
    await session.call('change').answer();
    await session.next('list.changed');
    expect(session.facts.map(({ type }) => type)).toEqual(['session.opened', 'list.changed']);
  });
}

function calls({ opened, world }: Stage): void {
  it('is answered with the result as the server gave it', async () => {
    const session = await opened('echo');
    expect(await session.call('echo', { text: 'grüße\n' }).answer()).toMatchObject({
      type: 'ask.answered',
      result: { content: [{ type: 'text', text: 'grüße\n' }] },
    });
  });

  it('among many gets its own answer', async () => {
    const session = await opened('echo');
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    expect(await Promise.all(texts.map((text) => session.text('echo', { text })))).toEqual(texts);
  });

  it('102: is answered out of turn, and each has its own answer', async () => {
    const session = await opened('echo');
    const both = [session.text('pair', { text: 'first' }), session.text('pair', { text: 'second' })];
    expect(await Promise.all(both)).toEqual(['first', 'second']);
  });

  it('114: that the tool itself calls failed is an answer', async () => {
    const session = await opened('echo');
    expect(await session.call('fail').answer()).toMatchObject({
      type: 'ask.answered',
      result: { isError: true, content: [{ text: 'no such thing' }] },
    });
  });

  it('that the server refuses carries the words and the code of the server', async () => {
    const session = await opened('echo');
    const fact = await session.call('error').answer();
    expect(fact).toMatchObject({
      type: 'ask.refused',
      sent: true,
      failure: { code: 4003, message: 'bad arguments', details: { code: -32602 } },
    });
    expect(fact).not.toHaveProperty('lost');
  });

  it('with an answer over the limit fails with its size, and no other does', async () => {
    const session = await opened('echo');
    const limit = world().resultBytes;
    const innocent = session.text('echo', { text: 'still here' });
    expect(await session.call('big', { bytes: limit }).answer()).toMatchObject({
      type: 'ask.refused',
      sent: true,
      failure: { code: 413, details: { bytes: expect.any(Number), limit }, remedy: expect.any(String) },
    });
    expect(await innocent).toBe('still here');
    expect(await session.text('big', { bytes: limit - 1_000 })).toHaveLength(limit - 1_000);
  });

  it('to an unknown session was surely not sent', async () => {
    const heard: AskFact[] = [];
    const question = { id: 'q', session: 'nobody', method: 'tools/call' };
    const withdraw = world().ask('contract', question, (fact) => heard.push(fact));
    await world().until(() => heard.length > 0);
    withdraw();
    expect(heard).toMatchObject([{ type: 'ask.refused', id: 'q', sent: false }]);
  });
}

function withdrawals({ opened, world, seen }: Stage): void {
  it('is cancelled at the server, exactly once, and no other is', async () => {
    const session = await opened('echo');
    const call = session.call('hang', { label: 'a' });
    session.call('hang', { label: 'b' });
    await seen(session, { hanging: ['a', 'b'], cancelled: [] });
    call.withdraw();
    call.withdraw();
    await seen(session, { hanging: ['b'], cancelled: ['a'] });
    await world().settled();
    expect(call.facts).toEqual([]);
  });

  it('69: hears no late answer, and the next call works', async () => {
    const session = await opened('echo');
    const call = session.call('hang', { label: 'a', late: true });
    await seen(session, { hanging: ['a'], cancelled: [] });
    call.withdraw();
    await seen(session, { hanging: [], cancelled: ['a'] });
    expect(call.facts).toEqual([]);
  });

  it('that was already answered is not cancelled', async () => {
    const session = await opened('echo');
    const call = session.call('echo', { text: 'hi' });
    await call.answer();
    call.withdraw();
    await seen(session, { hanging: [], cancelled: [] });
  });
}

function foreignLines({ opened }: Stage): void {
  it('that is no message does not end the session', async () => {
    const session = await opened('echo');
    expect(await session.text('garbage')).toBe('still here');
    expect(await session.text('echo', { text: 'and here' })).toBe('and here');
  });

  it('102, 103: answers nobody when its id is unknown, or is a string that looks like a number', async () => {
    const session = await opened('echo');
    expect(await session.text('stringId')).toBe('right');
    expect(await session.text('echo', { text: 'next' })).toBe('next');
  });

  it('that asks us is answered under its own id', async () => {
    const session = await opened('echo');
    expect(JSON.parse(await session.text('asksBack'))).toEqual({ jsonrpc: '2.0', id: '1000000', result: {} });
  });

  it('that is no proper answer fails the call it answers', async () => {
    const session = await opened('echo');
    expect(await session.call('malformed').answer()).toMatchObject({ type: 'ask.refused', sent: true });
    expect(await session.text('echo', { text: 'next' })).toBe('next');
  });
}

function endings({ opened, world, seen }: Stage): void {
  it.each(['die', 'hangUp'] as const)(
    '104: of the stream refuses what is pending as lost, then is told: %s',
    async (tool) => {
      const session = await opened('echo');
      const pending = [session.call('hang', { label: 'a' }), session.call('hang', { label: 'b' })];
      await seen(session, { hanging: ['a', 'b'], cancelled: [] });
      pending.push(session.call(tool));
      const told: (readonly AskFact[])[] = [];
      await world().until(() => {
        if (session.facts.length > 1 && told.length === 0)
          told.push(...pending.map(({ facts }) => [...facts]));
        return told.length > 0;
      });
      const lost = { type: 'ask.refused', sent: true, lost: true };
      expect(told, 'when the loss is told, the questions were refused').toMatchObject([
        [lost],
        [lost],
        [lost],
      ]);
      expect(session.facts.map(({ type }) => type)).toEqual(['session.opened', 'session.lost']);
      expect(await session.call('echo').answer()).toMatchObject({ type: 'ask.refused', sent: false });
    },
  );

  it('of a server tells one who withdrew nothing', async () => {
    const session = await opened('echo');
    const call = session.call('hang', { label: 'a' });
    call.withdraw();
    session.call('die');
    await session.next('session.lost');
    call.withdraw();
    expect(call.facts).toEqual([]);
  });

  it('by close cancels at the server what is pending, and nothing else', async () => {
    const session = await opened('echo');
    session.call('hang', { label: 'a' });
    session.call('hang', { label: 'b' }).withdraw();
    await session.text('echo', { text: 'answered' });
    session.close();
    expect(await world().cancels()).toBe(2);
  });

  it('by close is silent, for the session and for who waits', async () => {
    const session = await opened('echo');
    const pending = session.call('hang', { label: 'a' });
    session.close();
    session.close();
    pending.withdraw();
    await world().settled();
    expect(pending.facts).toEqual([]);
    expect(session.facts.map(({ type }) => type)).toEqual(['session.opened']);
    expect(await session.call('echo').answer()).toMatchObject({ type: 'ask.refused', sent: false });
  });
}
