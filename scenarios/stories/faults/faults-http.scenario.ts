import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const remote = { isRemote: true, tools: { read: { takes: 10 } } } as const;
const twoTools = { read: { takes: 10 }, slow: { takes: 30_000 } };

scenario('a forgotten session is opened again, once; the call that met it is sent once more', (s) => {
  const fs = ready(s, { ...remote, faults: [{ fault: 'net.sessionGone' }] });
  s.later(fs, 2);
  const call = s.settled(s.call('read'));
  s.expect(call).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready', 'connecting', 'ready');
  s.expect(fs).requests('initialize', 2);
  s.expect(fs).requests('tools/list', 2);
  s.expect(fs).requests('tools/call', 2);
  s.expect.tools('+read');
});

scenario('a call in flight when its session is forgotten is unknown at once, and is not sent again', (s) => {
  const fs = ready(s, {
    isRemote: true,
    tools: twoTools,
    faults: [{ fault: 'net.sessionGone', tool: 'read', afterMs: 200 }],
  });
  s.later(fs, 2);
  const slow = s.call('slow', { timeoutMs: 0 });
  const call = s.call('read');
  s.settled(call, slow);
  s.expect(call).settles('succeeded');
  s.expect(slow).settles('unknown', { code: 'ServerLost' });
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'connecting', 'ready');
  s.expect(fs).requests('tools/call', 2);
  s.expect(fs).requests('tools/list', 2);
});

scenario('a session forgotten before its first list is opened again, and the next time with a pause', (s) => {
  const fs = ready(s, { ...remote, faults: [{ fault: 'net.sessionGone', when: 'list' }] });
  s.later(fs, 3);
  s.expect(fs).visits('connecting', 'waiting', 'connecting', 'ready');
  s.expect(fs).requests('initialize', 3);
});

scenario('a server that wants a login is asked once, and says what to do', (s) => {
  const fs = ready(s, {
    ...remote,
    faults: [{ fault: 'net.httpStatus', when: 'initialize', status: 401 }],
  });
  s.timing({ trialMs: 200 });
  s.run(1_000);
  s.expect(fs).says('wants a login');
  s.expect(fs).visits('connecting', 'recovering', 'authorizing', 'unauthorized');
  s.expect(fs).requests('initialize', 1);
});

scenario('a login no longer good fails the call; another is asked for, and nothing else tried', (s) => {
  const refuses = (when: 'call' | 'initialize') => ({ fault: 'net.httpStatus', when, status: 401 });
  const fs = ready(s, { ...remote, faults: [refuses('call')] });
  s.later(fs, 2, { faults: [refuses('initialize')] });
  const call = s.settled(s.call('read'));
  s.expect(call).settles('failed', { code: 'Unauthorized', says: 'HTTP 401' });
  s.reaches(fs, 'unauthorized');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'authorizing', 'unauthorized');
  s.expect(fs).requests('initialize', 1);
  s.expect(fs).requests('tools/call', 1);
  s.start(fs);
  s.reaches(fs, 'unauthorized');
  s.expect(fs).requests('initialize', 2);
});

scenario('what a server refuses, or a gateway before it, ends the one call and not its session', (s) => {
  const statuses = { t403: 403, t429: 429, t500: 500, t502: 502 };
  const fs = ready(s, {
    isRemote: true,
    tools: { ...Object.fromEntries(Object.keys(statuses).map((tool) => [tool, {}])), read: {} },
    faults: Object.entries(statuses).map(([tool, status]) => ({ fault: 'net.httpStatus', tool, status })),
  });
  const [denied, tooMany] = [s.call('t403', { timeoutMs: 0 }), s.call('t429', { timeoutMs: 0 })];
  const [broken, gateway] = [s.call('t500', { timeoutMs: 0 }), s.call('t502', { timeoutMs: 0 })];
  const call = s.call('read');
  s.settled(denied, tooMany, broken, gateway, call);
  s.expect(denied).settles('failed', { code: 'AccessDenied', says: 'HTTP 403' });
  s.expect(tooMany).settles('failed', { says: 'HTTP 429' });
  s.expect(broken).settles('failed', { says: 'HTTP 500' });
  s.expect(gateway).settles('unknown', { says: 'HTTP 502' });
  s.expect(call).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready');
});

scenario('an answer that breaks off is unknown at once; where it can be taken up again it comes', (s) => {
  const fs = ready(s, {
    isRemote: true,
    tools: { cut: {}, taken: {}, reset: {}, slow: {} },
    faults: [
      { fault: 'net.sseCut', tool: 'cut', bytes: 20 },
      { fault: 'net.sseCut', tool: 'taken', bytes: 20, resumes: true },
      { fault: 'net.reset', tool: 'reset' },
      { fault: 'net.slow', tool: 'slow', ms: 200 },
    ],
  });
  const cut = s.call('cut', { timeoutMs: 0 });
  const taken = s.call('taken', { timeoutMs: 0 });
  const reset = s.call('reset', { timeoutMs: 0 });
  const slow = s.call('slow', { timeoutMs: 0 });
  s.settled(cut, taken, reset, slow);
  s.expect(cut).settles('unknown', { code: 'ServerLost', says: 'broke off its answer', at: 1 });
  s.expect(taken).settles('succeeded', { at: 101 });
  s.expect(reset).settles('unknown', { code: 'ServerLost', says: 'broke off its answer', at: 1 });
  s.expect(slow).settles('succeeded', { at: 201 });
  s.expect(fs).visits('connecting', 'ready');
});

scenario('a server that takes a call and never answers has its time and a cancel; its session lives', (s) => {
  const fs = ready(s, { ...remote, faults: [{ fault: 'net.hang', times: 2 }] });
  const call = s.call('read', { timeoutMs: 300 });
  const other = s.call('read', { timeoutMs: 0 });
  s.settled(call);
  s.cancel(other);
  s.settled(other);
  s.expect(call).settles('unknown', { end: 'timedOut' });
  s.expect(other).settles('unknown', { end: 'cancelled' });
  s.expect(fs).requests('notifications/cancelled', 2);
  s.expect(s.settled(s.call('read'))).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready');
});

scenario('a server that is away for a moment and remembers its sessions goes on with the same one', (s) => {
  const fs = ready(s, {
    ...remote,
    faults: [{ fault: 'net.serverDown', ms: 150, forgets: false, times: 1 }],
  });
  s.settled(s.call('read', { timeoutMs: 0 }));
  s.run(500);
  s.expect(s.settled(s.call('read'))).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready');
});

scenario('a server that is away for longer is lost, and tried again after a pause', (s) => {
  const fs = ready(s, { ...remote, faults: [{ fault: 'net.serverDown', ms: 5_000 }] });
  s.later(fs, 2);
  s.timing({ backoffMs: 5_000, longestBackoffMs: 5_000 });
  s.settled(s.call('read', { timeoutMs: 0 }));
  s.reaches(fs, 'waiting');
  s.expect(fs).says('nobody listens there');
  s.reaches(fs, 'ready');
  s.expect(fs).visits('connecting', 'ready', 'recovering', 'waiting', 'connecting', 'ready');
});

scenario('what was watched in a forgotten session is subscribed in the next, its lists asked for', (s) => {
  const fs = ready(s, {
    ...remote,
    resources: ['note://1', 'note://2'],
    faults: [{ fault: 'net.sessionGone' }],
  });
  s.later(fs, 2);
  s.watch(fs, 'note://2');
  s.asked(fs, 'resources/subscribe');
  s.settled(s.call('read'));
  s.reaches(fs, 'ready');
  s.asked(fs, 'resources/subscribe', 2);
  s.expect(fs).requests('resources/list', 2);
  s.expect(fs).requests('tools/list', 2);
});

scenario('a list that is refused to this login again and again is offered no more; its server stays', (s) => {
  const fs = ready(s, {
    isRemote: true,
    tools: { read: { changes: true } },
    refreshFailures: 2,
    faults: [{ fault: 'net.httpStatus', when: 'list', status: 403, from: 2 }],
  });
  s.timing({ relistMs: 100 });
  s.settled(s.call('read'));
  s.heard('computer', 'tools.changed', 2);
  s.expect.tools('+read', '-read');
  s.expect(fs).is('ready');
  s.differs('how often a list is tried again depends on how busy this machine is', ['requests']);
});
