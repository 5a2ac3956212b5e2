import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const hello = { content: [{ type: 'text', text: 'hello' }] };
const slowly = { read: { takes: 400, answers: hello } };

scenario('a call that is cancelled before its answer ends at once and is cancelled at the server', (s) => {
  const fs = ready(s, { tools: slowly });
  const call = s.call('read');
  s.run(50);
  s.cancel(call);
  s.expect(s.settled(call)).settles('unknown', { end: 'cancelled', code: 'ToolCallCancelled', at: 50 });
  s.expect(fs).requests('notifications/cancelled', 1);
  s.run(500);
  s.expect(fs).is('ready');
});

scenario('a call that times out says how long it had, and that its effect is unknown', (s) => {
  const fs = ready(s, { tools: slowly });
  s.expect(s.settled(s.call('read', { timeoutMs: 200 }))).settles('unknown', {
    end: 'timedOut',
    code: 'ToolExecutionTimeout',
    details: { timeout: 200, which: 'caller', server_name: 'fs', tool_name: 'read' },
    at: 200,
  });
  s.expect(fs).requests('notifications/cancelled', 1);
});

scenario('a call without a limit waits as long as its server', (s) => {
  ready(s, { tools: { read: { takes: 3_600_000 } } });
  s.virtualOnly('nobody waits an hour');
  const call = s.call('read', { timeoutMs: 0 });
  s.run(3_599_999);
  s.expect(call).waits();
  s.run(1);
  s.expect(call).settles('succeeded');
});

scenario('a tool that nobody has is refused as 4001 and nothing is sent', (s) => {
  const fs = ready(s, { tools: slowly });
  const call = s.settled(s.call('constructor'));
  s.expect(call).settles('failed', { end: 'failed', code: 4001, at: 0 });
  s.expect(fs).requests('tools/call', 0);
});

scenario('a call to a server whose next try is far away is refused, and says when the try is', (s) => {
  const fs = ready(s, { tools: slowly });
  s.timing({ backoffMs: 2_001, longestBackoffMs: 2_001 });
  s.kill(fs);
  s.reaches(fs, 'waiting');
  s.expect(s.settled(s.call('read'))).settles('failed', {
    code: 'ServerNotActive',
    details: { server_name: 'fs', state: 'waiting', next_try: 3_002 },
  });
  s.close();
});

scenario('a call waits for the next try of its server where that comes soon', (s) => {
  const fs = ready(s, { tools: slowly });
  s.kill(fs);
  s.reaches(fs, 'waiting');
  const call = s.settled(s.call('read'));
  s.expect(call).settles('succeeded', { result: hello });
  s.expect(fs).requests('tools/call', 1);
});

scenario('a call that has less time than the pause before the next try is refused at once', (s) => {
  const fs = ready(s, { tools: slowly });
  s.timing({ backoffMs: 1_000, longestBackoffMs: 1_000 });
  s.kill(fs);
  s.reaches(fs, 'waiting');
  const call = s.settled(s.call('read', { timeoutMs: 1_400 }));
  s.expect(call).settles('failed', { code: 'ServerNotActive', details: { state: 'waiting' }, at: 0 });
});

scenario('a call that waits for the next try fails with the reason when that fails, too', (s) => {
  const fs = ready(s, { tools: slowly });
  s.later(fs, 2, { faults: [{ fault: 'life.initError' }] });
  s.kill(fs);
  s.reaches(fs, 'waiting');
  const call = s.settled(s.call('read'));
  s.expect(call).settles('failed', { phase: 'queued' });
  s.expect(fs).requests('tools/call', 0);
});

scenario('a call while its computer closes is refused', (s) => {
  ready(s, { tools: slowly, faults: [{ fault: 'proc.ignoreStdinClose' }] });
  s.timing({ stdinGraceMs: 200 });
  s.close();
  s.expect(s.settled(s.call('read'))).settles('failed', { code: 'ServerNotActive' });
  s.ended();
});
