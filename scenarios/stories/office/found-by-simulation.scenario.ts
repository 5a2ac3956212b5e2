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
