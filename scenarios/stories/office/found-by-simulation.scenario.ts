/** Each is shrunk, with the invariant that detected it. */
import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: { changes: true } };

// Invariant: an announced change is fetched.
scenario('a change told while tools are fetched is fetched, though that fetch is never answered', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'rpc.never', when: 'list', from: 2, times: 1 }] });
  s.timing({ listMs: 500 });
  s.settled(s.call('read'));
  s.asked(fs, 'tools/list', 2);
  s.settled(s.call('read'));
  s.asked(fs, 'tools/list', 3);
  s.clearFaults();
  s.virtualOnly('nobody knows when a real system is quiescent');
  s.quiescent();
});

scenario('a change told while tools are fetched is fetched, though that fetch fails', (s) => {
  const fs = ready(s, {
    tools,
    faults: [{ fault: 'rpc.error', when: 'list', from: 2, times: 1, afterMs: 300 }],
  });
  s.settled(s.call('read'));
  s.asked(fs, 'tools/list', 2);
  s.settled(s.call('read'));
  s.asked(fs, 'tools/list', 3);
  s.run(100);
  s.expect(fs).requests('tools/list', 3);
});

// Invariant: a server that is wanted is ready, or rests with a reason.
scenario('a server that failed, was ready, and is put back with a spent budget says how it failed', (s) => {
  const fs = s.server('fs', { tools, faults: [{ fault: 'proc.exit', when: 'list', code: 3 }] });
  s.later(fs, 2);
  s.ready();
  s.config();
  s.config([fs, { budget: 1 }]);
  s.reaches(fs, 'open');
  s.clearFaults();
  s.virtualOnly('nobody knows when a real system is quiescent');
  s.quiescent();
  s.expect(fs).says('exit code 3');
});

scenario('windows of a forgotten session are read again in the next one, and told to have changed', (s) => {
  const a = s.server('a', { isRemote: true, tools: { go: {} }, resources: ['window://a/1'] });
  s.fault(a, 'resource.change', { times: 1 });
  s.fault(a, 'net.sessionGone', { from: 2, times: 1 });
  s.ready();
  s.asked(a, 'resources/subscribe', 1);
  s.run(300);
  s.settled(s.call('go'));
  s.run(300);
  const changed = s.shown(s.show('desktop'));
  s.expect(changed).shows({ texts: ['window://a/1, after change 1'] });
  s.settled(s.call('go'));
  s.asked(a, 'resources/subscribe', 2);
  s.run(300);
  s.expect(s.shown(s.show('desktop'))).shows({ texts: ['window://a/1, after change 1'], missing: [] });
  s.expect.heard('computer', 'aggregate.changed', 4);
});

// Found without an invariant: a server was asked for one window thousands of times for one question.
scenario('a window that changes whenever it is read is read once for each question', (s) => {
  const a = s.server('a', { tools: { go: {} }, resources: ['window://a/1'] });
  s.fault(a, 'resource.lie', { when: 'read' });
  s.ready();
  s.asked(a, 'resources/subscribe', 1);
  s.run(100);
  s.shown(s.show('desktop'));
  s.expect(a).requests('resources/read', 1);
  s.shown(s.show('desktop'));
  s.expect(a).requests('resources/read', 2);
});

scenario('a new document beneath a listed catalogue is followed, once its server tells of it', (s) => {
  const s1 = s.server('s1', { resources: ['dpe://s1'] });
  s.fault(s1, 'resource.renew', { when: 'read', by: 'update', times: 1 });
  s.ready();
  s.asked(s1, 'resources/subscribe');
  s.shown(s.show('finder'));
  s.asked(s1, 'resources/list', 2);
  s.asked(s1, 'resources/subscribe', 2);
});

// Invariant: resources of a machine are bounded, and released at its end; a ping may come beside a question.
scenario('a server is pinged while somebody is asked for its values again, and has them then', (s) => {
  const fs = s.server('fs', { tools: { go: {} } });
  s.timing({ pingEveryMs: 100 });
  s.ready();
  s.values(fs, 1, 2_000);
  s.config([fs, { values: 1 }]);
  s.asked(fs, 'ping', 3);
  s.settled(s.call('go'));
  s.expect(fs).launches(1);
  s.reaches(fs, 'connecting');
  s.reaches(fs, 'ready');
  s.expect(fs).launches(1, 1_001);
  s.differs('how often it is pinged depends on how long its start takes', ['requests']);
});

scenario('a window that changes while an answer waits for another server is told, and in the next', (s) => {
  s.differs('how often a change is told depends on when it falls between two readings', ['heard']);
  const a = s.server('a', { tools: { go: {} }, resources: ['window://a/1', 'window://a/2'] });
  const b = s.server('b', { tools: { hang: {} }, resources: ['window://b/1'] });
  s.fault(a, 'resource.change', { n: 2, everyMs: 400 });
  s.fault(b, 'resource.change');
  s.fault(b, 'rpc.never', { when: 'read', from: 2 });
  s.timing({ aggregateMs: 1_000 });
  s.ready();
  s.asked(a, 'resources/subscribe', 2);
  s.asked(b, 'resources/subscribe');
  s.run(100);
  s.shown(s.show('desktop'));
  s.settled(s.call('hang'));
  s.settled(s.call('go'));
  s.run(200);
  const late = s.shown(s.show('desktop'));
  s.expect(late).shows({
    texts: ['window://a/1, after change 1', 'window://a/2, after change 0', 'window://b/1, after change 0'],
    missing: ['b'],
  });
  s.expect(a).requests('resources/read', 3);
  const next = s.shown(s.show('desktop'));
  s.expect(next).shows({
    texts: ['window://a/1, after change 1', 'window://a/2, after change 1', 'window://b/1, after change 0'],
    missing: ['b'],
  });
});
