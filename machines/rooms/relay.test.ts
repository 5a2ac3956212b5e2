import { describe, expect, it } from 'vitest';
import type { SeatFacts } from '../ports.ts';
import { judge, type Verdict } from './relay.ts';
import { Seating } from './seating.ts';

const agent: SeatFacts = { office: 'o', role: 'agent', name: 'a' };
const computer: SeatFacts = { office: 'o', role: 'computer', name: 'c' };
const seating = new Seating();
seating.seat('sa', agent);
seating.seat('sc', computer);
seating.seat('sx', { office: 'p', role: 'computer', name: 'x' });
seating.seat('sp', { office: 'p', role: 'computer', name: 'c' });

const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params: {}, timeout: 3 };
const cancel = { agent: 'a', req_id: 'r' };
const codeOf = (verdict: Verdict): unknown => {
  if (verdict.type !== 'answer') return verdict.type;
  const body = verdict.ack[0] as { error?: { code: number }; meta?: { error_code: number } };
  return body.error?.code ?? body.meta?.error_code;
};

describe('the relay', () => {
  it('R01 forwards a call into the own office, and waits its time-out and 5 s', () => {
    const verdict = judge(agent, 'client:tool_call', call, seating);
    expect(verdict).toEqual({ type: 'forward', toSocket: 'sc', payload: call, timeoutMs: 8000, reqId: 'r' });
  });
  it('waits without limit for a call without limit, and 30 s for a question', () => {
    expect(judge(agent, 'client:tool_call', { ...call, timeout: 0 }, seating)).toMatchObject({
      timeoutMs: 0,
    });
    expect(judge(agent, 'client:get_tools', call, seating)).toMatchObject({ timeoutMs: 30_000 });
  });
  it('R02 lets unknown keys pass', () => {
    expect(judge(agent, 'client:tool_call', { ...call, more: 1 }, seating)).toMatchObject({
      payload: { more: 1 },
    });
  });
  it('R03 refuses a call by a computer', () => {
    expect(codeOf(judge(computer, 'client:tool_call', call, seating))).toBe(403);
  });
  it.each(['x', 'nobody', 'a', '__proto__'])('R04 R05 does not find %s', (name) => {
    expect(codeOf(judge(agent, 'client:tool_call', { ...call, computer: name }, seating))).toBe(404);
    expect(codeOf(judge(agent, 'client:get_tools', { ...call, computer: name }, seating))).toBe(404);
  });
  it('R12 tells an update under the registered name', () => {
    expect(judge(computer, 'server:update_tool_list', { computer: 'other' }, seating)).toEqual({
      type: 'broadcast',
      office: 'o',
      event: 'notify:update_tool_list',
      body: { computer: 'c' },
    });
  });
  it('R13 tells no update of an agent or of nobody', () => {
    for (const sender of [agent, undefined])
      expect(codeOf(judge(sender, 'server:update_tool_list', { computer: 'c' }, seating))).toBe(403);
  });
  it('R14 R15 tells a cancel of the agent that made the call, and no other', () => {
    expect(judge(agent, 'server:tool_call_cancel', cancel, seating)).toMatchObject({
      type: 'broadcast',
      body: cancel,
    });
    expect(codeOf(judge(agent, 'server:tool_call_cancel', { ...cancel, agent: 'b' }, seating))).toBe(403);
    for (const sender of [computer, undefined])
      expect(codeOf(judge(sender, 'server:tool_call_cancel', cancel, seating))).toBe(403);
  });
  it('O20 O21 lists the own office, each member once, with the req_id', () => {
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
  it('O22 lists no other office', () => {
    expect(
      codeOf(judge(agent, 'server:list_room', { agent: 'a', req_id: 'r', office_id: 'p' }, seating)),
    ).toBe(403);
  });
  it('says what it does not know and what it does not answer yet', () => {
    expect(judge(agent, 'client:dance', {}, seating)).toMatchObject({
      ack: [{ error: { code: 501, message: 'Unknown event: client:dance' } }],
    });
    expect(codeOf(judge(agent, 'client:get_finder', {}, seating))).toBe(501);
  });
});
