import { scenario } from '../../stage/plan/index.ts';

const tools = { read: { takes: 20 } };
const slow = { read: { takes: 10_000 } };

scenario('a server that exits a moment into a call: the call is unknown, the server comes back', (s) => {
  const fs = s.server('fs', { tools: slow });
  s.fault(fs, 'proc.exit', { code: 3, when: 'call', afterMs: 200 });
  s.ready();
  const call = s.call('read', { timeoutMs: 30_000 });
  s.settled(call);
  s.expect(call).settles('unknown', { code: 'ServerLost', says: 'exit code 3', at: 200 });
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
  s.expect(fs).signals();
  s.expect(fs).requests('tools/list', 2);
  s.expect.processes(fs, { started: 2, alive: 1 });
  s.expect.tools('+read', '-read', '+read');
});

scenario('a server that exits right after it has answered: the call has succeeded', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.exit', { when: 'call', afterMs: 300 });
  s.ready();
  const call = s.call('read');
  s.settled(call);
  s.reaches(fs, 'recovering');
  s.expect(call).settles('succeeded');
  s.reaches(fs, 'ready');
});

scenario('two calls in flight when their server exits are both unknown', (s) => {
  const fs = s.server('fs', { tools: { read: { takes: 10_000 }, write: {} } });
  s.fault(fs, 'proc.exit', { when: 'call', tool: 'write', afterMs: 100 });
  s.ready();
  const [read, write] = [s.call('read'), s.call('write')];
  s.settled(read, write);
  s.expect(read).settles('unknown', { code: 'ServerLost' });
  s.expect(write).settles('succeeded');
  s.reaches(fs, 'ready');
});

for (const signal of ['SIGKILL', 'SIGSEGV', 'SIGTERM'])
  scenario(`a server that is killed by ${signal} in a call says so`, (s) => {
    const fs = s.server('fs', { tools: slow });
    s.fault(fs, 'proc.kill', { signal });
    s.ready();
    const call = s.call('read');
    s.settled(call);
    s.expect(call).settles('unknown', { end: 'unknown', code: 'ServerLost', details: { signal } });
    s.expect(fs).says(signal);
  });

scenario('a server that somebody kills while nothing is asked comes back without anybody noticing', (s) => {
  const fs = s.server('fs', { tools });
  s.ready();
  s.kill(fs);
  s.reaches(fs, 'ready');
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
});

scenario(
  'a server that ends cleanly though nobody asked it to has not failed: it rests and says why',
  (s) => {
    const fs = s.server('fs', { tools });
    s.fault(fs, 'proc.exitClean', { afterMs: 400 });
    s.ready();
    s.reaches(fs, 'idle');
    s.expect(fs).says('exit code 0');
    s.expect(fs).visits('connecting', 'ready', 'recovering', 'idle');
    s.expect.tools('+read', '-read');
  },
);

scenario('a server that is always started again comes back from a clean end, too', (s) => {
  const fs = s.server('fs', { tools, restart: 'always' });
  s.fault(fs, 'proc.exitClean', { afterMs: 400 });
  s.later(fs, 2);
  s.ready();
  s.reaches(fs, 'waiting');
  s.expect(fs).says('exit code 0');
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
});

scenario('a server that ends with exit code 0 before it was ever ready has failed', (s) => {
  const fs = s.server('fs', { tools, budget: 1 });
  s.fault(fs, 'proc.exitClean', { when: 'initialize' });
  s.later(fs, 2);
  s.ready();
  s.expect(fs).visits('connecting', 'recovering', 'waiting', 'connecting', 'ready');
});

for (const when of ['start', 'initialize', 'list'] as const)
  scenario(`a server whose first two starts end at ${when} is ready at the third`, (s) => {
    const fs = s.server('fs', { tools });
    s.fault(fs, 'proc.crashLoop', { n: 2, code: 9, when });
    s.ready();
    s.expect(fs).visits(
      'connecting',
      'recovering',
      'waiting',
      'connecting',
      'recovering',
      'waiting',
      'connecting',
      'ready',
    );
    s.expect(fs).says('exit code 9');
    s.expect(fs).signals();
    s.expect.processes(fs, { started: 3, alive: 1 });
  });

scenario('a server that always crashes spends its budget, rests, and is no longer started', (s) => {
  const fs = s.server('fs', { tools, budget: 2 });
  s.fault(fs, 'proc.crashLoop', { n: 100, when: 'initialize' });
  s.ready();
  s.expect(fs).is('open');
  s.expect.processes(fs, { started: 3, alive: 0 });
  s.run(300);
  s.expect.processes(fs, { started: 3, alive: 0 });
  s.expect.stages('computer', 'degraded');
});

for (const [errno, words] of [
  ['ENOENT', 'could not be started'],
  ['EACCES', 'could not be started'],
] as const)
  scenario(`a command that cannot be started (${errno}) is not tried in vain: it rests and says so`, (s) => {
    const fs = s.server('fs', { tools });
    s.fault(fs, 'proc.spawnError', { errno });
    s.ready();
    s.expect(fs).visits('connecting', 'open');
    s.expect(fs).says(words);
    s.expect.processes(fs, { started: 0, failed: 1, alive: 0 });
  });

scenario('a host without descriptors left cannot start a server, and starts it when it has some', (s) => {
  const fs = s.server('fs', { tools });
  s.virtualOnly('a test that takes all descriptors of its process would take those of its neighbours');
  s.fault(fs, 'proc.spawnError', { errno: 'EMFILE' });
  s.later(fs, 2);
  s.ready();
  s.expect(fs).visits('connecting', 'waiting', 'connecting', 'ready');
});

scenario('a command that takes its time before it is a server is waited for', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.spawnSlow', { ms: 400 });
  s.ready();
  s.expect(fs).visits('connecting', 'ready');
  s.expect.processes(fs, { started: 1, alive: 1 });
});

scenario('a server that ignores the end of its input gets SIGTERM after the grace', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.ignoreStdinClose');
  s.timing({ stdinGraceMs: 200 });
  s.ready();
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin', 'SIGTERM@200');
  s.expect.processes(fs, { alive: 0 });
});

scenario('a server that ignores its input and SIGTERM is killed after both graces', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.ignoreStdinClose');
  s.fault(fs, 'proc.ignoreSigterm');
  s.timing({ stdinGraceMs: 150, termGraceMs: 200 });
  s.ready();
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin', 'SIGTERM@150', 'SIGKILL@350');
  s.expect(fs).visits('connecting', 'ready', 'closing', 'idle');
  s.expect.processes(fs, { started: 1, alive: 0 });
});

scenario('a server that takes its time to end, but less than its grace, gets no signal', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.slowExit', { ms: 150 });
  s.timing({ stdinGraceMs: 3_000 });
  s.ready();
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin');
});

scenario('a server that takes longer than its grace is not waited for', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.slowExit', { ms: 20_000 });
  s.timing({ stdinGraceMs: 150 });
  s.ready();
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin', 'SIGTERM@150');
});

scenario('a server that leaves a process behind in its group: it is ended before the next start', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.zombieGrandchild');
  s.later(fs, 2);
  s.ready();
  s.kill(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).signals('SIGTERM');
  s.expect.processes(fs, { started: 2, alive: 1 });
});

scenario('a process left behind that ignores SIGTERM is killed before the next start', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.zombieGrandchild', { ignoresSigterm: true });
  s.later(fs, 2);
  s.timing({ termGraceMs: 200 });
  s.ready();
  s.kill(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).signals('SIGTERM', 'SIGKILL@200');
  s.expect.processes(fs, { started: 2, alive: 1 });
});

scenario('a process left behind that holds the pipes does not hide that its server is gone', (s) => {
  const fs = s.server('fs', { tools: slow });
  s.fault(fs, 'proc.zombieGrandchild', { holdsPipes: true });
  s.fault(fs, 'proc.exit', { when: 'call', code: 5, afterMs: 50 });
  s.later(fs, 2);
  s.ready();
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('unknown', { code: 'ServerLost', says: 'exit code 5', at: 100 });
  s.reaches(fs, 'ready');
  s.expect(fs).signals('SIGTERM');
});

scenario('a server that is stopped for a while answers when it goes on', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.pause', { ms: 300, times: 1 });
  s.ready();
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('succeeded', { at: 320 });
  s.expect(fs).visits('connecting', 'ready');
});

scenario('a server that is stopped for good is ended by SIGKILL, for nothing else reaches it', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.pause', { ms: 20_000, times: 1 });
  s.timing({ stdinGraceMs: 150, termGraceMs: 150 });
  s.ready();
  const call = s.call('read', { timeoutMs: 200 });
  s.settled(call);
  s.expect(call).settles('unknown', { end: 'timedOut', at: 200 });
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin', 'SIGTERM@150', 'SIGKILL@300');
});

scenario('a server that closes its output and lives is ended, and started again', (s) => {
  const fs = s.server('fs', { tools: slow });
  s.fault(fs, 'proc.stdoutClosed');
  s.later(fs, 2);
  s.ready();
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('unknown', { code: 'ServerLost' });
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
  s.expect(fs).signals('stdin');
  s.expect.processes(fs, { started: 2, alive: 1 });
});

scenario('a server that writes a megabyte to stderr at once works on', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'proc.stderrFlood', { when: 'call' });
  s.ready();
  const calls = [s.call('read'), s.call('read')];
  s.settled(...calls);
  for (const call of calls) s.expect(call).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready');
});

scenario('a server that runs out of memory in a call: its last words are in the failure', (s) => {
  const fs = s.server('fs', { tools: slow });
  s.fault(fs, 'proc.oom');
  s.ready();
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('unknown', { code: 'ServerLost', says: 'SIGABRT' });
  s.expect(fs).says('SIGABRT', 'heap out of memory');
});
