import { scenario } from '../../../stage/plan/index.ts';
import { ready } from '../../one-server.ts';

const tools = { read: {} };
const needs = { code: 'ServerNotActive', says: 'needs input word' } as const;

scenario('each start of a server asks what its inputs give by now, and launches its child with that', (s) => {
  const fs = ready(s, { tools });
  s.values(fs, 1);
  s.restart(fs);
  s.reaches(fs, 'ready');
  s.values(fs, 2);
  s.kill(fs);
  s.reaches(fs, 'ready');
  s.values(fs, 3);
  s.config();
  s.heard('computer', 'server.removed', 1);
  s.config(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1, 1_001, 2_001, 3_001);
});

scenario('a value that a server has while it runs changes nothing until somebody says so', (s) => {
  const [fs, git] = [s.server('fs', { tools }), s.server('git', { tools: { log: {} } })];
  s.differs('which of two servers is the first to list its tools is open', ['heard']);
  s.ready();
  s.values(fs, 1);
  s.run(300);
  s.expect(fs).launches(1);
  s.config([fs, { values: 1 }], git);
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1, 1_001);
  s.expect(fs).visits('connecting', 'ready', 'closing', 'connecting', 'ready');
  s.config([fs, { values: 2 }], [git, { values: 1 }]);
  s.run(300);
  s.expect(fs).launches(1, 1_001);
  s.expect(git).visits('connecting', 'ready');
});

scenario('a value that cannot be had leaves alone who runs, and keeps down who starts', (s) => {
  const fs = ready(s, { tools });
  s.values(fs, 'none');
  s.config([fs, { values: 1 }]);
  s.run(300);
  s.expect(fs).visits('connecting', 'ready');
  s.restart(fs);
  s.reaches(fs, 'open');
  s.expect(fs).says('needs input word');
  s.expect(s.settled(s.call('read'))).settles('failed', needs);
  s.expect.stages('computer', 'whole', 'degraded');
  s.values(fs, 4);
  s.start(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1, 4_001);
});

scenario('a server without its value is started as soon as a change says that there is one', (s) => {
  const fs = s.server('fs', { tools, isAbsent: true });
  s.values(fs, 'none');
  s.config(fs);
  s.reaches(fs, 'open');
  s.values(fs, 1);
  s.config([fs, { values: 1 }]);
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1_001);
});

scenario('others serve while somebody is asked for a value, calls wait their time, and a stop wins', (s) => {
  const [fs, git] = [s.server('fs', { tools }), s.server('git', { tools: { log: {} } })];
  s.differs('which of two servers is the first to list its tools is open', ['heard']);
  s.ready();
  s.values(fs, 'never');
  s.restart(fs);
  s.reaches(fs, 'connecting');
  s.start(fs);
  const [call, other] = [s.call('read', { timeoutMs: 500 }), s.call('log')];
  s.settled(call, other);
  s.expect(call).settles('failed', {
    end: 'timedOut',
    code: 'ToolExecutionTimeout',
    at: 500,
    details: { state: 'connecting' },
  });
  s.expect(other).settles('succeeded');
  // A change outside the launch config asks for no values; other values do.
  s.config([fs, { budget: 3 }], git);
  s.config([fs, { values: 1 }], git);
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).launches(1);
  s.values(fs, 2);
  s.start(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1, 2_001);
});

scenario('a computer that closes while somebody is asked for a value does not wait for it', (s) => {
  const fs = ready(s, { tools });
  s.values(fs, 'never');
  s.restart(fs);
  s.reaches(fs, 'connecting');
  s.close();
  s.ended();
  s.expect.processes(fs, { started: 1, alive: 0 });
});

scenario('a call that wakes a lazy server waits while its value is asked for, or hears of none', (s) => {
  const fs = ready(s, { tools, isLazy: true });
  s.timing({ idleStopMs: 100 });
  s.reaches(fs, 'standby');
  s.values(fs, 1, 300);
  const [call, second] = [s.call('read'), s.call('read')];
  s.settled(call, second);
  s.expect(call).settles('succeeded');
  s.expect(second).settles('succeeded');
  s.reaches(fs, 'standby');
  s.values(fs, 'none', 100);
  s.expect(s.settled(s.call('read'))).settles('failed', { code: 'InputNotFound', says: 'needs input word' });
  s.expect(fs).launches(1, 1_001);
});

scenario('a server whose changed config lacks a value goes back to what it was', (s) => {
  const fs = ready(s, { tools });
  s.values(fs, 'none', 200);
  s.config([fs, { generation: 2 }]);
  s.reaches(fs, 'connecting');
  s.values(fs, 1);
  s.heard('computer', 'server.rolledBack', 1);
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1, 1_001);
});
