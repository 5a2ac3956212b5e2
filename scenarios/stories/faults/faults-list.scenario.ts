import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const tools = { read: {}, write: {} };

scenario('a tool that vanishes and comes back is told both times, and in between it is not there', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'list.flap', everyMs: 400, times: 1, tool: 'write' }] });
  s.office();
  s.settled(s.call('write'));
  s.heard('computer', 'tools.changed', 2);
  s.expect(s.settled(s.call('read'))).settles('failed', { code: 4001 });
  s.heard('computer', 'tools.changed', 3);
  s.run(200);
  s.expect.tools('+read', '+write', '-read', '+read');
  s.expect(fs).requests('tools/list', 3);
});

scenario('a list in pages is one list', (s) => {
  const fs = ready(s, { tools: { ...tools, find: {} }, faults: [{ fault: 'list.pages', n: 2 }] });
  s.expect.tools('+read', '+write', '+find');
  s.expect(fs).requests('tools/list', 1);
});

scenario('a list one page of which fails leaves everything as it was, and is asked for again', (s) => {
  const fs = ready(s, { tools });
  s.fault(fs, 'notify.lie', { times: 1 });
  s.fault(fs, 'list.pageError', { from: 2, times: 1 });
  s.timing({ relistMs: 100 });
  s.settled(s.call('read'));
  s.asked(fs, 'tools/list', 3);
  s.run(100);
  s.expect(fs).requests('tools/list', 3);
  s.expect.tools('+read', '+write');
  s.expect.heard('computer', 'catalog.changed', 1);
});

scenario('a list one page of which comes again and again ends there', (s) => {
  const fs = ready(s, { tools, faults: [{ fault: 'list.cursorLoop', repeats: true }] });
  s.expect(fs).visits('connecting', 'ready');
  s.expect(fs).requests('tools/list', 1);
  s.expect.tools('+read', '+write');
});

scenario('a first list of ever new pages is given up at once, and a call says why', (s) => {
  const fs = s.server('fs', { tools });
  s.fault(fs, 'list.cursorLoop', { repeats: false });
  // This number of pages takes time on a busy machine.
  s.timing({ listMs: 60_000 });
  s.heard('computer', 'client.changed', 3);
  const call = s.settled(s.call('read'));
  s.run(10_000);
  s.expect(fs).visits('connecting', 'recovering', 'open');
  s.expect(fs).says('has more than 500 pages');
  s.expect(fs).requests('tools/list', 1);
  s.expect(call).settles('failed', { code: 4001 });
});

scenario('a tool by the name of another server is refused, and the rest of its server is offered', (s) => {
  const fs = s.server('fs', { tools: { read: { answers: { content: [{ type: 'text', text: 'mine' }] } } } });
  const db = s.server('db', { tools: { query: {} } });
  s.fault(db, 'list.nameClash', { name: 'read' });
  s.ready();
  const call = s.settled(s.call('read'));
  s.expect(call).settles('succeeded', { result: { content: [{ text: 'mine' }] } });
  s.expect(fs).requests('tools/call', 1);
  s.config(db);
  s.heard('computer', 'server.removed');
  s.expect(s.settled(s.call('read'))).settles('succeeded', { result: { content: [{ text: 'read' }] } });
  s.expect(db).requests('tools/call', 1);
  s.differs('which of two servers is the first to list its tools is open', ['heard']);
});

scenario('a list that was asked for while its server died has not failed, and is offered as it was', (s) => {
  const fs = ready(s, { tools, refreshFailures: 1, budget: 6 });
  s.fault(fs, 'rpc.late', { when: 'list', ms: 500, from: 2 });
  s.timing({ pollMs: 2_000, pollDeclaredMs: 2_000 });
  s.run(2_200);
  s.expect(fs).requests('tools/list', 2);
  s.kill(fs, 'SIGKILL');
  s.run(1_500);
  s.expect.heard('computer', 'catalog.changed', 1);
});
