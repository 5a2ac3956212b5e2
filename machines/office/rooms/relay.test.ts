import { describe, expect, it } from 'vitest';
import type { SeatFacts } from '../../ports/office.ts';
import { judge, type Verdict } from './relay.ts';
import { Seating } from './register.ts';
import { namesIn } from '../../../scenarios/fixtures/names.ts';

const agent: SeatFacts = { office: 'o', role: 'agent', name: 'a' };
const computer: SeatFacts = { office: 'o', role: 'computer', name: 'c' };
const seating = new Seating();
seating.seat('sa', agent);
seating.seat('sc', computer);
seating.seat('sx', { office: 'p', role: 'computer', name: 'x' });
seating.seat('sp', { office: 'p', role: 'computer', name: 'c' });

const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params: {}, timeout: 3 };
const questions = namesIn(`
  client:get_tools client:get_config client:get_desktop client:get_finder client:read_resource
  client:get_resources client:get_skills client:get_skill client:get_blob client:put_blob
  client:of_a_later_protocol
`);
const part = { chunk_offset: 0, eof: true, blob: '' };
const named = { name: 'n', blob_handle: 'h', ...part };
const question = { agent: 'a', req_id: 'r', computer: 'c', uri: 'dpe://h', mcp_server: 's', ...named };
const updates = ['config', 'tool_list', 'desktop', 'finder', 'skills'];
const cancel = { agent: 'a', req_id: 'r' };
const codeOf = (verdict: Verdict): unknown => {
  if (verdict.type !== 'answer') return verdict.type;
  const body = verdict.ack[0] as { error?: { code: number }; meta?: { error_code: number } };
  return body.error?.code ?? body.meta?.error_code;
};

describe('the relay', () => {
  it('waits 5 s longer than the computer may take, so that its own time-out can arrive', () => {
    expect(judge(agent, 'client:tool_call', call, seating)).toMatchObject({ timeoutMs: 8000 });
  });
  it('waits without limit for a call without limit, and 30 s for a question', () => {
    expect(judge(agent, 'client:tool_call', { ...call, timeout: 0 }, seating)).toMatchObject({
      timeoutMs: 0,
    });
    for (const event of questions)
      expect(judge(agent, event, question, seating)).toMatchObject({
        type: 'forward',
        event,
        payload: question,
        timeoutMs: 30_000,
      });
  });
  it.each([...questions, 'client:tool_call'])('forwards %s only where the credential is for it', (event) => {
    const payload = event === 'client:tool_call' ? call : question;
    const of = (events?: readonly string[]): Verdict =>
      judge(agent, event, payload, seating, undefined, { events });
    expect([of(), of([event])].map(codeOf)).toEqual(['forward', 'forward']);
    expect(codeOf(of(['client:other']))).toBe(403);
    expect(JSON.stringify(of(['client:other']))).toContain(
      `Your credential is not for the event '${event}', but for 'client:other'`,
    );
  });
  it.each([
    ['a smaller file', { total_size: 10 }, 'forward'],
    ['a part without a declaration', {}, 'forward'],
    ['a larger file', { total_size: 11 }, 4019],
    ['a larger file, declared as a text', { total_size: '11' }, 4019],
    ['a size that is none', { total_size: {} }, 400],
  ])('takes %s of a credential for files of 10 bytes as it should', (_, declared, is) => {
    const part = { ...question, chunk_offset: 0, eof: true, blob: '', ...declared };
    const of = (grant?: object): Verdict => judge(agent, 'client:put_blob', part, seating, undefined, grant);
    expect([codeOf(of({ maxFileBytes: 10 })), codeOf(of())]).toEqual([is, is === 4019 ? 'forward' : is]);
    if (is === 4019)
      expect(JSON.stringify(of({ maxFileBytes: 10 }))).toContain(
        '"Your credential is not for a file of 11 bytes, but for 10 at most","details":{"reason":"too_large","limit_bytes":10},"remedy":"Send a smaller file,',
      );
  });
  it('lets a credential for some events cancel its calls, and a computer tell its changes', () => {
    const events = { events: ['client:tool_call'] };
    const of = (...[who, event, payload]: [SeatFacts, string, object]): unknown =>
      codeOf(judge(who, event, payload, seating, undefined, events));
    expect(of(agent, 'server:tool_call_cancel', cancel)).toBe('cancel');
    expect(of(computer, 'server:update_tool_list', { computer: 'c' })).toBe('broadcast');
  });
  it('refuses a call by a computer', () => {
    for (const event of ['client:tool_call', ...questions])
      expect(codeOf(judge(computer, event, { ...call, ...question }, seating))).toBe(403);
  });
  it.each(['nobody', 'a', '__proto__', 'x'])('does not find %s in the own office', (name) => {
    for (const event of ['client:tool_call', ...questions])
      expect(codeOf(judge(agent, event, { ...call, ...question, computer: name }, seating))).toBe(404);
  });
  it.each(updates)('tells no update of an agent or of nobody: %s', (what) => {
    for (const sender of [agent, undefined])
      expect(codeOf(judge(sender, `server:update_${what}`, { computer: 'c' }, seating))).toBe(403);
  });
  it('tells a cancel of the agent that made the call', () => {
    expect(judge(agent, 'server:tool_call_cancel', cancel, seating)).toMatchObject({
      type: 'cancel',
      reqId: cancel.req_id,
      body: cancel,
    });
  });
  it('tells no cancel of anybody else', () => {
    expect(codeOf(judge(agent, 'server:tool_call_cancel', { ...cancel, agent: 'b' }, seating))).toBe(403);
    for (const sender of [computer, undefined])
      expect(codeOf(judge(sender, 'server:tool_call_cancel', cancel, seating))).toBe(403);
  });
  it('lists the own office, each member once, with the req_id', () => {
    const verdict = judge(agent, 'server:list_room', { agent: 'a', req_id: 'r', office_id: 'o' }, seating);
    expect(verdict).toEqual({
      type: 'answer',
      ack: [
        {
          req_id: 'r',
          sessions: [
            { sid: 'sa', name: 'a', role: 'agent', office_id: 'o' },
            { sid: 'sc', name: 'c', role: 'computer', office_id: 'o' },
          ],
        },
      ],
    });
  });
  it('lists no other office', () => {
    expect(
      codeOf(judge(agent, 'server:list_room', { agent: 'a', req_id: 'r', office_id: 'p' }, seating)),
    ).toBe(403);
  });
  it('carries no question under a name that is longer than 80 characters', () => {
    const event = `client:${'x'.repeat(80)}`;
    expect(codeOf(judge(agent, event, question, seating))).toBe(501);
  });
  it('carries no question of nobody, and says so', () => {
    const unseated = judge(undefined, 'client:of_a_later_protocol', question, seating);
    expect(codeOf(unseated)).toBe(403);
    expect(unseated).toMatchObject({ ack: [{ details: { reason: 'no_seat' } }] });
  });
  it.each(['client:dance', '__proto__', 'constructor'])('says that it does not know %s', (event) => {
    for (const sender of [agent, undefined])
      expect(judge(sender, event, {}, seating)).toMatchObject({
        ack: [{ error: { code: 501, message: `Unknown event: ${event}` } }],
      });
  });
});
