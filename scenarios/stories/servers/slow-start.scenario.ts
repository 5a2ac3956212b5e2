import { scenario, type Scene, type ServerRef } from '../../stage/plan/index.ts';

const slow = (s: Scene, ms: number, tools: object = { read: {} }): ServerRef => {
  const fs = s.server('fs', { tools: { ...tools } });
  s.fault(fs, 'life.initSlow', { ms });
  return fs;
};

scenario('a call of a tool that nobody has yet waits for the servers that start', (s) => {
  const fs = slow(s, 2_000);
  const call = s.settled(s.call('read'));
  s.expect(call).settles('succeeded');
  s.expect(fs).visits('connecting', 'ready');
  s.expect(fs).requests('tools/call', 1);
});

scenario('a call that waits for servers longer than it may names those that still start', (s) => {
  const fs = slow(s, 4_000);
  const call = s.settled(s.call('read', { timeoutMs: 500 }));
  s.expect(call).settles('failed', {
    end: 'timedOut',
    code: 'ServerNotActive',
    at: 500,
    details: { state: 'connecting', servers: ['fs'] },
  });
  s.reaches(fs, 'ready');
  s.expect(fs).requests('tools/call', 0);
});

scenario('a call that waits for a silent server hears what that server waits for', (s) => {
  const fs = slow(s, 6_000);
  s.expect(s.settled(s.call('read', { timeoutMs: 3_000 }))).settles('failed', {
    end: 'timedOut',
    code: 'ServerNotActive',
    says: 'waits for the answer to initialize since',
    details: { state: 'connecting', waits: [{ server: 'fs', for: 'initialize', came: '' }] },
  });
  s.reaches(fs, 'ready');
});

scenario('the time that a call has waited for a server is not given to it again', (s) => {
  const fs = slow(s, 2_000, { read: { takes: 10_000 } });
  const call = s.settled(s.call('read', { timeoutMs: 3_000 }));
  s.expect(call).settles('unknown', { end: 'timedOut', code: 'ToolExecutionTimeout', at: 3_000 });
  s.expect(fs).requests('tools/call', 1);
});

scenario('a call that waits for a server which cannot start is told so', (s) => {
  const fs = s.server('fs', { tools: { read: {} }, restart: false });
  s.fault(fs, 'proc.exit', { when: 'initialize', code: 3 });
  s.expect(s.settled(s.call('read'))).settles('failed', { code: 4001, details: { not_active: ['fs'] } });
});

scenario('a call goes to the server that has its tool, and does not wait for the others', (s) => {
  slow(s, 3_000);
  const other = s.server('other', { tools: { write: {} } });
  const call = s.settled(s.call('write', { timeoutMs: 2_500 }));
  s.expect(call).settles('succeeded');
  s.expect(other).requests('tools/call', 1);
});

scenario('a call that waits for servers can be cancelled, and is never sent', (s) => {
  const fs = slow(s, 2_000);
  const call = s.call('read');
  s.run(100);
  s.cancel(call);
  s.expect(s.settled(call)).settles('failed', { end: 'cancelled' });
  s.reaches(fs, 'ready');
  s.expect(fs).requests('tools/call', 0);
});

scenario('a call that waits for servers ends with its computer', (s) => {
  slow(s, 60_000);
  const call = s.call('read');
  s.run(100);
  s.close();
  s.expect(s.settled(call)).settles('failed', { end: 'cancelled' });
  s.ended();
});

scenario('a server that does not know tools/list is ready without tools', (s) => {
  const fs = s.server('fs', { tools: { read: {} } });
  s.fault(fs, 'rpc.error', { when: 'list', code: -32601 });
  s.reaches(fs, 'ready');
  s.expect(s.settled(s.call('read'))).settles('failed', { code: 4001 });
});
