import { expect } from 'vitest';
import type { HarnessOptions } from '../../stage/harness.ts';
import { scenario } from '../../stage/plan/index.ts';
import { after, asksOf, refusing } from '../../stage/watching.ts';
import { ready } from '../one-server.ts';

const tools = { read: {} };

const unasked = { code: 500, message: 'the window of the person is gone' } as const;
const outOfReach: HarnessOptions = {
  servers: { fs: { tools: { read: { never: true } } } },
  person: () => 'allow',
  mend: refusing(({ target }) => target === 'confirm', unasked),
};
scenario('a call whose question reaches no person ends at once, unsent', outOfReach, async (s) => {
  await s.up(100);
  const call = await after(s, 1, s.call('read'));
  expect(call.settled).toMatchObject([{ end: 'refused', outcome: 'failed', failure: unasked }]);
  expect(asksOf(s, 'tools/call')).toEqual([]);
});

scenario('a lazy server that is stopped while a person is asked: the call hears that it is stopped', (s) => {
  const fs = ready(s, { tools, isLazy: true });
  s.person('never');
  s.timing({ idleStopMs: 100 });
  s.reaches(fs, 'standby');
  const call = s.call('read');
  s.run(10);
  s.stop(fs);
  s.expect(s.settled(call)).settles('failed', { end: 'cancelled', says: 'its server is being stopped' });
});

const late = '当前工具需要用户二次确认是否可以调用，当前确认超时。';
const lateOnTheWire = {
  isError: true,
  content: [{ text: `Nobody said in time whether the call may run. ${late}` }],
  meta: { a2c_outcome: 'failed', a2c_phase: 'confirming', error_code: 4005 },
};

scenario('the limit of a call stands still while a person is asked', (s) => {
  const fs = ready(s, { tools: { read: { takes: 700 } } });
  s.person('yes after 1500');
  const call = s.settled(s.call('read', { timeoutMs: 1_000 }));
  s.expect(call).settles('succeeded', { at: 2_200 });
  s.expect(fs).requests('tools/call', 1);
});

scenario('the limit of a call begins again when a person has said yes', (s) => {
  ready(s, { tools: { read: { takes: 1_500 } } });
  s.person('yes after 500');
  const call = s.settled(s.call('read', { timeoutMs: 1_000 }));
  s.expect(call).settles('unknown', { end: 'timedOut', phase: 'running', at: 1_500 });
});

for (const by of ['call', 'agentCall'] as const)
  scenario(`a late yes runs nothing with the times that hold where nobody says anything (${by})`, (s) => {
    const fs = ready(s, { tools });
    s.office();
    s.person(by === 'call' ? 'yes after 122000' : 'yes after 62000');
    const call = s[by]('read');
    s.settled(call);
    if (by === 'call') s.expect(call).settles('failed', { phase: 'confirming', says: late, at: 120_000 });
    else s.expect(call).settles('failed', { result: lateOnTheWire });
    s.run(10_000);
    s.expect(fs).requests('tools/call', 0);
    s.virtualOnly('it takes more than a minute');
  });
