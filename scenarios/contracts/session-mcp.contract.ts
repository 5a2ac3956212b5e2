import { describe, expect, it } from 'vitest';
import { staged, type CreateWorld, type Stage } from './session.stage.ts';

/** What every `session` port owes its machines of MCP beyond tools: all methods, progress, news. */
export function sessionMcpContract(name: string, createWorld: CreateWorld): void {
  describe(`session port, the whole of MCP: ${name}`, () => {
    const stage = staged(createWorld);
    describe('a list', () => lists(stage));
    describe('a question', () => questions(stage));
    describe('what was not declared', () => undeclared(stage));
    describe('progress', () => progress(stage));
    describe('news', () => news(stage));
  });
}
/** What one owes them whose servers outlive their sessions. */
export function remoteSessionContract(name: string, createWorld: CreateWorld): void {
  describe(`session port, a remote server: ${name}`, () => remoteEnds(staged(createWorld)));
}

function lists({ opened }: Stage): void {
  it.each([
    ['resources/list', 'resources', 'uri', ['note://1', 'note://2']],
    ['resources/templates/list', 'resourceTemplates', 'uriTemplate', ['note://{id}', 'page://{id}']],
    ['prompts/list', 'prompts', 'name', ['greet', 'part']],
  ])('%s has all pages in order, and counts what is no entry', async (method, member, key, expected) => {
    const session = await opened('full');
    const fact = await session.request(method).answer();
    expect(fact).toMatchObject({ type: 'ask.answered', result: { malformed: 1 } });
    const { result } = fact as { result: Record<string, readonly Record<string, unknown>[]> };
    expect(result[member]?.map((entry) => entry[key])).toEqual(expected);
  });
}

function questions({ opened, open }: Stage): void {
  it.each([
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
  ])('%s is answered with the result as the server gave it', async (method, params, result) => {
    const session = await opened('full');
    expect(await session.request(method, params).answer()).toMatchObject({ type: 'ask.answered', result });
  });

  it('that the server refuses carries its code', async () => {
    const session = await opened('full');
    expect(await session.request('resources/read', { uri: 'gone://1' }).answer()).toMatchObject({
      type: 'ask.refused',
      sent: true,
      failure: { message: 'no such resource', details: { code: -32002 } },
    });
  });

  it('tells what a server declares', async () => {
    expect(await open('full').first()).toMatchObject({
      info: {
        offers: {
          tools: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          prompts: { listChanged: true },
          completions: true,
          logging: true,
        },
      },
    });
  });
}

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
function undeclared({ opened }: Stage): void {
  it('114: is never asked for: refused at once, and nothing is sent', async () => {
    const session = await opened('echo');
    for (const method of [...offered, 'nobody/knows']) {
      const { facts } = session.request(method, {});
      expect(facts, method).toMatchObject([
        {
          type: 'ask.refused',
          sent: false,
          failure: { message: expect.stringContaining('method not allowed') },
        },
      ]);
    }
    const sent = JSON.parse(await session.text('methods')) as string[];
    expect(sent.filter((method) => offered.includes(method))).toEqual([]);
  });

  it('does not include ping', async () => {
    const session = await opened('noTools');
    expect(await session.request('ping').answer()).toMatchObject({ type: 'ask.answered' });
    expect(await session.request('tools/list').answer()).toMatchObject({ type: 'ask.refused', sent: false });
  });

  it('but is missing all the same is known by its code -32601', async () => {
    const session = await opened('lacksPrompts');
    expect(await session.request('prompts/list').answer()).toMatchObject({
      type: 'ask.refused',
      sent: true,
      failure: { details: { code: -32601 } },
    });
  });
}

function progress({ opened, world }: Stage): void {
  it('of a question is told to who asked, before the answer and never after it', async () => {
    const session = await opened('echo');
    const work = session.call('work');
    await work.answer();
    await session.text('echo', { text: 'next' });
    expect(work.facts).toMatchObject([
      { type: 'ask.progress', progress: 1, total: 2, message: 'step 1' },
      { type: 'ask.progress', progress: 2, total: 2, message: 'step 2' },
      { type: 'ask.answered' },
    ]);
    await world().settled();
    expect(work.facts).toHaveLength(3);
  });

  it('of a withdrawn question is told to nobody', async () => {
    const session = await opened('echo');
    const work = session.call('work');
    work.withdraw();
    await session.text('echo', { text: 'next' });
    expect(work.facts).toEqual([]);
  });
}

function news({ opened }: Stage): void {
  it.each(['tools', 'resources', 'prompts'])('of the list of %s is told', async (list) => {
    const session = await opened('full');
    await session.call('change', { list }).answer();
    await session.next('list.changed');
    expect(session.facts.slice(1)).toEqual([{ type: 'list.changed', list }]);
  });

  it('of a resource is told while one is subscribed to it', async () => {
    const session = await opened('full');
    const uri = 'note://1';
    await session.call('touch', { uri }).answer();
    await session.request('resources/subscribe', { uri }).answer();
    await session.call('touch', { uri }).answer();
    await session.next('resource.updated');
    await session.request('resources/unsubscribe', { uri }).answer();
    await session.call('touch', { uri }).answer();
    expect(session.facts.slice(1)).toEqual([{ type: 'resource.updated', uri }]);
  });
}

function remoteEnds({ opened, open, world }: Stage): void {
  it('that has forgotten the session has not run what it refused; all else is lost, and the session expired', async () => {
    const session = await opened('echo');
    const pending = session.call('hang', { label: 'a' });
    await session.text('echo', { text: 'the first has come' });
    world().remote?.forget();
    const refused = await session.call('echo').answer();
    expect(refused).toMatchObject({ type: 'ask.refused', sent: false });
    await session.next('session.lost');
    expect(pending.facts).toMatchObject([{ type: 'ask.refused', sent: true, lost: true }]);
    // With its session, which says so next: nothing was lost alone.
    expect(pending.facts[0]).not.toHaveProperty('alone');
    expect(session.facts.slice(1)).toMatchObject([{ type: 'session.lost', isExpired: true }]);
    const again = await opened('echo');
    expect(await again.text('echo', { text: 'anew' })).toBe('anew');
  });

  it('that wants a login is no session at all', async () => {
    world().remote?.reject(401);
    expect(await open('echo').first()).toMatchObject({
      type: 'session.failed',
      failure: { code: 'Unauthorized', remedy: expect.any(String) },
    });
  });

  it('that refuses the login is no session at all', async () => {
    world().remote?.reject(403);
    expect(await open('echo').first()).toMatchObject({
      type: 'session.failed',
      failure: { code: 'AccessDenied', remedy: expect.any(String) },
    });
  });

  it('that wants another login in the midst of it ends the session, and has not run what it refused', async () => {
    const session = await opened('echo');
    world().remote?.reject(401);
    expect(await session.call('echo').answer()).toMatchObject({
      sent: false,
      failure: { code: 'Unauthorized' },
    });
    await session.next('session.lost');
    expect(session.facts.at(-1)).not.toHaveProperty('isExpired');
  });

  it('that refuses one request for want of a right has not run it, and the session lives', async () => {
    const session = await opened('echo');
    world().remote?.reject(403);
    expect(await session.call('echo').answer()).toMatchObject({
      sent: false,
      failure: { code: 'AccessDenied' },
    });
    expect(session.facts).toHaveLength(1);
  });
}
