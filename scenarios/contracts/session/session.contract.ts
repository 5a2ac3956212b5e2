import assert from 'node:assert/strict';
import type { RequestFact } from '../../../machines/kernel/ports.ts';
import { casesOf, type ContractCase } from '../contract.ts';
import { fits } from '../fits.ts';
import { rule, rules, observed, inHarness, type SessionSubject } from './session.harness.ts';

/**
 * Returns the test cases for a `session` port, which cover everything that its machines rely on, including answers to requests of
 * the server.
 * @example
 * for (const { title, run } of sessionContract(transportSubject({ transport, listen }))) test(title, run);
 */
export const sessionContract = (subject: SessionSubject): readonly ContractCase[] =>
  casesOf(
    {
      'the handshake': handshake,
      'a list': lists,
      'a call': calls,
      'a withdrawn question': withdrawals,
      'a foreign line': foreignLines,
      'the end': endings,
    },
    (rule) => inHarness(subject, rule),
  );

const handshake = [
  rule('opens the session with what the server said of itself', async ({ open }) => {
    assert.deepEqual(await open('echo').first(), {
      type: 'session.opened',
      info: {
        name: 'fixture',
        version: '1.2.3',
        protocolVersion: '2025-06-18',
        capabilities: {
          tools: { listChanged: true },
          resources: null,
          prompts: null,
          completions: false,
          logging: false,
        },
      },
    });
  }),

  rule('tells a server without tools', async ({ open }) => {
    fits(await open('noTools').first(), { info: { capabilities: { tools: null } } });
  }),

  rule('that is refused fails with the words of the server', async ({ open, world }) => {
    const session = open('refuses');
    fits(await session.first(), {
      type: 'session.failed',
      failure: { message: /not today/, details: { code: -32600 } },
    });
    await world.settled();
    assert.equal(session.facts.length, 1);
  }),

  ...rules(
    ['diesEarly', 'malformedInitialize'] as const,
    'fails, and once',
    async ({ open, world }, behaviour) => {
      const session = open(behaviour);
      fits(await session.first(), { type: 'session.failed' });
      await world.settled();
      assert.equal(session.facts.length, 1);
    },
  ),

  rule('fails where there is nobody', async ({ world }) => {
    const session = observed(world, (emit) => world.openOnNothing(emit));
    fits(await session.first(), { type: 'session.failed' });
  }),

  rule('that nobody answers is waited for until close, and then nothing is told', async ({ open, world }) => {
    const session = open('mute');
    fits(await session.call('echo').answer(), { type: 'ask.refused', sent: false });
    session.close();
    await world.settled();
    assert.deepEqual(session.facts, []);
  }),
];

const lists = [
  rule('has the tools as the server described them', async ({ opened }) => {
    const session = await opened('echo');
    const fact = await session.request('tools/list').answer();
    fits(fact, { type: 'ask.answered' });
    const { tools } = (fact as { result: { tools: readonly object[] } }).result;
    assert.deepEqual(
      tools.find((tool) => 'name' in tool && tool.name === 'echo'),
      { name: 'echo', description: 'echo', inputSchema: { type: 'object' } },
    );
  }),

  rule('has the tools of all pages in order, and counts entries that cannot be tools', async ({ opened }) => {
    const session = await opened('pages');
    const unusable = [{ unusable: String }];
    fits(await session.request('tools/list').answer(), {
      type: 'ask.answered',
      result: { tools: [{ name: 'first' }, { name: 'second' }], malformed: 1, unusable },
    });
  }),

  rule('that never ends is refused', async ({ opened }) => {
    const session = await opened('endlessPages');
    const fact = await session.request('tools/list').answer();
    fits(fact, { type: 'ask.refused', sent: true });
    assert.ok(!('lost' in fact));
  }),

  rule('that has changed is told', async ({ opened }) => {
    const session = await opened('echo');
    await session.call('change').answer();
    await session.next('list.changed');
    assert.deepEqual(
      session.facts.map(({ type }) => type),
      ['session.opened', 'list.changed'],
    );
  }),
];

const calls = [
  rule('is answered with the result as the server gave it', async ({ opened }) => {
    const session = await opened('echo');
    fits(await session.call('echo', { text: 'grüße\n' }).answer(), {
      type: 'ask.answered',
      result: { content: [{ type: 'text', text: 'grüße\n' }] },
    });
  }),

  rule('among many gets its own answer', async ({ opened }) => {
    const session = await opened('echo');
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    assert.deepEqual(await Promise.all(texts.map((text) => session.text('echo', { text }))), texts);
  }),

  rule('102: is answered out of turn, and each has its own answer', async ({ opened }) => {
    const session = await opened('echo');
    const both = [session.text('pair', { text: 'first' }), session.text('pair', { text: 'second' })];
    assert.deepEqual(await Promise.all(both), ['first', 'second']);
  }),

  rule('114: that the tool itself calls failed is an answer', async ({ opened }) => {
    const session = await opened('echo');
    fits(await session.call('fail').answer(), {
      type: 'ask.answered',
      result: { isError: true, content: [{ text: 'no such thing' }] },
    });
  }),

  rule('that the server refuses carries the words and the code of the server', async ({ opened }) => {
    const session = await opened('echo');
    const fact = await session.call('error').answer();
    fits(fact, {
      type: 'ask.refused',
      sent: true,
      failure: { code: 4003, message: 'bad arguments', details: { code: -32602 } },
    });
    assert.ok(!('lost' in fact));
  }),

  rule('with an answer over the limit fails with its size, and no other does', async ({ opened, world }) => {
    const session = await opened('echo');
    const limit = world.resultBytes;
    const innocent = session.text('echo', { text: 'still here' });
    fits(await session.call('big', { bytes: limit }).answer(), {
      type: 'ask.refused',
      sent: true,
      failure: { code: 413, details: { bytes: Number, limit }, remedy: String },
    });
    assert.deepEqual(await innocent, 'still here');
    assert.equal((await session.text('big', { bytes: limit - 1_000 })).length, limit - 1_000);
  }),

  rule('to an unknown session was surely not sent', async ({ world }) => {
    const heard: RequestFact[] = [];
    const request = { id: 'q', target: 'nobody', method: 'tools/call' };
    const withdraw = world.ask('contract', request, (fact) => heard.push(fact));
    await world.until(() => heard.length > 0);
    withdraw();
    fits(heard, [{ type: 'ask.refused', id: 'q', sent: false }]);
  }),
];

const withdrawals = [
  rule('is cancelled at the server, exactly once, and no other is', async ({ opened, world, seen }) => {
    const session = await opened('echo');
    const call = session.call('hang', { label: 'a' });
    session.call('hang', { label: 'b' });
    await seen(session, { hanging: ['a', 'b'], cancelled: [] });
    call.withdraw();
    call.withdraw();
    await seen(session, { hanging: ['b'], cancelled: ['a'] });
    await world.settled();
    assert.deepEqual(call.facts, []);
  }),

  rule('69: hears no late answer, and the next call works', async ({ opened, seen }) => {
    const session = await opened('echo');
    const call = session.call('hang', { label: 'a', late: true });
    await seen(session, { hanging: ['a'], cancelled: [] });
    call.withdraw();
    await seen(session, { hanging: [], cancelled: ['a'] });
    assert.deepEqual(call.facts, []);
  }),

  rule('that was already answered is not cancelled', async ({ opened, seen }) => {
    const session = await opened('echo');
    const call = session.call('echo', { text: 'hi' });
    await call.answer();
    call.withdraw();
    await seen(session, { hanging: [], cancelled: [] });
  }),
];

const foreignLines = [
  rule('that is no message does not end the session', async ({ opened }) => {
    const session = await opened('echo');
    assert.deepEqual(await session.text('garbage'), 'still here');
    assert.deepEqual(await session.text('echo', { text: 'and here' }), 'and here');
  }),

  rule(
    '102, 103: answers nobody when its id is unknown, and who asked when its id came as a string',
    async ({ opened }) => {
      const session = await opened('echo');
      assert.deepEqual(await session.text('stringId'), 'right');
      assert.deepEqual(await session.text('echo', { text: 'next' }), 'next');
    },
  ),

  rule('that asks us is answered under its own id', async ({ opened }) => {
    const session = await opened('echo');
    const answer = { jsonrpc: '2.0', id: '1000000', result: {} };
    assert.deepEqual(JSON.parse(await session.text('asksBack')), answer);
  }),

  rule('that is no proper answer ends the call it answers', async ({ opened }) => {
    const session = await opened('echo');
    fits(await session.call('malformed').answer(), { type: 'ask.refused', sent: true });
    assert.deepEqual(await session.text('echo', { text: 'next' }), 'next');
  }),
];

const endings = [
  ...rules(
    ['die', 'hangUp'] as const,
    '104: of the stream refuses what is pending as lost, then is told',
    async ({ opened, world, seen }, tool) => {
      const session = await opened('echo');
      const pending = [session.call('hang', { label: 'a' }), session.call('hang', { label: 'b' })];
      await seen(session, { hanging: ['a', 'b'], cancelled: [] });
      pending.push(session.call(tool));
      const told: (readonly RequestFact[])[] = [];
      await world.until(() => {
        if (session.facts.length > 1 && told.length === 0)
          told.push(...pending.map(({ facts }) => [...facts]));
        return told.length > 0;
      });
      const lost = { type: 'ask.refused', sent: true, lost: true };
      fits(told, [[lost], [lost], [lost]], 'what was refused when the loss is told');
      assert.deepEqual(
        session.facts.map(({ type }) => type),
        ['session.opened', 'session.lost'],
      );
      fits(await session.call('echo').answer(), { type: 'ask.refused', sent: false });
    },
  ),

  rule('of a server tells one who withdrew nothing', async ({ opened }) => {
    const session = await opened('echo');
    const call = session.call('hang', { label: 'a' });
    call.withdraw();
    session.call('die');
    await session.next('session.lost');
    call.withdraw();
    assert.deepEqual(call.facts, []);
  }),

  rule('by close cancels at the server what is pending, and nothing else', async ({ opened, world }) => {
    const session = await opened('echo');
    session.call('hang', { label: 'a' });
    session.call('hang', { label: 'b' }).withdraw();
    await session.text('echo', { text: 'answered' });
    session.close();
    assert.deepEqual(await world.cancels(), 2);
  }),

  rule('by close is silent, for the session and for who waits', async ({ opened, world }) => {
    const session = await opened('echo');
    const pending = session.call('hang', { label: 'a' });
    session.close();
    session.close();
    pending.withdraw();
    await world.settled();
    assert.deepEqual(pending.facts, []);
    assert.deepEqual(
      session.facts.map(({ type }) => type),
      ['session.opened'],
    );
    fits(await session.call('echo').answer(), { type: 'ask.refused', sent: false });
  }),
];
