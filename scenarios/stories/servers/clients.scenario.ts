import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const reading = { read: {} };

scenario('a server that has been ready for long enough has its whole budget again', (s) => {
  const fs = ready(s, { tools: reading, budget: 1 });
  s.timing({ provenStableMs: 200 });
  for (let i = 0; i < 2; i++) {
    s.run(300);
    s.kill(fs);
    s.reaches(fs, 'ready');
  }
  s.expect.processes(fs, { started: 3, alive: 1 });
});

scenario('a server rests without auto_connect until it is started, and a stop brings it to rest', (s) => {
  const fs = ready(s, { tools: { read: { takes: 5_000 } }, autoStart: false });
  s.expect(fs).visits('idle');
  s.expect.stages('computer', 'whole');
  s.start(fs);
  s.reaches(fs, 'ready');
  const call = s.call('read');
  s.stop(fs);
  s.expect(s.settled(call)).settles('unknown', { end: 'cancelled' });
  s.reaches(fs, 'idle');
  s.expect(fs).visits('idle', 'connecting', 'ready', 'closing', 'idle');
  s.expect.processes(fs, { started: 1, alive: 0 });
});

scenario('a call whose stream broke is unknown as soon as it times out or is cancelled', (s) => {
  const fs = ready(s, { tools: { read: { takes: 5_000 }, end: {} } });
  s.fault(fs, 'proc.stdoutClosed', { tool: 'end' });
  s.timing({ exitGraceMs: 800 });
  const [timed, cancelled] = [s.call('read', { timeoutMs: 500 }), s.call('read')];
  s.call('end');
  s.reaches(fs, 'recovering');
  s.cancel(cancelled);
  s.settled(cancelled, timed);
  s.expect(cancelled).settles('unknown', { end: 'unknown' });
  s.expect(timed).settles('unknown', { end: 'unknown', at: 500 });
});

scenario('a tool that announces a change of tools has them fetched again', (s) => {
  const fs = ready(s, { tools: { change: { changes: true } } });
  const call = s.settled(s.call('change'));
  s.asked(fs, 'tools/list', 2);
  s.expect(call).settles('succeeded');
  s.expect.tools('+change');
});

scenario('a start by hand ends the waiting of a server whose circuit is open, with its whole budget', (s) => {
  const fs = ready(s, { tools: { read: {} }, faults: [{ fault: 'life.initError' }] });
  s.timing({ backoffMs: 20, longestBackoffMs: 20 });
  s.expect.processes(fs, { started: 6, alive: 0 });
  s.start(fs);
  s.reaches(fs, 'open');
  s.expect.processes(fs, { started: 12, alive: 0 });
});

scenario('a lazy server that nobody calls rests again, its tools stay, and the next call starts it', (s) => {
  const fs = ready(s, { tools: { read: {} }, isLazy: true });
  s.timing({ idleStopMs: 400 });
  s.reaches(fs, 'standby');
  for (const started of [2, 3]) {
    s.expect(s.settled(s.call('read'))).settles('succeeded');
    s.expect.processes(fs, { started, alive: 1 });
    s.reaches(fs, 'standby');
  }
  s.expect.processes(fs, { started: 3, alive: 0 });
});

scenario('a call that runs longer than the idle time keeps its server', (s) => {
  const fs = ready(s, { tools: { read: { takes: 1_500 } }, isLazy: true });
  s.timing({ idleStopMs: 400 });
  s.expect(s.settled(s.call('read'))).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready');
  s.reaches(fs, 'standby');
  s.expect.processes(fs, { started: 1, alive: 0 });
});

scenario('a server without a process is connected, serves and is left', (s) => {
  const fs = ready(s, { tools: { read: { takes: 10 } }, isRemote: true });
  s.expect(s.settled(s.call('read'))).settles('succeeded');
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).visits('connecting', 'ready', 'closing', 'idle');
  s.expect.processes(fs, { started: 0, failed: 0 });
});
