import assert from 'node:assert/strict';
import { casesOf, type ContractCase } from '../contract.ts';
import { fits } from '../fits.ts';
import { rule, rules, inHarness, type SessionSubject } from './session.harness.ts';

/**
 * Returns the test cases for a `session` port beyond tools: all methods of MCP, progress and notifications.
 * @example
 * for (const { title, run } of sessionMcpContract(transportSubject({ transport, listen }))) test(title, run);
 */
export const sessionMcpContract = (subject: SessionSubject): readonly ContractCase[] =>
  casesOf(
    {
      'a handshake': handshakes,
      'a list': lists,
      'a question': requests,
      'what was not declared': undeclared,
      progress,
      news,
    },
    (rule) => inHarness(subject, rule),
  );
/** For ports whose servers outlive their sessions. */
export const remoteSessionContract = (subject: SessionSubject): readonly ContractCase[] =>
  casesOf({ 'a remote server': remoteEnds }, (rule) => inHarness(subject, rule));

const handshakes = [
  ...rules(
    [
      ['foreignVersion', '1999-12-31'],
      ['refusesVersion', '2999-01-01'],
    ] as const,
    'with no version in common is final, and fails with what was asked for and what the server has',
    async ({ open, world }, [behaviour, theirs]) => {
      const session = open(behaviour);
      fits(await session.first(), {
        type: 'session.failed',
        failure: {
          code: 'NotStartable',
          message: new RegExp(`protocol version 2025-11-25.* ${theirs}`),
          details: { asked: '2025-11-25', supported: [theirs] },
          remedy: /2025-11-25, 2025-06-18/,
        },
      });
      await world.settled();
      assert.equal(session.facts.length, 1);
    },
  ),

  rule('that nobody answers says what it waits for, since when, and that nothing came', async ({ open }) => {
    const session = open('mute');
    const { since, came, for: step } = await session.waits();
    assert.equal(came, '');
    assert.ok(['initialize', 'headers'].includes(step));
    assert.equal(new Date(since).toISOString(), since);
    session.close();
  }),
];
const pagedLists = [
  ['resources/list', 'resources', 'uri', ['note://1', 'note://2']],
  ['resources/templates/list', 'resourceTemplates', 'uriTemplate', ['note://{id}', 'page://{id}']],
  ['prompts/list', 'prompts', 'name', ['greet', 'part']],
] as const;
const lists = [
  ...rules(pagedLists, 'has all pages in order, and counts what is no entry', async ({ opened }, row) => {
    const [method, member, key, expected] = row;
    const session = await opened('full');
    const fact = await session.request(method).answer();
    fits(fact, { type: 'ask.answered', result: { malformed: 1 } });
    const { result } = fact as { result: Record<string, readonly Record<string, unknown>[]> };
    assert.deepEqual(
      result[member]?.map((entry) => entry[key]),
      expected,
    );
  }),
];

const answered = [
  ['ping', undefined, {}],
  ['resources/read', { uri: 'note://1' }, { contents: [{ uri: 'note://1', text: 'content of note://1' }] }],
  ['prompts/get', { name: 'greet' }, { messages: [{ role: 'user', content: { text: 'greet me' } }] }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'x' } },
    { completion: { values: ['xa', 'xb'] } },
  ],
  ['logging/setLevel', { level: 'debug' }, {}],
  ['resources/subscribe', { uri: 'note://1' }, {}],
  ['resources/unsubscribe', { uri: 'note://1' }, {}],
] as const;
const requests = [
  ...rules(answered, 'is answered with the result as the server gave it', async ({ opened }, row) => {
    const [method, params, result] = row;
    const session = await opened('full');
    fits(await session.request(method, params).answer(), { type: 'ask.answered', result });
  }),

  rule('that the server refuses carries its code', async ({ opened }) => {
    const session = await opened('full');
    fits(await session.request('resources/read', { uri: 'gone://1' }).answer(), {
      type: 'ask.refused',
      sent: true,
      failure: { message: 'no such resource', details: { code: -32002 } },
    });
  }),

  rule('that the server refuses carries the data of the error, unless that is large', async ({ opened }) => {
    const session = await opened('full');
    const detailsOf = async (uri: string): Promise<unknown> => {
      const fact = await session.request('resources/read', { uri }).answer();
      return (fact as { failure?: { details?: unknown } }).failure?.details;
    };
    assert.deepEqual(await detailsOf('gone://1'), { code: -32002, data: { uri: 'gone://1' } });
    const large = await detailsOf('huge://1');
    fits(large, { code: -32002, data_dropped: /the limit is 4096/ });
    assert.ok(!('data' in (large as object)));
  }),

  rule('tells what a server declares', async ({ open }) => {
    fits(await open('full').first(), {
      info: {
        capabilities: {
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: { listChanged: true },
          completions: true,
          logging: true,
        },
      },
    });
  }),
];

const offered = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
];
const undeclared = [
  rule('114: is never asked for: refused at once, and nothing is sent', async ({ opened }) => {
    const session = await opened('echo');
    for (const method of [...offered, 'nobody/knows']) {
      const { facts } = session.request(method, {});
      fits(facts, [{ type: 'ask.refused', sent: false, failure: { message: /method not allowed/ } }], method);
    }
    const sent = JSON.parse(await session.text('methods')) as string[];
    assert.deepEqual(
      sent.filter((method) => offered.includes(method)),
      [],
    );
  }),

  rule('does not include ping', async ({ opened }) => {
    const session = await opened('noTools');
    fits(await session.request('ping').answer(), { type: 'ask.answered' });
    fits(await session.request('tools/list').answer(), { type: 'ask.refused', sent: false });
  }),

  rule('but is missing all the same is known by its code -32601', async ({ opened }) => {
    const session = await opened('lacksPrompts');
    fits(await session.request('prompts/list').answer(), {
      type: 'ask.refused',
      sent: true,
      failure: { details: { code: -32601 } },
    });
  }),
];

const progress = [
  rule(
    'of a question is told to who asked, before the answer and never after it',
    async ({ opened, world }) => {
      const session = await opened('echo');
      const work = session.call('work');
      await work.answer();
      await session.text('echo', { text: 'next' });
      fits(work.facts, [
        { type: 'ask.progress', progress: 1, total: 2, message: 'step 1' },
        { type: 'ask.progress', progress: 2, total: 2, message: 'step 2' },
        { type: 'ask.answered' },
      ]);
      await world.settled();
      assert.equal(work.facts.length, 3);
    },
  ),

  rule('of a withdrawn question is told to nobody', async ({ opened }) => {
    const session = await opened('echo');
    const work = session.call('work');
    work.withdraw();
    await session.text('echo', { text: 'next' });
    assert.deepEqual(work.facts, []);
  }),
];

const news = [
  ...rules(['tools', 'resources', 'prompts'], 'of a list is told', async ({ opened }, list) => {
    const session = await opened('full');
    await session.call('change', { list }).answer();
    await session.next('list.changed');
    assert.deepEqual(session.facts.slice(1), [{ type: 'list.changed', list }]);
  }),

  rule('of a resource is told while one is subscribed to it', async ({ opened }) => {
    const session = await opened('full');
    const uri = 'note://1';
    await session.call('touch', { uri }).answer();
    await session.request('resources/subscribe', { uri }).answer();
    await session.call('touch', { uri }).answer();
    await session.next('resource.updated');
    await session.request('resources/unsubscribe', { uri }).answer();
    await session.call('touch', { uri }).answer();
    assert.deepEqual(session.facts.slice(1), [{ type: 'resource.updated', uri }]);
  }),
];

const remoteEnds = [
  rule(
    'that has forgotten the session has not run what it refused; all else is lost, and the session expired',
    async ({ opened, world }) => {
      const session = await opened('echo');
      const pending = session.call('hang', { label: 'a' });
      await session.text('echo', { text: 'the first has come' });
      world.remote?.forget();
      const refused = await session.call('echo').answer();
      fits(refused, { type: 'ask.refused', sent: false });
      await session.next('session.lost');
      fits(pending.facts, [{ type: 'ask.refused', sent: true, lost: true }]);
      // No `alone`: the request was lost together with its session, which reports its own loss next.
      assert.ok(!('alone' in (pending.facts[0] ?? {})));
      fits(session.facts.slice(1), [{ type: 'session.lost', isExpired: true }]);
      const again = await opened('echo');
      assert.deepEqual(await again.text('echo', { text: 'again' }), 'again');
    },
  ),

  rule('that wants a login is no session at all', async ({ open, world }) => {
    world.remote?.reject(401);
    fits(await open('echo').first(), {
      type: 'session.failed',
      failure: { code: 'Unauthorized', remedy: String },
    });
  }),

  rule('that refuses the login is no session at all', async ({ open, world }) => {
    world.remote?.reject(403);
    fits(await open('echo').first(), {
      type: 'session.failed',
      failure: { code: 'AccessDenied', remedy: String },
    });
  }),

  rule(
    'that wants another login in the midst of it ends the session, and has not run what it refused',
    async ({ opened, world }) => {
      const session = await opened('echo');
      world.remote?.reject(401);
      fits(await session.call('echo').answer(), {
        sent: false,
        failure: { code: 'Unauthorized' },
      });
      await session.next('session.lost');
      fits(session.facts.slice(1), [{ type: 'session.lost', wantsLogin: true }]);
      assert.ok(session.facts.every((fact) => !('isExpired' in fact)));
    },
  ),

  rule(
    'that refuses one request for want of a right has not run it, and the session lives',
    async ({ opened, world }) => {
      const session = await opened('echo');
      world.remote?.reject(403);
      fits(await session.call('echo').answer(), {
        sent: false,
        failure: { code: 'AccessDenied' },
      });
      assert.equal(session.facts.length, 1);
    },
  ),
];
