import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: { takes: 10 } };

scenario('a computer whose wire breaks in a call: nobody waits for the answer, so it is cancelled', (s) => {
  const fs = ready(s, { tools: { read: { takes: 10_000 } } });
  s.office();
  const call = s.agentCall('read');
  s.asked(fs, 'tools/call');
  s.fault('net.down', { who: 'computer', ms: 150 });
  s.settled(call);
  s.expect(call).settles('failed', { result: { meta: { a2c_outcome: 'unknown', a2c_phase: 'running' } } });
  s.asked(fs, 'notifications/cancelled');
  s.ready();
  s.settled(s.agentCall('read', { timeoutMs: 1_000 }));
  s.expect.processes(fs, { started: 1, alive: 1 });
  s.differs('how often a link tries depends on how long a connect takes', ['heard']);
});

scenario('a wire that takes its time delays an answer and loses nothing', (s) => {
  ready(s, { tools });
  s.office();
  s.virtualOnly('our real wire has no brake');
  s.fault('net.latency', { ms: 300 });
  s.expect(s.settled(s.agentCall('read', { timeoutMs: 5_000 }))).settles('succeeded', { at: 1210 });
});

// Found by the simulator: the answer `no tools` was taken for a change that the link had not announced.
scenario('a computer that has no tools tells an agent so once, and announces nothing', (s) => {
  ready(s, { tools, faults: [{ fault: 'proc.spawnError' }], budget: 1 });
  s.office();
  s.run(2_000);
  s.expect.heard('agent', 'view.toolsChanged', 1);
});
