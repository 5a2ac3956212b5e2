/** Dependent actors are told, and no order goes unanswered. */
import { expect } from 'vitest';
import { broken, eldest } from '../../fixtures/altered.ts';
import { scenario } from '../../stage/plan/index.ts';

const tools = { read: { answers: { content: [] } } };

scenario(
  'a seat whose machine breaks is given up: its claim is free, and its connection is told to come again',
  { kinds: broken('seat', 'rememberSeat', eldest(1)), failing: 'office/seat:' },
  async (s) => {
    await s.office();
    const [first, second] = [s.peer('first'), s.peer('second')];
    const join = first.join('computer', 'c');
    await s.run(10);
    const [leave, again, other] = [
      first.leave('o'),
      first.join('computer', 'd'),
      second.join('computer', 'c'),
    ];
    await s.run(10);
    const told = [[false, 'This connection has failed in the office: connect again']];
    expect([join, leave, again, other]).toEqual([[[true, null]], told, told, [[true, null]]]);
    expect(s.heard('office', 'seat.changed').map((e) => e.stage)).toEqual(['joined', 'left', 'joined']);
  },
);

scenario(
  'a computer whose link breaks again and again says that it sits nowhere, and takes a seat again when told',
  { kinds: broken('link', 'rememberFirst', eldest(6)), failing: '/link' },
  async (s) => {
    await s.office();
    s.computer({ linked: true });
    await s.run(1000);
    expect(s.heard('computer', 'link.changed').at(-1)).toMatchObject({ stage: 'closed', refusal: null });
    const link = { url: 'http://127.0.0.1:41000', role: 'computer', name: 'c1', office: 'o' };
    s.order('computer', { type: 'office.join', link });
    await s.run(100);
    expect(s.heard('computer', 'link.changed').at(-1)?.stage).toBe('joined');
  },
);

for (const type of ['server.start', 'server.stop'])
  scenario(
    `a ${type} of a server whose machine was given up is answered: nobody waits for news that never come`,
    { servers: { fs: { tools } }, kinds: broken('client', 'rememberInfo'), failing: 'client:fs' },
    async (s) => {
      await s.up(10_000);
      const before = s.heard('computer', 'client.changed').length;
      s.order('computer', { type, server: 'fs' });
      expect(s.heard('computer', 'client.changed').slice(before)).toMatchObject([
        { server: 'fs', stage: 'open', failure: { code: 'Crashed' } },
      ]);
    },
  );
