import { expect } from 'vitest';
import { scenario } from './scenario.ts';

const servers = { fs: { tools: { read: { answers: { content: [] } } } } };

scenario(
  'a tool that does not apply by itself runs once a person has said yes',
  { servers, person: () => true },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    expect(s.servers.heard).toEqual([]);
    s.run(10);
    expect(call.settled[0]?.outcome).toBe('succeeded');
  },
);

scenario(
  'a call that a person denies is refused with 4005 and never sent',
  { servers, person: () => false },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.run(10);
    expect(call.settled[0]).toMatchObject({
      end: 'refused',
      outcome: 'failed',
      failure: { code: 4005, message: '工具调用二次确认被拒绝，请稍后再试' },
    });
    expect(s.servers.heard).toEqual([]);
  },
);

scenario('a call that nobody can confirm is refused', { servers, person: () => 'nobody' }, (s) => {
  s.computer();
  s.run(100);
  const call = s.call('read');
  s.run(10);
  expect(call.settled[0]).toMatchObject({ end: 'refused', failure: { code: 4005 } });
});

scenario(
  'a question that nobody answers is refused after its time',
  { servers, person: () => 'never', timing: { confirmMs: 3000 } },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.run(3000);
    expect(call.settled[0]?.failure?.message).toContain('确认超时');
  },
);

scenario('a call is cancelled while a person is asked', { servers, person: () => 'never' }, (s) => {
  s.computer();
  s.run(100);
  const call = s.call('read');
  s.run(10);
  call.cancel();
  expect(call.settled[0]).toMatchObject({ end: 'cancelled', outcome: 'failed' });
});

scenario(
  'a server dies while a person is asked: the call fails, for it was never sent',
  { servers, person: () => 'never' },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.servers.kill('fs', { code: 1 });
    expect(call.settled[0]).toMatchObject({
      end: 'failed',
      outcome: 'failed',
      failure: { code: 'ServerLost' },
    });
  },
);
