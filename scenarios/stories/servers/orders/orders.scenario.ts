import { scenario, type CallRef, type Scene, type ServerRef } from '../../../stage/plan/index.ts';
import type { Stage as Told } from '../../../stage/plan/plan.ts';
import { ready } from '../../one-server.ts';

const refusedAs = (s: Scene, fs: ServerRef, state: Told): CallRef => {
  const call = s.settled(s.call('read'));
  s.expect(call).settles('failed', { end: 'failed', code: 'ServerNotActive', details: { state }, at: 0 });
  s.expect(fs).requests('tools/call', 0);
  return call;
};

const caught: Readonly<
  Record<
    string,
    { readonly again: object; readonly meet: (s: Scene, fs: ServerRef) => void; readonly shown: Told }
  >
> = {
  handshaking: {
    again: { faults: [{ fault: 'life.initSlow', ms: 3_000 }] },
    meet: (s, fs) => s.asked(fs, 'initialize', 2),
    shown: 'connecting',
  },
  listing: {
    again: { faults: [{ fault: 'rpc.late', when: 'list', ms: 3_000 }] },
    meet: (s, fs) => s.asked(fs, 'tools/list', 2),
    shown: 'connecting',
  },
  recovering: {
    again: { faults: [{ fault: 'life.initError' }, { fault: 'proc.ignoreStdinClose' }] },
    meet: (s, fs) => {
      s.reaches(fs, 'connecting');
      s.reaches(fs, 'recovering');
    },
    shown: 'recovering',
  },
  waiting: { again: {}, meet: (s, fs) => s.reaches(fs, 'waiting'), shown: 'waiting' },
};
for (const [state, { again, meet, shown }] of Object.entries(caught)) {
  const caughtIn = (s: Scene): ServerRef => {
    const fs = s.server('fs', { tools: { read: {} } });
    s.later(fs, 2, again);
    const backoffMs = shown === 'connecting' ? 100 : 4_000;
    s.timing({ stdinGraceMs: 400, backoffMs, longestBackoffMs: 4_000 });
    s.ready();
    s.kill(fs);
    meet(s, fs);
    return fs;
  };
  if (shown === 'connecting')
    scenario(`a call to a server that is ${state} waits for it`, (s) => {
      const fs = caughtIn(s);
      const call = s.settled(s.call('read'));
      s.expect(call).settles('succeeded');
      s.expect(fs).requests('tools/call', 1);
    });
  else
    scenario(`a call to a server that is ${state} is refused and names that state`, (s) => {
      refusedAs(s, caughtIn(s), shown);
    });
  scenario(`a server that is stopped while ${state} comes to rest and is not tried again`, (s) => {
    const fs = caughtIn(s);
    s.stop(fs);
    s.reaches(fs, 'idle');
    s.run(200);
    s.expect(fs).is('idle');
    s.expect.processes(fs, { started: state === 'waiting' ? 1 : 2, alive: 0 });
    refusedAs(s, fs, 'idle');
  });
  scenario(`a server that is closed while ${state} ends, and its computer with it`, (s) => {
    const fs = caughtIn(s);
    s.close();
    s.ended();
    s.expect.processes(fs, { alive: 0 });
  });
}

scenario('a server that waits for its next try is tried at once when it is started by hand', (s) => {
  const fs = ready(s, { tools: { read: {} } });
  s.timing({ backoffMs: 60_000 });
  s.kill(fs);
  s.reaches(fs, 'waiting');
  s.start(fs);
  s.reaches(fs, 'ready');
  s.expect.processes(fs, { started: 2, alive: 1 });
});

scenario('a server that has given up is named open to a caller, and a stop brings it to rest', (s) => {
  const fs = ready(s, { tools: { read: {} }, restart: false });
  s.fault(fs, 'proc.exit', { when: 'ready', code: 3, afterMs: 400 });
  s.reaches(fs, 'open');
  s.expect.stages('computer', 'whole', 'degraded');
  refusedAs(s, fs, 'open');
  s.expect(fs).says("Server 'fs' ended with exit code 3");
  s.stop(fs);
  s.reaches(fs, 'idle');
});

scenario('a call while its server is stopped is refused; a close meanwhile keeps to the ladder', (s) => {
  const fs = ready(s, { tools: { read: {} }, faults: [{ fault: 'proc.ignoreStdinClose' }] });
  s.timing({ stdinGraceMs: 500 });
  s.stop(fs);
  s.signalled(fs, 'stdin');
  refusedAs(s, fs, 'closing');
  s.run(100);
  s.close();
  s.ended();
  s.expect(fs).signals('stdin', 'SIGTERM@500');
});

scenario('calls before a far try are refused while a broken stream waits for the end of a process', (s) => {
  const fs = ready(s, { tools: { read: {} } });
  s.fault(fs, 'proc.stdoutClosed', { when: 'ready', afterMs: 400 });
  s.timing({ exitGraceMs: 5_000, backoffMs: 4_000, longestBackoffMs: 4_000 });
  s.reaches(fs, 'recovering');
  refusedAs(s, fs, 'recovering');
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin');
  s.expect.processes(fs, { started: 1, alive: 0 });
});

scenario('a start of a server that is ready, and orders to one not configured, change nothing', (s) => {
  const fs = ready(s, { tools: { read: {} } });
  s.start(fs);
  s.start({ server: 'nobody' });
  s.stop({ server: 'nobody' });
  s.run(100);
  s.expect(fs).visits('connecting', 'ready');
  s.expect.processes(fs, { started: 1, alive: 1 });
});

scenario('a stop lets running calls end and takes no new ones, then the server goes down', (s) => {
  const fs = ready(s, { tools: { read: { takes: 300 } } });
  s.timing({ drainMs: 5_000 });
  const call = s.call('read');
  s.asked(fs, 'tools/call');
  s.stop(fs);
  const late = s.settled(s.call('read'));
  s.expect(late).settles('failed', { code: 'ServerNotActive', details: { state: 'closing' } });
  s.expect(call).waits();
  s.expect(fs).signals();
  s.expect(s.settled(call)).settles('succeeded');
  s.reaches(fs, 'idle');
  s.expect(fs).visits('connecting', 'ready', 'closing', 'idle');
  s.expect(fs).signals('stdin');
});

scenario('a call that does not end within the drain time is cancelled, then its server goes down', (s) => {
  const fs = ready(s, { tools: { hang: { takes: 60_000 } } });
  s.timing({ drainMs: 400 });
  const call = s.call('hang');
  s.asked(fs, 'tools/call');
  s.stop(fs);
  s.expect(s.settled(call)).settles('unknown', { end: 'cancelled', at: 400 });
  s.expect(fs).requests('notifications/cancelled', 1);
  s.reaches(fs, 'idle');
});

scenario('each stop more takes the next step down at once: cancel, stdin, SIGTERM, SIGKILL', (s) => {
  const fs = s.server('fs', { tools: { hang: { takes: 60_000 } } });
  for (const word of ['proc.ignoreStdinClose', 'proc.ignoreSigterm']) s.fault(fs, word);
  s.timing({ drainMs: 5_000 });
  s.ready();
  const call = s.call('hang');
  s.asked(fs, 'tools/call');
  s.stop(fs);
  s.expect(call).waits();
  s.stop(fs);
  s.expect(s.settled(call)).settles('unknown', { end: 'cancelled', at: 0 });
  for (const signal of ['stdin', 'SIGTERM', 'SIGKILL']) {
    s.signalled(fs, signal);
    s.stop(fs);
  }
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin', 'SIGTERM@0', 'SIGKILL@0');
  s.expect.processes(fs, { started: 1, alive: 0 });
});

scenario('a start while calls finish brings the server back afterwards; a stop takes that back', (s) => {
  const fs = ready(s, { tools: { read: { takes: 300 } } });
  s.timing({ drainMs: 5_000 });
  const first = s.call('read');
  s.asked(fs, 'tools/call');
  s.restart(fs);
  s.reaches(fs, 'ready');
  s.expect(first).settles('succeeded');
  s.expect.processes(fs, { started: 2, alive: 1 });
  const second = s.call('read');
  s.asked(fs, 'tools/call', 2);
  s.restart(fs);
  s.stop(fs);
  s.expect(second).waits();
  s.reaches(fs, 'idle');
  s.expect(second).settles('succeeded');
  s.run(200);
  s.expect.processes(fs, { started: 2, alive: 0 });
  s.expect(fs).is('idle');
});

scenario('two starts while a server is being stopped start it once', (s) => {
  const fs = ready(s, { tools: { read: {} } });
  s.restart(fs);
  s.start(fs);
  s.reaches(fs, 'ready');
  s.run(200);
  s.expect(fs).visits('connecting', 'ready', 'closing', 'connecting', 'ready');
  s.expect.processes(fs, { started: 2, alive: 1 });
});

scenario('a server that is being closed is neither started nor stopped any more', (s) => {
  const fs = ready(s, { tools: { read: {} }, faults: [{ fault: 'proc.ignoreStdinClose' }] });
  s.timing({ stdinGraceMs: 400 });
  s.close();
  s.signalled(fs, 'stdin');
  s.start(fs);
  s.stop(fs);
  s.ended();
  s.expect(fs).visits('connecting', 'ready', 'closing');
  s.expect(fs).signals('stdin', 'SIGTERM@400');
  s.expect.processes(fs, { started: 1, alive: 0 });
});

const reading = { read: { takes: 5_000 } };

scenario('a start while a failed server is cleaned up needs no budget', (s) => {
  const fs = ready(s, { tools: reading, restart: false });
  s.fault(fs, 'proc.zombieGrandchild', { ignoresSigterm: true });
  s.timing({ termGraceMs: 300 });
  s.kill(fs);
  s.signalled(fs, 'SIGTERM');
  s.start(fs);
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'connecting', 'ready');
});
