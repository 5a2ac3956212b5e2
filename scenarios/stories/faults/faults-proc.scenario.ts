import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: { takes: 20 } };
const slow = { read: { takes: 10_000 } };

scenario('a server that exits a moment into a call: the call is unknown, the server comes back', (s) => {
  const fs = ready(s, { tools: slow, faults: [{ fault: 'proc.exit', code: 3, when: 'call', afterMs: 200 }] });
  const call = s.settled(s.call('read', { timeoutMs: 30_000 }));
  s.expect(call).settles('unknown', { code: 'ServerLost', says: 'exit code 3', at: 200 });
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
  s.expect(fs).signals();
  s.expect(fs).requests('tools/list', 2);
  s.expect.processes(fs, { started: 2, alive: 1 });
  s.expect.tools('+read', '-read', '+read');
});

for (const signal of ['SIGKILL', 'SIGSEGV', 'SIGTERM'])
  scenario(`a server that is killed by ${signal} in a call says so`, (s) => {
    const fs = ready(s, { tools: slow, faults: [{ fault: 'proc.kill', signal }] });
    const call = s.settled(s.call('read'));
    s.expect(call).settles('unknown', { end: 'unknown', code: 'ServerLost', details: { signal } });
    s.expect(fs).says(signal);
  });

scenario('a server that ends cleanly though nobody asked has not failed: it rests and says why', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'proc.exitClean', afterMs: 400 }] });
  s.reaches(fs, 'idle');
  s.expect(fs).says('exit code 0');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'idle');
  s.expect.tools('+read', '-read');
});

scenario('a server that is always started again comes back from a clean end, too', (s) => {
  const fs = ready(s, { tools, restart: 'always', faults: [{ fault: 'proc.exitClean', afterMs: 400 }] });
  s.later(fs, 2);
  s.reaches(fs, 'waiting');
  s.expect(fs).says('exit code 0');
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
});

scenario('a server that ends with exit code 0 before it was ever ready has failed', (s) => {
  const fs = ready(s, { tools, budget: 1, faults: [{ fault: 'proc.exitClean', when: 'initialize' }] });
  s.later(fs, 2);
  s.expect(fs).visits('connecting', 'recovering', 'waiting', 'connecting', 'ready');
});

for (const when of ['start', 'initialize', 'list'] as const)
  scenario(`a server whose first two starts end at ${when} is ready at the third`, (s) => {
    const fs = ready(s, { tools, faults: [{ fault: 'proc.crashLoop', n: 2, code: 9, when }] });
    const failed = ['connecting', 'recovering', 'waiting'] as const;
    s.expect(fs).visits(...failed, ...failed, 'connecting', 'ready');
    s.expect(fs).says('exit code 9');
    s.expect(fs).signals();
    s.expect.processes(fs, { started: 3, alive: 1 });
  });

for (const errno of ['ENOENT', 'EACCES'])
  scenario(`a command that cannot be started (${errno}) is not tried in vain: it rests and says so`, (s) => {
    const fs = ready(s, { tools, faults: [{ fault: 'proc.spawnError', errno }] });
    s.expect(fs).visits('connecting', 'open');
    s.expect(fs).says('could not be started');
    s.expect.processes(fs, { started: 0, failed: 1, alive: 0 });
  });

scenario('a host without descriptors left cannot start a server, and starts it when it has some', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'proc.spawnError', errno: 'EMFILE' }] });
  s.virtualOnly('a test that takes all descriptors of its process would take those of its neighbours');
  s.later(fs, 2);
  s.expect(fs).visits('connecting', 'waiting', 'connecting', 'ready');
});

scenario('a command that takes its time before it is a server is waited for', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'proc.spawnSlow', ms: 400 }] });
  s.expect(fs).visits('connecting', 'ready');
  s.expect.processes(fs, { started: 1, alive: 1 });
});

for (const [what, faults, timing, signals] of [
  [
    'a server that takes its time to end, but less than its grace, gets no signal',
    [{ fault: 'proc.slowExit', ms: 150 }],
    { stdinGraceMs: 3_000 },
    ['stdin'],
  ],
  [
    'a server that takes longer than its grace is not waited for',
    [{ fault: 'proc.slowExit', ms: 20_000 }],
    { stdinGraceMs: 150 },
    ['stdin', 'SIGTERM@150'],
  ],
] as const)
  scenario(what, (s) => {
    const fs = ready(s, { tools, faults });
    s.timing(timing);
    s.stop(fs);
    s.reaches(fs, 'idle');
    s.expect(fs).signals(...signals);
    s.expect(fs).visits('connecting', 'ready', 'closing', 'idle');
    s.expect.processes(fs, { started: 1, alive: 0 });
  });

for (const [what, options, signals] of [
  ['a server that leaves a process behind in its group: it is ended before the next start', {}, ['SIGTERM']],
  [
    'a process left behind that ignores SIGTERM is killed before the next start',
    { ignoresSigterm: true },
    ['SIGTERM', 'SIGKILL@200'],
  ],
] as const)
  scenario(what, (s) => {
    const fs = ready(s, { tools });
    s.fault(fs, 'proc.zombieGrandchild', options);
    s.later(fs, 2);
    s.timing({ termGraceMs: 200 });
    s.kill(fs);
    s.reaches(fs, 'ready');
    s.expect(fs).signals(...signals);
    s.expect.processes(fs, { started: 2, alive: 1 });
  });

scenario('a process left behind that holds the pipes does not hide that its server is gone', (s) => {
  const fs = ready(s, { tools: slow });
  s.fault(fs, 'proc.zombieGrandchild', { holdsPipes: true });
  s.fault(fs, 'proc.exit', { when: 'call', code: 5, afterMs: 50 });
  s.later(fs, 2);
  const call = s.settled(s.call('read'));
  s.expect(call).settles('unknown', { code: 'ServerLost', says: 'exit code 5', at: 100 });
  s.reaches(fs, 'ready');
  s.expect(fs).signals('SIGTERM');
});

scenario('a server that is stopped for a while answers when it goes on', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'proc.pause', ms: 300, times: 1 }] });
  s.expect(s.settled(s.call('read'))).settles('succeeded', { at: 320 });
  s.expect(fs).visits('connecting', 'ready');
});

scenario('a server that is stopped for good is ended by SIGKILL, for nothing else reaches it', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'proc.pause', ms: 20_000, times: 1 }] });
  s.timing({ stdinGraceMs: 150, termGraceMs: 150 });
  s.expect(s.settled(s.call('read', { timeoutMs: 200 }))).settles('unknown', { end: 'timedOut', at: 200 });
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin', 'SIGTERM@150', 'SIGKILL@300');
});

scenario('a server that runs out of memory in a call: its last words are in the failure', (s) => {
  const fs = ready(s, { tools: slow, faults: [{ fault: 'proc.oom' }] });
  s.expect(s.settled(s.call('read'))).settles('unknown', { code: 'ServerLost', says: 'SIGABRT' });
  s.expect(fs).says('SIGABRT', 'heap out of memory');
});
