/** An order for a state that is reached, or under way, changes nothing: no stages, processes or attempts. */
import { expect } from 'vitest';
import { scenario } from '../../../stage/plan/index.ts';
import { linkStage, opensOf, order, reaches } from '../../../stage/watching.ts';

const tools = { read: { answers: { content: [] } } };
const slow = { tools, startMs: 50, initialize: 50, listMs: 50 };

scenario(
  'a start of a server that starts already, or is ready, changes nothing',
  { servers: { fs: slow } },
  async (s) => {
    s.computer();
    for (const step of ['launching', 'handshaking', 'listing', 'ready']) {
      await reaches(s, step);
      order(s, 'server.start');
    }
    await s.run(1000);
    expect(s.heard('computer', 'client.changed').map((e) => e.stage)).toEqual(['connecting', 'ready']);
    expect([opensOf(s).length, opensOf(s, 'fs', 'session').length]).toEqual([1, 1]);
  },
);

scenario(
  'a computer that has a seat takes no second one before it has left the first',
  { servers: { fs: { tools } } },
  async (s) => {
    await s.office();
    s.computer({ linked: true });
    const link = { url: 'http://127.0.0.1:41000', role: 'computer', name: 'other', office: 'o' };
    s.order('computer', { type: 'office.join', link });
    await s.run(100);
    s.order('computer', { type: 'office.join', link });
    await s.run(100);
    expect(linkStage(s)).toBe('joined');
    expect(s.heard('office', 'seat.changed')).toMatchObject([{ seat: { name: 'c1' } }]);
  },
);

scenario('three notices while tools are fetched lead to one fetch more', {}, async (s) => {
  await s.office();
  const asked: unknown[] = [];
  const peer = s.peer('p', {
    'client:get_tools': (body, ack) => {
      asked.push(body);
      s.clock.setTimeout(() => ack({ tools: [], req_id: (body as { req_id: string }).req_id }), 50);
    },
  });
  peer.join('computer', 'c');
  s.agent();
  await s.run(100);
  expect(s.heard('agent', 'view.toolsChanged')).toHaveLength(1);
  const before = asked.length;
  for (let n = 0; n < 4; n++) {
    peer.say('server:update_tool_list', { computer: 'c' });
    await s.run(1);
  }
  expect(asked.length - before).toBe(1);
  await s.run(200);
  expect(asked.length - before).toBe(2);
});
