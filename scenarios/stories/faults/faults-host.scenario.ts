import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: { takes: 10 } };
const slow = { read: { takes: 10_000 } };

scenario('a host that stops while its server connects leaves nothing behind', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'life.initNever');
  s.asked(fs, 'initialize');
  s.fault('host.stop');
  s.ended();
  s.expect(fs).visits('connecting', 'closing');
  s.expect.processes(fs, { started: 1, alive: 0 });
});

scenario('a host that is told twice to stop stops once', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'proc.ignoreStdinClose' }] });
  s.timing({ stdinGraceMs: 200 });
  s.fault('host.stopTwice');
  s.run(50);
  s.fault('host.stop');
  s.ended();
  s.expect(fs).signals('stdin', 'SIGTERM@200');
  s.expect.stages('computer', 'whole', 'closing');
});

scenario('a host that hangs for a while takes an answer that came meanwhile', (s) => {
  const fs = ready(s, { tools: { read: { takes: 50 } } });
  const call = s.call('read', { timeoutMs: 5_000 });
  s.run(5);
  s.fault('host.eventLoopStall', { ms: 200 });
  s.expect(s.settled(call)).settles('succeeded', { at: 205 });
  s.expect(fs).visits('connecting', 'ready');
});

scenario('a host that hangs does not take its servers for dead', (s) => {
  const fs = ready(s, { tools });
  s.timing({ listMs: 1_000, connectMs: 1_000 });
  s.fault('host.eventLoopStall', { ms: 300 });
  s.run(50);
  s.expect(s.settled(s.call('read'))).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready');
});

for (const ms of [86_400_000, -86_400_000])
  scenario(`a clock that jumps ${ms > 0 ? 'forward' : 'back'} by a day ends no call and no server`, (s) => {
    const fs = ready(s, { tools: { read: { takes: 100 } } });
    s.virtualOnly('nobody may set the clock of this machine');
    const call = s.call('read', { timeoutMs: 200 });
    s.run(10);
    s.fault('host.clockJump', { ms });
    s.expect(s.settled(call)).settles('succeeded', { at: 100 });
    s.run(5_000);
    s.expect(fs).visits('connecting', 'ready');
  });

scenario('a clock that jumps to and fro changes no time-out', (s) => {
  const fs = ready(s, { tools: slow });
  s.virtualOnly('nobody may set the clock of this machine');
  const call = s.call('read', { timeoutMs: 200 });
  s.fault('host.clockStrobe', { ms: 3_600_000, n: 20 });
  s.expect(s.settled(call)).settles('unknown', { end: 'timedOut', at: 200 });
  s.expect(fs).is('ready');
});

for (const seed of [1, 2, 3])
  scenario(`a cancel in the same instant as the answer finds either, never both (order ${seed})`, (s) => {
    const fs = s.server('fs', { tools: { read: { takes: 100 } } });
    s.virtualOnly('nobody can make two things happen in one instant');
    s.fault('sched.permuteTies', { seed });
    s.ready();
    const call = s.call('read');
    s.run(100);
    s.cancel(call);
    s.run(100);
    s.settled(call);
    s.expect(fs).is('ready');
  });

scenario('a server whose news come late is slow and nothing else', (s) => {
  const fs = s.server('fs', { tools });
  s.virtualOnly('nobody can hold back what the system says to one actor');
  s.fault('sched.delayDelivery', { actor: 'computer/client:fs', ms: 150 });
  s.ready();
  s.expect(s.settled(s.call('read'))).settles('succeeded', { at: 160 });
  s.kill(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
});

scenario('servers that are stopped one by one and started in another order are all back', (s) => {
  const [a, b, c] = [
    s.server('a', { tools: { one: {} } }),
    s.server('b', { tools: { two: {} } }),
    s.server('c', { tools: { three: {} } }),
  ];
  s.differs('which of three servers is ready first is open', ['heard']);
  s.ready();
  s.fault('sched.swizzle', { servers: 2 });
  const calls = [s.call('one'), s.call('two'), s.call('three')];
  s.settled(...calls);
  for (const call of calls) s.expect(call).settles('succeeded');
  for (const server of [a, b, c]) s.expect(server).is('ready');
  s.expect.stages('computer', 'whole', 'degraded', 'whole');
});

scenario('a computer that closes tells an agent that its call is cancelled, and leaves after that', (s) => {
  const fs = ready(s, { tools: slow });
  s.office();
  const call = s.agentCall('read');
  s.asked(fs, 'tools/call');
  s.close();
  s.settled(call);
  const meta = { a2c_cancelled: true, a2c_outcome: 'unknown', a2c_phase: 'running' };
  s.expect(call).settles('failed', { result: { isError: true, meta } });
  s.ended();
  s.expect(fs).requests('notifications/cancelled', 1);
});

scenario('a computer that closes while a person is asked for an agent: it hears nothing was sent', (s) => {
  const fs = ready(s, { tools: { read: {} } });
  s.office();
  s.person('yes after 2000');
  const call = s.agentCall('read');
  s.run(100);
  s.close();
  s.settled(call);
  const meta = { a2c_cancelled: true, a2c_outcome: 'failed', a2c_phase: 'confirming' };
  s.expect(call).settles('failed', { result: { isError: true, meta } });
  s.ended();
  s.expect(fs).requests('tools/call', 0);
});
