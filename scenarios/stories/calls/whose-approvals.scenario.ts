/** A session permission holds for the caller that was asked about. */
import { expect } from 'vitest';
import { events } from '../../../machines/protocol/protocol.ts';
import { officeUrl, type Harness } from '../../stage/harness.ts';
import type { Peer } from '../../stage/scripted/network/network.ts';
import { scenario } from '../../stage/plan/index.ts';
import { after } from '../../stage/watching.ts';

const tools = { read: { answers: { content: [{ type: 'text', text: 'hello' }] } } };
const asked: string[] = [];
const person = ({ reqId }: { readonly reqId: string }) => {
  asked.push(reqId);
  return 'allowForSession' as const;
};
const whose = (what: string, run: (s: Harness) => void | Promise<void>): void => {
  scenario(what, { servers: { fs: { tools } }, person }, async (s) => {
    asked.length = 0;
    await s.office();
    s.computer({ linked: true });
    await s.run(300);
    await run(s);
    expect(s.calls.map((call) => call.settled[0]?.outcome)).toEqual(s.calls.map(() => 'succeeded'));
  });
};
const seated = async (s: Harness, name: string): Promise<Peer> => {
  const peer = s.peer(name);
  peer.join('agent', name);
  await s.run(50);
  return peer;
};
const call = async (s: Harness, peer: Peer, agent: string, reqId: string): Promise<void> => {
  const body = { agent, req_id: reqId, computer: 'c1', tool_name: 'read', params: {}, timeout: 60 };
  const acks = await after(s, 50, peer.ask(events.toolCall, body));
  expect(acks).toMatchObject([[{ content: tools.read.answers.content }]]);
};
const hostCall = async (s: Harness, reqId: string): Promise<void> => {
  s.call('read', { reqId });
  await s.run(50);
};

whose('what a person allows an agent holds for neither the host nor the next agent', async (s) => {
  const first = await seated(s, 'a1');
  for (const reqId of ['a1 first', 'a1 again']) await call(s, first, 'a1', reqId);
  for (const reqId of ['host first', 'host again']) await hostCall(s, reqId);
  first.close();
  await s.run(50);
  const second = await seated(s, 'a2');
  for (const reqId of ['a2 first', 'a2 again']) await call(s, second, 'a2', reqId);
  await hostCall(s, 'host later');
  expect(asked).toEqual(['a1 first', 'host first', 'a2 first']);
});

whose('an agent that leaves takes what it was allowed with it, and is asked about again', async (s) => {
  const first = await seated(s, 'a1');
  await call(s, first, 'a1', 'first');
  first.leave();
  await s.run(50);
  first.join('agent', 'a1');
  await s.run(50);
  for (const reqId of ['after its return', 'again']) await call(s, first, 'a1', reqId);
  expect(asked).toEqual(['first', 'after its return']);
});

whose('an approval for the session ends when the computer lost its office', async (s) => {
  const first = await seated(s, 'a1');
  await call(s, first, 'a1', 'first');
  await hostCall(s, 'host first');
  s.order('computer', { type: 'office.leave' });
  await s.run(50);
  const link = { url: officeUrl, role: 'computer', name: 'c1', office: 'o' };
  s.order('computer', { type: 'office.join', link });
  await s.run(300);
  await call(s, first, 'a1', 'after its return');
  await hostCall(s, 'host later');
  expect(asked).toEqual(['first', 'host first', 'after its return']);
});

/** Two agents that a link passes on, should an office have admitted both, or two conversations. */
for (const [what, one, other] of [
  ['one agent', { agent: 'a1' }, { agent: 'a2' }],
  ['one conversation', { conversation: 'alice' }, { conversation: 'bob' }],
  ['a conversation', { conversation: '' }, {}],
] as const)
  whose(`what a person allows ${what} holds for it alone, until its server is another`, async (s) => {
    const from = async (caller: object, reqId: string): Promise<void> => {
      const request = { type: 'call.request', reqId, ticket: reqId, agent: null, tool: 'read', params: {} };
      s.asked('computer', reqId, {
        ...request,
        ...{ timeoutMs: 60_000, isConfirmed: false, replyTo: 'host:computer' },
        ...caller,
      });
      await s.run(50);
    };
    for (const reqId of ['one', 'one again']) await from(one, reqId);
    for (const reqId of ['other', 'other again']) await from(other, reqId);
    s.config({ fs: { generation: 2 } });
    await s.run(300);
    await from(one, 'one of another server');
    await from(other, 'other of another server');
    expect(asked).toEqual(['one', 'other', 'one of another server', 'other of another server']);
  });
