import { expect } from 'vitest';
import { scenario, type Scene } from '../../stage/plan/index.ts';
import type { Harness, HarnessOptions } from '../../stage/harness.ts';
import { after, everybody, hello, linkStage, until } from '../../stage/watching.ts';

const servers = { fs: { tools: { read: { answers: hello, afterMs: 500 }, hang: { never: true } } } } as const;
const sentBy = (s: Harness, type: string, method?: string): number =>
  s.seen.filter(
    ({ record: r }) =>
      r.k === 'out' &&
      r.ev.type === type &&
      (method === undefined || (r.ev as { method?: string }).method === method),
  ).length;
/** The office reads everything and answers no join or leave, from the n-th on. */
const muteFrom = (n: number): Pick<HarnessOptions, 'mend'> => ({
  mend: (ports) => ({
    ...ports,
    office: (at, input, emit) => {
      const instance = ports.office(at, input, emit);
      let left = n;
      return {
        tell: (command) =>
          void ((command.type !== 'office.answer' || (left -= 1) > 0) && instance.tell(command)),
        close: () => instance.close(),
      };
    },
  }),
});

const muted = { timing: { linkMs: 1000 }, ...muteFrom(2) };
scenario('an agent whose leave is never answered ends after the time-out', muted, async (s) => {
  await s.office();
  s.agent();
  await s.run(10);
  expect(linkStage(s, 'agent')).toBe('joined');
  s.close('agent');
  await s.run(s.timing.linkMs - 1);
  expect(s.directory.find('agent')).toBeDefined();
  await s.run(1);
  expect(s.directory.find('agent')).toBeUndefined();
});

scenario('a closing agent refuses calls unsent; a second close changes nothing', { servers }, async (s) => {
  await everybody(s);
  s.close('agent');
  s.close('agent');
  const late = s.agentCall('read');
  expect(late.settled).toMatchObject([{ outcome: 'failed', failure: { code: 'LinkLost' } }]);
  await s.run(10);
  expect(s.directory.find('agent')).toBeUndefined();
  expect(s.servers.heard).toEqual([]);
});

const brief = { timing: { shutdownMs: 500 }, ...muteFrom(2) };
scenario('an agent whose link still leaves when the shutdown time is over ends, too', brief, async (s) => {
  await s.office();
  s.agent();
  await s.run(10);
  s.close('agent');
  await s.run(s.timing.shutdownMs);
  expect(s.directory.find('agent')).toBeUndefined();
});

const mute = { timing: { linkMs: 1000 }, ...muteFrom(1) };
scenario('a join that is never answered is given up in time and tried again', mute, async (s) => {
  await s.office();
  s.computer({ linked: true });
  await s.run(s.timing.linkMs + 10);
  expect(s.heard('computer', 'link.changed').at(-1)).toMatchObject({
    stage: 'waiting',
    reason: 'no answer to the join in time',
  });
  expect(sentBy(s, 'link.join')).toBe(1);
  await s.run(s.timing.linkBackoffMs);
  expect(sentBy(s, 'link.join')).toBe(2);
});

scenario('a link that is closed before its connection stands ends at once', {}, async (s) => {
  await s.office();
  s.computer({ linked: true });
  expect(sentBy(s, 'link.join')).toBe(0);
  s.close('computer');
  expect(s.directory.find('computer')).toBeUndefined();
});

scenario('a link that is closed on its own and then with its computer leaves once', {}, async (s) => {
  await s.office();
  s.computer({ linked: true });
  await s.run(10);
  s.order('computer', { type: 'office.leave' });
  s.close('computer');
  await s.run(10);
  expect(sentBy(s, 'link.leave')).toBe(1);
});

scenario('a join that is refused while the link leaves does not bring it back', {}, async (s) => {
  await s.office();
  s.agent();
  await s.run(10);
  s.agent({ name: 'a2', as: 'second' });
  await until(s, () => sentBy(s, 'link.join') === 2);
  s.close('second');
  await s.run(10);
  expect(s.directory.find('second')).toBeUndefined();
});

scenario('a connection that is lost while the link leaves ends it', {}, async (s) => {
  await s.office();
  s.computer({ linked: true });
  await s.run(10);
  s.close('computer');
  expect(sentBy(s, 'link.leave')).toBe(1);
  s.network.faults.dropLink('c1');
  expect(s.directory.find('computer')).toBeUndefined();
});

const passing: HarnessOptions = {
  servers,
  mend: (ports) => ({
    ...ports,
    link: (at, input, emit) =>
      ports.link(at, input, (fact) => {
        emit(fact);
        if (fact.type !== 'agent.called') return;
        emit({ ...fact, type: 'agent.repeated', ticket: 'again' });
      }),
  }),
};
scenario('a req_id that runs already is answered 409, and the first call goes on', passing, async (s) => {
  await everybody(s);
  const call = await after(s, 10, s.agentCall('read', { reqId: 'same' }));
  const answers = s.seen.filter(({ record: r }) => r.k === 'out' && r.ev.type === 'link.answer');
  expect(answers.at(-1)?.record).toMatchObject({
    ev: { ticket: 'again', body: { isError: true, structuredContent: { error: { code: 409 } } } },
  });
  await s.run(500);
  expect(call.settled).toMatchObject([{ outcome: 'succeeded', result: hello }]);
});

scenario('one ticket twice at an agent: the second refused, the first answered', { servers }, async (s) => {
  await everybody(s);
  const first = s.agentCall('read', { reqId: 'same' });
  const answers: unknown[] = [];
  s.directory.listen('host:another', (event) => answers.push(event));
  const again = { ticket: 'same', reqId: 'same', computer: 'c1', tool: 'read', params: {}, timeoutMs: 0 };
  s.order('agent', { type: 'agent.call', ...again, replyTo: 'host:another' });
  expect(answers).toMatchObject([{ end: 'failed', outcome: 'failed', failure: { code: 409 } }]);
  await s.run(600);
  expect(first.settled).toMatchObject([{ outcome: 'succeeded' }]);
});

scenario('a call whose arguments are no JSON fails unsent; the connection stands', { servers }, async (s) => {
  await everybody(s);
  const odd = s.agentCall('read', { params: { size: 1n } });
  const even = await after(s, 10, s.agentCall('read'));
  expect(odd.settled).toMatchObject([{ end: 'failed', outcome: 'failed', failure: { code: 400 } }]);
  await s.run(600);
  expect(even.settled).toMatchObject([{ outcome: 'succeeded' }]);
});

scenario('a computer that leaves cancels calls first; one that is late is unsent', { servers }, async (s) => {
  await everybody(s);
  const call = await after(s, 10, s.agentCall('hang'));
  const late = await after(s, 1, s.agentCall('read'));
  s.order('computer', { type: 'office.leave' });
  await s.run(100);
  const meta = { a2c_outcome: 'unknown', a2c_cancel_reason: 'its computer leaves the office' };
  expect(call.settled[0]?.result).toMatchObject({ meta });
  expect(late.settled).toHaveLength(1);
  expect(s.servers.heard).toEqual(['call hang at fs', 'cancelled tools/call at fs']);
  expect(linkStage(s)).toBe('closed');
});

const standings: Readonly<Record<string, (s: Scene) => void>> = {
  'that the rule of the host judges': (s) => s.permission('never'),
  'that a person is asked about': (s) => s.person('yes after 500'),
  'that waits for its server': (s) => {
    const fs = s.server('slow', { tools: { other: { takes: 500 } }, isLazy: true });
    s.fault(fs, 'life.initSlow', { ms: 500 });
    s.timing({ idleStopMs: 100 });
  },
  'that runs': () => {},
};
for (const [where, prepare] of Object.entries(standings))
  scenario(`a call of the host ${where} goes on when the office is lost, whose agents are gone`, (s) => {
    const fs = s.server('fs', { tools: { read: { takes: 500 } } });
    prepare(s);
    s.office();
    s.virtualOnly('where a call stands for real is not known');
    s.ready();
    s.run(1_000);
    const isJudged = where.includes('judges');
    const call = s.call(where.includes('waits') ? 'other' : 'read');
    s.run(100);
    s.close('office');
    s.run(100);
    s.expect(call).waits();
    if (isJudged) return;
    s.expect(s.settled(call)).settles('succeeded');
    s.expect(fs).requests('tools/call', where.includes('waits') ? 0 : 1);
  });
