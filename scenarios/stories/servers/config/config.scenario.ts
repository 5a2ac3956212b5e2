/** As little as possible is restarted, and nothing is forgotten. */
import { scenario } from '../../../stage/plan/index.ts';
import { ready } from '../../one-server.ts';

const tools = { read: {} };

scenario('a server gone from the config is closed, a new one is started, the others left alone', (s) => {
  const [fs, git] = [s.server('fs', { tools }), s.server('git', { tools: { log: {} } })];
  const web = s.server('web', { tools: { get: {} }, isAbsent: true });
  s.differs('which of two servers is ready first is open', ['heard']);
  s.ready();
  s.config(fs, web);
  s.reaches(web, 'ready');
  s.heard('computer', 'server.removed', 1);
  s.expect(fs).visits('connecting', 'ready');
  s.expect.processes(fs, { started: 1, alive: 1 });
  s.expect.processes(git, { started: 1, alive: 0 });
  s.expect(git).signals('stdin');
  const [gone, here] = [s.call('log'), s.call('get')];
  s.settled(gone, here);
  s.expect(gone).settles('failed', { code: 4001 });
  s.expect(here).settles('succeeded');
});

scenario('no tool is offered that a list of allowed ones does not have', (s) => {
  const fs = ready(s, { tools: { read: {}, write: {} }, only: ['read', 'erase'] });
  const [read, write] = [s.call('read'), s.call('write')];
  s.settled(read, write);
  s.expect(read).settles('succeeded');
  s.expect(write).settles('failed', { code: 4002 });
  s.expect.tools('+read');
  s.config([fs, { only: [] }]);
  s.expect.tools('+read', '-read');
});

scenario('other rules for its tools hold at once: the server is asked nothing and goes on', (s) => {
  const fs = ready(s, { tools: { read: {}, write: {} } });
  s.config([fs, { forbidden: ['write'] }]);
  const [read, write] = [s.call('read'), s.call('write')];
  s.settled(read, write);
  s.expect(read).settles('succeeded');
  s.expect(write).settles('failed', { code: 4002 });
  s.expect.tools('+read', '+write', '-write');
  s.config(fs);
  s.expect.tools('+read', '+write', '-write', '+write');
  s.expect(fs).requests('tools/list', 1);
  s.expect(fs).visits('connecting', 'ready');
});

scenario('a server that is put back while it still goes down is started when it has ended', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'proc.ignoreStdinClose' }] });
  s.timing({ stdinGraceMs: 400 });
  s.config();
  s.signalled(fs, 'stdin');
  s.config(fs);
  s.expect.processes(fs, { started: 1, alive: 1 });
  s.reaches(fs, 'ready');
  s.expect.processes(fs, { started: 2, alive: 1 });
  s.expect(fs).signals('stdin', 'SIGTERM@400');
});

scenario('a server that was changed and cannot start comes back as it was', (s) => {
  const fs = ready(s, { tools });
  s.later(fs, 2, { faults: [{ fault: 'life.initError' }] });
  s.later(fs, 3);
  s.config([fs, { generation: 2 }]);
  s.heard('computer', 'server.rolledBack', 1);
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'closing', 'connecting', 'recovering', 'connecting', 'ready');
  s.expect.processes(fs, { started: 3, alive: 1 });
  s.config([fs, { generation: 2 }]);
  s.run(200);
  s.expect.processes(fs, { started: 3, alive: 1 });
});

scenario('a change of the config is announced once for a burst, and the agent hears of it', (s) => {
  const fs = s.server('fs', { tools });
  const git = s.server('git', { tools: {}, isAbsent: true, autoStart: false });
  s.office();
  s.timing({ quietMs: 100 });
  s.ready();
  for (const budget of [1, 2, 3]) s.config([fs, { budget }], git);
  s.heard('agent', 'computer.configChanged', 1);
  s.run(400);
  s.expect.heard('agent', 'computer.configChanged', 1);
  s.config([fs, { budget: 4 }], git);
  s.heard('agent', 'computer.configChanged', 2);
  s.expect(fs).visits('connecting', 'ready');
});

scenario('whatever was changed, in the end a computer offers what its servers listed', (s) => {
  const [fs, git] = [
    s.server('fs', { tools: { read: {}, write: {} } }),
    s.server('git', { tools: { log: {} } }),
  ];
  const web = s.server('web', { tools: { get: {} }, isAbsent: true });
  s.virtualOnly('nobody knows when a real system is quiescent');
  s.office();
  s.ready();
  s.config([fs, { generation: 2, forbidden: ['write'] }], git, web);
  s.kill(git);
  s.run(50);
  s.config(fs, web);
  s.config([fs, { forbidden: ['write'] }], git, web);
  s.quiescent();
  s.config(web);
  s.quiescent();
  s.config(fs, git);
  s.quiescent();
  s.expect(fs).is('ready');
  s.expect(git).is('ready');
});

scenario('a computer that closes takes no other config any more', (s) => {
  const fs = s.server('fs', { tools: { read: {} } });
  const git = s.server('git', { tools: {}, isAbsent: true });
  s.fault(fs, 'proc.ignoreStdinClose');
  s.timing({ stdinGraceMs: 400 });
  s.ready();
  s.close();
  s.signalled(fs, 'stdin');
  s.config(git);
  s.ended();
  s.expect.processes(git, { started: 0 });
  s.expect.heard('computer', 'server.removed', 0);
});

scenario('a server that was changed twice goes back to what it last was when it served', (s) => {
  const fs = ready(s, { tools: { read: {} }, faults: [{ fault: 'proc.ignoreStdinClose' }] });
  s.later(fs, 2, { faults: [{ fault: 'life.initError' }] });
  s.later(fs, 3);
  s.timing({ stdinGraceMs: 400 });
  s.config([fs, { generation: 2 }]);
  s.signalled(fs, 'stdin');
  s.config([fs, { generation: 3 }]);
  s.heard('computer', 'server.rolledBack', 1);
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1, 3, 1);
  s.expect.processes(fs, { started: 3, alive: 1 });
});

scenario('a config that is changed and changed back meanwhile makes no server fall back', (s) => {
  const fs = ready(s, { tools: { read: {} }, faults: [{ fault: 'proc.ignoreStdinClose' }] });
  s.timing({ stdinGraceMs: 400 });
  s.config([fs, { generation: 2 }]);
  s.signalled(fs, 'stdin');
  s.config(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1, 1);
  s.expect.heard('computer', 'server.rolledBack', 0);
});
