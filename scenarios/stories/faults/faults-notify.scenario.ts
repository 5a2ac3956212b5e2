import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: {} };
/** Default of hosts in ms. */
const usual = { quietMs: 200, longestQuietMs: 2_000 };

scenario('200 changes told within 50 ms: at most two questions, and the last one is told, once', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'notify.burst', when: 'call', times: 1 }] });
  s.office();
  s.timing(usual);
  s.settled(s.call('read'));
  s.heard('computer', 'tools.changed', 2);
  s.run(500);
  s.expect(fs).requestsAtMost('tools/list', 3);
  s.expect.tools('+read', '+fs.new200');
  s.expect(s.settled(s.call('fs.new200'))).settles('succeeded');
  s.differs('a busy machine may write a burst in two', ['requests']);
});

scenario('a server that tells of changes without end is asked now and then, and nothing is told', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'notify.storm', everyMs: 5 }] });
  s.office();
  s.run(900);
  s.expect(fs).requestsAtMost('tools/list', 6);
  s.expect.tools('+read');
  s.expect.heard('computer', 'catalog.changed', 1);
  s.differs('how often it is asked depends on when it answers', ['requests']);
});

scenario('a server that tells of a change whenever it is asked is asked ever less often', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'notify.lie', when: 'list' }] });
  s.timing({ quietMs: 100, longestQuietMs: 1_600 });
  s.run(6_400);
  // The list is requested after 100, 200, 400, 800, 1600, 1600 … ms.
  s.expect(fs).requestsAtMost('tools/list', 8);
  s.expect.heard('computer', 'catalog.changed', 1);
  s.differs('how often it is asked depends on when it answers', ['requests']);
});

scenario('a server with other tools at each question is asked ever less often; its host told once', (s) => {
  const fs = ready(s, { tools });
  s.fault(fs, 'notify.burst', { when: 'list', n: 1, withinMs: 1, times: 8 });
  s.timing({ quietMs: 50, longestQuietMs: 200, pollMs: 800 });
  // The list is requested after 50, 100, 200, 400, 800, 800 … ms.
  s.run(3_200);
  s.expect(fs).requestsAtMost('tools/list', 8);
  s.expect.heard('computer', 'list.restless', 1);
  s.heard('computer', 'list.restless', 2);
  s.run(1_000);
  s.fault(fs, 'notify.burst', { when: 'call', n: 1, withinMs: 1, times: 1 });
  s.settled(s.call('read'));
  s.run(150);
  s.expect.heard('computer', 'tools.changed', 9);
  s.differs('how often it is asked depends on when it answers', ['requests', 'heard']);
});

scenario('an office is told of tools that change one after another, without a quiet moment', (s) => {
  const servers = Array.from({ length: 20 }, (_, n) => s.server(`s${n}`, { tools: { [`t${n}`]: {} } }));
  for (const [n, server] of servers.entries())
    s.fault(server, 'notify.burst', { when: 'ready', afterMs: 2_000 + n * 15, n: 1, withinMs: 1, times: 1 });
  s.office();
  s.ready();
  s.virtualOnly('no real moment is that exact');
  s.run(4_000);
  s.expect.heard('agent', 'view.toolsChanged', 3);
});

scenario('a notice of a list that a server does not have leads to nothing', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'notify.lie', list: 'resources' }] });
  s.settled(s.call('read'));
  s.run(200);
  s.expect(fs).requests('tools/list', 1);
  s.expect(fs).requests('resources/list', 0);
});

for (const [what, onlyContent, news] of [
  ['another tool', false, ['+read', '+fs.new1']],
  ['another description', true, ['+read', '~read']],
] as const)
  scenario(`${what} that a server has without saying so is found by the next look, and told`, (s) => {
    ready(s, { tools, faults: [{ fault: 'notify.silentChange', times: 1, onlyContent }] });
    s.timing({ pollDeclaredMs: 300 });
    s.settled(s.call('read'));
    s.heard('computer', 'tools.changed', 2);
    s.expect.tools(...news);
    s.expect.heard('computer', 'catalog.changed', 2);
    s.differs('how often it is looked at until then', ['requests']);
  });

scenario('what changes while the looks fail is found by the first that does not', (s) => {
  const fs = ready(s, { tools });
  s.fault(fs, 'notify.silentChange', { when: 'ready', afterMs: 100 });
  s.fault(fs, 'rpc.error', { when: 'list', from: 2 });
  s.timing({ pollDeclaredMs: 1_000, relistMs: 1_000 });
  s.run(20_000);
  s.expect.tools('+read', '-read');
  s.clearFaults();
  s.virtualOnly('nobody knows when a real system is quiescent');
  s.quiescent();
  s.expect.tools('+read', '-read', '+read', '+fs.new1');
});

for (const when of ['initialize', 'start'] as const)
  scenario(`a notice before the handshake is done (${when}) is no reason to ask twice`, (s) => {
    const fs = ready(s, { tools, faults: [{ fault: 'notify.early', when }] });
    s.run(200);
    s.expect(fs).requests('tools/list', 1);
    s.expect.tools('+read');
  });
