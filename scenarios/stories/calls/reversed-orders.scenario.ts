import { scenario } from '../../stage/plan/index.ts';

const reading = { read: { takes: 5_000 } };

scenario('a start while the server is being stopped starts it again once its process has ended', (s) => {
  const fs = s.server('fs', { tools: reading });
  s.fault(fs, 'proc.ignoreStdinClose');
  s.timing({ stdinGraceMs: 300 });
  s.ready();
  s.stop(fs);
  s.run(100);
  s.start(fs);
  const call = s.call('read');
  s.settled(call);
  s.expect(call).settles('failed', { code: 'ServerNotActive' });
  s.reaches(fs, 'ready');
  s.expect(fs).signals('stdin', 'SIGTERM@300');
  s.expect.processes(fs, { started: 2, alive: 1 });
});

scenario('a start while a failed server is cleaned up needs no budget', (s) => {
  const fs = s.server('fs', { tools: reading, restart: false });
  s.fault(fs, 'proc.zombieGrandchild', { ignoresSigterm: true });
  s.timing({ termGraceMs: 300 });
  s.ready();
  s.kill(fs);
  s.signalled(fs, 'SIGTERM');
  s.start(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'connecting', 'ready');
});

scenario(
  'a start in the moment after the stream broke is a restart, and calls in flight are unknown',
  (s) => {
    const fs = s.server('fs', { tools: { ...reading, end: {} } });
    s.fault(fs, 'proc.stdoutClosed', { tool: 'end' });
    s.timing({ exitGraceMs: 2_000 });
    s.ready();
    const call = s.call('read');
    s.call('end');
    s.reaches(fs, 'recovering');
    s.start(fs);
    s.settled(call);
    s.expect(call).settles('unknown', { end: 'unknown' });
    s.reaches(fs, 'ready');
  },
);

scenario('a restart can be stopped and closed, and ends a process that does not end by itself', (s) => {
  const fs = s.server('fs', { tools: reading });
  for (const word of ['proc.ignoreStdinClose', 'proc.ignoreSigterm']) s.fault(fs, word);
  s.timing({ stdinGraceMs: 200, termGraceMs: 200 });
  s.ready();
  s.restart(fs);
  s.restart(fs);
  s.run(50);
  s.close();
  s.ended();
  s.expect(fs).signals('stdin', 'SIGTERM@200', 'SIGKILL@400');
  s.expect.processes(fs, { started: 1, alive: 0 });
});
