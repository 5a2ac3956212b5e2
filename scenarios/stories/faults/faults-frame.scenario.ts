/** Above the frames most of it has to stay invisible. */
import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: { takes: 10 } };

const slowReader = { ms: 400, when: 'call', times: 1 };
for (const [what, word, options] of [
  ['messages that leave in slices of seven bytes are messages', 'frame.slicer', { n: 7 }],
  ['messages that leave together in one write are messages', 'frame.coalesce', { ms: 30 }],
  ['messages that end with CR LF are messages', 'frame.crlf', {}],
  ['messages that come after a greeting on stdout are messages', 'frame.bannerOnStdout', {}],
  ['a line that is no message is passed over', 'frame.garbageLine', { text: '{"half":' }],
  ['an enormous message that answers nobody is not kept, and calls go on', 'frame.oversize', { times: 1 }],
  ['a server that reads nothing for a while answers afterwards', 'frame.backpressure', slowReader],
  ['a server that writes a megabyte to stderr at once works on', 'proc.stderrFlood', { when: 'call' }],
  ['an initialize that is answered three times counts once', 'rpc.duplicate', { n: 3, when: 'initialize' }],
  ['a list that is answered three times counts once', 'rpc.duplicate', { n: 3, when: 'list' }],
  ['a call that is answered three times counts once', 'rpc.duplicate', { n: 3, when: 'call' }],
] as const)
  scenario(what, (s) => {
    const fs = ready(s, { tools });
    s.fault(fs, word, options);
    const calls = [s.call('read'), s.call('read')];
    s.settled(...calls);
    s.run(50);
    for (const call of calls) s.expect(call).settles('succeeded');
    s.expect(fs).visits('connecting', 'ready');
  });

scenario('a server that dies in the middle of its answer: the call is unknown, and says how it died', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'frame.partialThenDie', code: 6 }] });
  s.later(fs, 2);
  s.expect(s.settled(s.call('read'))).settles('unknown', { code: 'ServerLost', says: 'exit code 6' });
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
  s.expect(fs).signals();
});

scenario('a server that dies in the middle of its first list is tried again', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'frame.partialThenDie', code: 6, when: 'list' }] });
  s.later(fs, 2);
  s.expect(fs).visits('connecting', 'recovering', 'waiting', 'connecting', 'ready');
});

scenario('an answer with bytes that are not UTF-8 is an answer, with marks in their place', (s) => {
  ready(s, { tools, faults: [{ fault: 'frame.invalidUtf8' }] });
  s.expect(s.settled(s.call('read'))).settles('succeeded');
});

scenario('a server that closes its input is lost at the next call, and ended by a signal', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'frame.epipe', afterMs: 50 }] });
  s.later(fs, 2);
  s.timing({ stdinGraceMs: 200 });
  s.run(300);
  s.expect(s.settled(s.call('read'))).settles('unknown', { code: 'ServerLost' });
  s.reaches(fs, 'ready');
  s.expect(fs).signals('stdin', 'SIGTERM');
  s.expect.processes(fs, { started: 2, alive: 1 });
});

scenario('a server that never reads again does not see its input end, and is ended by a signal', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'frame.backpressure', ms: 0, when: 'call', times: 1 }] });
  s.timing({ stdinGraceMs: 200 });
  s.settled(s.call('read'));
  s.expect(s.settled(s.call('read', { timeoutMs: 200 }))).settles('unknown', { end: 'timedOut' });
  s.stop(fs);
  s.reaches(fs, 'idle');
  s.expect(fs).signals('stdin', 'SIGTERM@200');
});
