/** Dependent actors are told, and no order goes unanswered. */
import { expect } from 'vitest';
import { broken, eldest } from '../../fixtures/altered.ts';
import { scenario } from '../../stage/plan/index.ts';
import { after } from '../../stage/watching.ts';

const tools = { read: { answers: { content: [] } } };

const badSeat = { kinds: broken('seat', 'rememberSeat', eldest(1)), failing: 'office/seat:' };
scenario('a seat whose machine breaks is given up: its claim is free, its peer told', badSeat, async (s) => {
  await s.office();
  const [first, second] = [s.peer('first'), s.peer('second')];
  const join = await after(s, 10, first.join('computer', 'c'));
  const [leave, again, other] = [first.leave('o'), first.join('computer', 'd'), second.join('computer', 'c')];
  await s.run(10);
  const told = [[false, 'This connection has failed in the office: connect again']];
  expect([join, leave, again, other]).toEqual([[[true, null]], told, told, [[true, null]]]);
  expect(s.heard('office', 'seat.changed').map((e) => e.stage)).toEqual(['joined', 'left', 'joined']);
});

const badLink = { kinds: broken('link', 'rememberFirst', eldest(6)), failing: '/link' };
scenario('a computer whose link always breaks sits nowhere until it is told to', badLink, async (s) => {
  await s.office();
  s.computer({ linked: true });
  await s.run(1000);
  expect(s.heard('computer', 'link.changed').at(-1)).toMatchObject({ stage: 'closed', refusal: null });
  const link = { url: 'http://127.0.0.1:41000', role: 'computer', name: 'c1', office: 'o' };
  s.order('computer', { type: 'office.join', link });
  await s.run(100);
  expect(s.heard('computer', 'link.changed').at(-1)?.stage).toBe('joined');
});

const broke = { servers: { fs: { tools } }, kinds: broken('client', 'rememberInfo'), failing: 'client:fs' };
for (const type of ['server.start', 'server.stop'])
  scenario(`a ${type} of a server whose machine was given up is answered`, broke, async (s) => {
    await s.up(10_000);
    const before = s.heard('computer', 'client.changed').length;
    s.order('computer', { type, server: 'fs' });
    expect(s.heard('computer', 'client.changed').slice(before)).toMatchObject([
      { server: 'fs', stage: 'open', failure: { code: 'Crashed' } },
    ]);
  });
