import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: { takes: 10 } };

scenario('an agent whose wire breaks in a call: the call is unknown, it is cancelled at the server', (s) => {
  const fs = ready(s, { tools: { read: { takes: 10_000 } } });
  s.office();
  const call = s.agentCall('read');
  s.asked(fs, 'tools/call');
  s.fault('agent.disconnect', { ms: 150 });
  s.expect(s.settled(call)).settles('unknown', { code: 'LinkLost' });
  s.asked(fs, 'notifications/cancelled');
  s.ready();
  s.expect(s.settled(s.agentCall('read', { timeoutMs: 1_000 }))).settles('failed', {
    result: {
      isError: true,
      meta: { a2c_timeout: true, a2c_outcome: 'unknown', a2c_phase: 'running' },
      structuredContent: { error: { code: 4004 } },
    },
  });
  s.differs('how often a link tries depends on how long a connect takes', ['heard']);
});

scenario('an answer to an agent that is lost: its call times out and is unknown', (s) => {
  ready(s, { tools });
  s.office();
  s.virtualOnly('one answer on a real wire cannot be taken out without breaking it');
  s.fault('agent.ackLost');
  s.expect(s.settled(s.agentCall('read', { timeoutMs: 1_000 }))).settles('unknown', { end: 'timedOut' });
});

scenario('an answer to an agent that comes a little after its limit is an answer', (s) => {
  ready(s, { tools });
  s.office();
  s.virtualOnly('one answer on a real wire cannot be held back without holding back the others');
  s.fault('agent.ackLate', { ms: 1_100 });
  s.expect(s.settled(s.agentCall('read', { timeoutMs: 1_000 }))).settles('succeeded');
});

scenario('an agent that sends a call twice under one id: the second is refused, it runs once', (s) => {
  const fs = ready(s, { tools: { read: { takes: 200 } } });
  s.office();
  const first = s.agentCall('read', { reqId: 'r1' });
  const second = s.again(first);
  s.settled(first, second);
  s.expect(first).settles('succeeded');
  s.expect(second).settles('failed', { result: { structuredContent: { error: { code: 409 } } } });
  s.expect(fs).requests('tools/call', 1);
});

scenario('an agent that cancels a call that never was disturbs nobody', (s) => {
  const fs = ready(s, { tools: { read: { takes: 100 } } });
  s.office();
  const call = s.agentCall('read');
  s.expect.heard('agent', 'computer.entered', 0);
  s.fault('agent.cancelUnknown');
  s.expect(s.settled(call)).settles('succeeded');
  s.expect(fs).requests('notifications/cancelled', 0);
});

scenario('an agent that cancels a call before it sends it has it run all the same', (s) => {
  const fs = ready(s, { tools });
  s.office();
  s.fault('agent.cancelBeforeCall');
  s.expect(s.settled(s.agentCall('read'))).settles('succeeded');
  s.expect(fs).requests('notifications/cancelled', 0);
});

// The outcome of a call crosses the wire in the meta; the agent itself reports an answer with an error as failed.
scenario('a server dies in a call of an agent: the wire says how, and that the effect is unknown', (s) => {
  const fs = ready(s, { tools: { read: { takes: 10_000 } } });
  s.office();
  s.fault(fs, 'proc.exit', { code: 4, afterMs: 50 });
  s.expect(s.settled(s.agentCall('read'))).settles('failed', {
    result: {
      meta: { a2c_outcome: 'unknown', a2c_phase: 'running' },
      structuredContent: { error: { code: 4003, details: { exit_code: 4 } } },
    },
  });
  s.reaches(fs, 'ready');
});
