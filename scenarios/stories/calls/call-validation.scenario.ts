import type { Outcome } from '../../../machines/call/call.rules.ts';
import { scenario, type CallRef, type Scene, type ServerRef } from '../../stage/plan/index.ts';
import type { PermissionData, PersonData } from '../../stage/plan/plan.ts';
import { ready } from '../one-server.ts';

const wantsPath = {
  read: { inputSchema: { type: 'object', required: ['path'], properties: { path: { type: 'string' } } } },
};

scenario('arguments that break the schema of the tool are refused with the field, and never sent', (s) => {
  const fs = ready(s, { tools: wantsPath });
  const wrong = s.call('read', { params: { path: 7 } });
  const missing = s.call('read');
  const right = s.call('read', { params: { path: 'a' } });
  s.settled(wrong, missing, right);
  s.expect(wrong).settles('failed', { end: 'refused', code: 'ArgumentsInvalid', says: 'path' });
  s.expect(missing).settles('failed', { end: 'refused', code: 'ArgumentsInvalid', says: 'path: is missing' });
  s.expect(right).settles('succeeded');
  s.expect(fs).requests('tools/call', 1);
});

const undecided = {
  'the rule of the host is asked': (s: Scene) => s.permission('never'),
  'a person is asked': (s: Scene) => s.person('never'),
};
const ends: Readonly<Record<string, readonly [(s: Scene, fs: ServerRef, call: CallRef) => void, object]>> = {
  'is cancelled': [(s, _, call) => s.cancel(call), { end: 'cancelled', code: 'ToolCallCancelled' }],
  'loses its server': [(s, fs) => s.kill(fs), { end: 'failed', code: 'ServerLost' }],
  'is closed with its computer': [(s) => s.close(), { end: 'cancelled' }],
};
for (const [where, ask] of Object.entries(undecided)) {
  scenario(`arguments that are wrong are refused before ${where}`, (s) => {
    s.server('fs', { tools: wantsPath });
    ask(s);
    s.ready();
    s.expect(s.settled(s.call('read'))).settles('failed', { end: 'refused', code: 'ArgumentsInvalid' });
  });
  for (const [what, [act, settles]] of Object.entries(ends))
    scenario(`a call that ${what} while ${where} has failed, for it was never sent`, (s) => {
      const fs = s.server('fs', { tools: { read: {} } });
      ask(s);
      s.ready();
      const call = s.call('read');
      s.run(10);
      act(s, fs, call);
      s.expect(s.settled(call)).settles('failed', settles);
      s.expect(fs).requests('tools/call', 0);
    });
}

for (const [who, word, options] of [
  ['an agent', 'agent.disconnect', { ms: 100 }],
  ['a computer', 'net.down', { who: 'computer', ms: 100 }],
] as const)
  scenario(`${who} whose connection breaks while the call of an agent is judged: it is not sent`, (s) => {
    const fs = ready(s, { tools: { read: {} } });
    s.differs('how soon a link is back is a matter of a moment', ['heard']);
    s.office();
    s.permission('never');
    s.agentCall('read');
    s.run(50);
    s.fault(word, options);
    s.run(200);
    s.expect(fs).requests('tools/call', 0);
    s.expect(fs).requests('notifications/cancelled', 0);
  });

interface Decides {
  readonly rule?: PermissionData;
  readonly person?: PersonData;
  readonly confirmMs?: number;
}
const refused = { end: 'refused', code: 4005 };
const decisions: readonly (readonly [what: string, by: Decides, outcome: Outcome, more?: object])[] = [
  ['a tool that does not apply by itself runs once a person has said yes', { person: 'yes' }, 'succeeded'],
  [
    'a call that a person denies is refused with 4005 and never sent',
    { person: 'no' },
    'failed',
    { ...refused, says: '工具调用二次确认被拒绝，请稍后再试' },
  ],
  ['a call that nobody can confirm is refused', { person: 'nobody' }, 'failed', refused],
  [
    'a question that nobody answers is refused after its time',
    { person: 'never', confirmMs: 300 },
    'failed',
    { end: 'refused', says: '确认超时', at: 300 },
  ],
  [
    'a call that the rule of the host denies is refused, and nobody is asked',
    { rule: 'deny', person: 'yes' },
    'failed',
    { end: 'refused', code: 'NotPermitted', says: "the host's rule says deny" },
  ],
  ['a call that the rule of the host allows needs no person', { rule: 'allow', person: 'no' }, 'succeeded'],
  [
    'a rule of the host that throws permits nothing, and its words are told',
    { rule: 'throws' },
    'failed',
    { ...refused, says: 'no rule today' },
  ],
  [
    'a rule of the host that gives no answer permits nothing, after the time of a person',
    { rule: 'never', confirmMs: 300 },
    'failed',
    { end: 'refused', code: 'NotPermitted', says: 'gave no answer', at: 300 },
  ],
];
for (const [what, { rule, person, confirmMs }, outcome, more = {}] of decisions)
  scenario(what, (s) => {
    const fs = s.server('fs', { tools: { read: {} } });
    if (rule) s.permission(rule);
    if (person) s.person(person);
    if (confirmMs) s.timing({ confirmMs });
    s.ready();
    const call = s.settled(s.call('read'));
    s.expect(call).settles(outcome, more);
    s.expect(fs).requests('tools/call', outcome === 'succeeded' ? 1 : 0);
  });

scenario('a person is asked where the rule of the host wants it, whatever the config says', (s) => {
  ready(s, { tools: { read: {} }, autoApprove: ['all'] });
  s.permission('ask');
  s.person('no');
  s.expect(s.settled(s.call('read'))).settles('failed', { end: 'refused', code: 4005 });
});

scenario('what a config approves beforehand runs unasked, and nothing else of that server does', (s) => {
  ready(s, { tools: { read: {}, write: {} }, autoApprove: ['read'] });
  s.person('no');
  const [read, write] = [s.call('read'), s.call('write')];
  s.settled(read, write);
  s.expect(read).settles('succeeded');
  s.expect(write).settles('failed', { end: 'refused', code: 4005 });
});

scenario('the time of its caller ends a call that the rule of the host judges; it was never sent', (s) => {
  const fs = ready(s, { tools: { read: {} } });
  s.permission('never');
  const call = s.settled(s.call('read', { timeoutMs: 300 }));
  s.expect(call).settles('failed', {
    end: 'timedOut',
    phase: 'judging',
    code: 'ToolExecutionTimeout',
    says: 'was not sent within 300 ms',
    details: { which: 'caller', timeout: 300 },
    at: 300,
  });
  s.expect(fs).requests('tools/call', 0);
});
