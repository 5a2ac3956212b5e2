import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent, createOffice, type Agent, type Office } from '../index.ts';

/** Tests of the reads that an agent makes of a foreign computer, which is a bare socket.io-client. */
type Ack = (...args: unknown[]) => void;
interface Question {
  readonly req_id: string;
  readonly uri: string;
  readonly offset?: number;
  readonly limit: number;
}
let [office, agent, socket] = [{} as Office, {} as Agent, {} as Socket];
const asked: string[] = [];
let answer: (question: Question, ack: Ack) => void = () => {};
beforeEach(async () => {
  office = await createOffice({ port: 0 });
  agent = await createAgent({ url: office.url });
  socket = io(`${office.url}/smcp`, { forceNew: true, reconnection: false, transports: ['websocket'] });
  socket.onAny((event: string, question: Question, ack: unknown) => {
    if (event === 'client:get_tools') return (ack as Ack)({ tools: [], req_id: question.req_id });
    if (!event.startsWith('client:')) return undefined;
    asked.push(event);
    return answer(question, ack as Ack);
  });
  const joined = { role: 'computer', name: 'raw', office_id: 'local' };
  await new Promise<void>((resolve) => socket.emit('server:join_office', joined, () => resolve()));
});
afterEach(async () => {
  asked.length = 0;
  socket.disconnect();
  await agent.close();
  await office.close();
});
const uri = 'dpe://h/d';
const reached = (): Promise<Question> =>
  new Promise((resolve) => {
    answer = (question) => resolve(question);
  });

describe('a wrong question of an agent', () => {
  it.each<[string, string, (a: Agent) => Promise<unknown>]>([
    ['a document of another scheme', 'scheme', (a) => a.documents.metadata('raw', 'http://h/d')],
    ['a limit of 101', 'limit', (a) => a.documents.pages('raw', uri, { limit: 101 })],
    ['an offset of -1', 'offset', (a) => a.documents.pages('raw', uri, { offset: -1 })],
    ['half a page', 'sub-path', (a) => a.documents.page('raw', uri, 0.5)],
    ['no category', 'categories', (a) => a.documents.page('raw', uri, 0, { categories: [] })],
    ['an element without a name', 'sub-path', (a) => a.documents.element('raw', uri, '')],
    ['an escape that is none', 'encoding', (a) => a.readResource('raw', 'dpe://h/%zz')],
  ])('is refused before anybody is asked: %s', async (_, rule, ask) => {
    await expect(ask(agent)).rejects.toMatchObject({
      name: 'A2cError',
      code: 'InvalidDpeUri',
      details: { rule },
    });
    expect(asked).toEqual([]);
  });
});

describe('the options of a question', () => {
  it.each<[string, string, (a: Agent) => unknown]>([
    ['tools', 'timeoutms', (a) => a.tools('raw', { timeoutms: 5 } as never)],
    ['room', 'fresh', (a) => a.room({ fresh: true } as never)],
    ['config', 'server', (a) => a.config('raw', { server: 's' } as never)],
    ['desktop', 'size', (a) => a.desktop('raw', { size: 1.5 })],
    ['finder', 'window', (a) => a.finder('raw', { window: 'window://h' } as never)],
    ['readResource', 'format', (a) => a.readResource('raw', uri, { format: 'text' } as never)],
    ['documents.metadata', 'limit', (a) => a.documents.metadata('raw', uri, { limit: 1 } as never)],
    ['documents.pages', 'pageSize', (a) => a.documents.pages('raw', uri, { pageSize: 1 } as never)],
    ['documents.page', 'format', (a) => a.documents.page('raw', uri, 0, { format: 'pdf' as never })],
    [
      'documents.element',
      'categories',
      (a) => a.documents.element('raw', uri, 'e', { categories: [] } as never),
    ],
  ])("are each question's own: %s refuses %s", async (method, option, ask) => {
    await expect(ask(agent)).rejects.toMatchObject({
      code: 'BadRequest',
      details: { option },
      message: expect.stringContaining(`${method}: ${option}: `),
    });
    expect(asked).toEqual([]);
  });
});

describe('servers whose tools are missing', () => {
  const look = { name: 'look', description: 'd', params_schema: {}, return_schema: null, meta: {} };
  it('are named, and asked for again until none is missing', async () => {
    const missing = [{ server: 'slow', reason: 'it is connecting' }];
    const other = await createAgent({ url: office.url, office: 'other' });
    const late = io(`${office.url}/smcp`, { forceNew: true, reconnection: false, transports: ['websocket'] });
    let count = 0;
    late.on('client:get_tools', ({ req_id }: Question, ack: Ack) => {
      count += 1;
      ack(count < 3 ? { tools: [], missing, req_id } : { tools: [look], req_id });
    });
    const entered = new Promise((resolve) => other.on('computer.joined', resolve));
    late.emit('server:join_office', { role: 'computer', name: 'late', office_id: 'other' }, () => {});
    await entered;
    expect(await other.tools('late')).toEqual({ tools: [], missing });
    expect(await other.tools('late')).toEqual({ tools: [], missing });
    const came: string[] = [];
    other.on('tools.changed', ({ added }) => void came.push(...added));
    expect(await other.tools('late')).toMatchObject({ tools: [{ name: 'look' }], missing: [] });
    expect(await other.tools('late')).toMatchObject({ tools: [{ name: 'look' }], missing: [] });
    expect([came, count]).toEqual([['look'], 3]);
    late.disconnect();
    await other.close();
  });
});

describe('a wrong answer to an agent', () => {
  it.each<[string, (question: Question, ack: Ack) => void, object]>([
    ['no ack arguments: the event is not known there', (_, ack) => ack(), { code: 'NotSupported' }],
    ['another question', (_, ack) => ack({ contents: [], req_id: 'x' }), { code: 'Internal' }],
    ['no contents', ({ req_id }, ack) => ack({ req_id }), { code: 'Internal' }],
    [
      'contents without a text',
      ({ req_id }, ack) => ack({ contents: [{ uri, blob: 'AA==' }], req_id }),
      { code: 'Internal' },
    ],
    [
      'a text that is no JSON',
      ({ req_id }, ack) => ack({ contents: [{ uri, text: '{' }], req_id }),
      { code: 'Internal' },
    ],
    [
      'JSON that is no document',
      ({ req_id }, ack) => ack({ contents: [{ uri, text: '{}' }], req_id }),
      { code: 'Internal' },
    ],
    [
      'a code of nobody',
      (_, ack) => ack({ error: { code: 9, message: 'no' } }),
      { code: 'Internal', details: { code: 9 } },
    ],
  ])('fails the question: %s', async (_, given, expected) => {
    answer = given;
    const error: unknown = await agent.documents.metadata('raw', uri).catch((each: unknown) => each);
    expect(error).toMatchObject({ name: 'A2cError', ...expected });
    expect(error).toMatchObject({ details: { req_id: expect.any(String) } });
  });

  it('is 408 when the time that the host gives has passed', async () => {
    const question = reached();
    const error: unknown = await agent.finder('raw', { timeoutMs: 50 }).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'NoAnswer', details: { req_id: (await question).req_id } });
  });
});

describe('a host that has enough', () => {
  it('ends a question by its signal, and asks nothing with one that is aborted', async () => {
    const [stop, question] = [new AbortController(), reached()];
    const reading = agent.desktop('raw', { signal: stop.signal });
    await question;
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    await expect(agent.desktop('raw', { signal: stop.signal })).rejects.toThrow('enough');
    await expect(agent.tools('raw', { signal: stop.signal })).rejects.toThrow('enough');
    expect(asked).toEqual(['client:get_desktop']);
  });
});
