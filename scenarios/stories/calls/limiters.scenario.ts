import { scenario } from '../../stage/plan/index.ts';
import { ready } from '../one-server.ts';

const hello = { content: [{ type: 'text', text: 'hello' }] };
const tools = { read: { takes: 300, answers: hello } };
const oneByOne = { concurrency: 1, queue: 2 };

scenario('as many calls run as may, the next waits its turn, and the first to come goes first', (s) => {
  const fs = ready(s, { tools, limits: oneByOne });
  const [first, second, third] = [s.call('read'), s.call('read'), s.call('read')];
  s.expect(fs).requestsAtMost('tools/call', 3);
  s.settled(first, second, third);
  s.expect(first).settles('succeeded', { at: 300 });
  s.expect(second).settles('succeeded', { at: 600 });
  s.expect(third).settles('succeeded', { at: 900 });
});

scenario('a call for which there is no place in the line is refused at once, and not sent', (s) => {
  const fs = ready(s, { tools, limits: { concurrency: 1, queue: 1 } });
  const [first, second, third] = [s.call('read'), s.call('read'), s.call('read')];
  s.expect(s.settled(third)).settles('failed', {
    end: 'refused',
    code: 'Busy',
    says: 'this one was not sent',
    details: { server_name: 'fs', concurrency: 1, queue: 1 },
    at: 0,
  });
  s.settled(first, second);
  s.expect(second).settles('succeeded');
  s.expect(fs).requests('tools/call', 2);
});

scenario('one busy server keeps no call of another from its turn', (s) => {
  s.server('a', { tools: { slow: { takes: 5_000 } }, limits: { concurrency: 1, queue: 0 } });
  s.server('b', { tools });
  s.differs('which of two servers is the first to list its tools is open', ['heard']);
  s.ready();
  s.call('slow');
  const refused = s.call('slow');
  const other = s.call('read');
  s.settled(refused, other);
  s.expect(refused).settles('failed', { end: 'refused', code: 'Busy' });
  s.expect(other).settles('succeeded', { at: 300 });
});

scenario('a call whose server has room and whose computer has none waits, or is refused', (s) => {
  s.server('a', { tools });
  const b = s.server('b', { tools: { write: { takes: 10 } } });
  s.total({ concurrency: 1, queue: 1 });
  s.differs('which of two servers is the first to list its tools is open', ['heard']);
  s.ready();
  const [first, waiting, refused] = [s.call('read'), s.call('write'), s.call('write')];
  s.expect(s.settled(refused)).settles('failed', { end: 'refused', code: 'Busy', says: 'on this computer' });
  s.expect(b).requests('tools/call', 0);
  s.settled(first, waiting);
  s.expect(waiting).settles('succeeded', { at: 310 });
});

scenario('a call that waited for its server and finds no place on its computer is refused unsent', (s) => {
  const a = s.server('a', { tools: { read: {} }, limits: oneByOne });
  const b = s.server('b', { tools: { write: { takes: 1_000 } } });
  s.differs('which of two servers is the first to list its tools is open', ['heard']);
  s.total({ concurrency: 1, queue: 1 });
  s.ready();
  const running = s.call('write');
  const [first, second] = [s.call('read'), s.call('read')];
  s.run(50);
  s.cancel(first);
  // The place in the computer's queue that is free now goes to this call.
  const faster = s.call('write');
  s.settled(first, second);
  s.expect(first).settles('failed', { end: 'cancelled' });
  s.expect(second).settles('failed', { end: 'refused', code: 'Busy', says: 'on this computer', at: 50 });
  s.settled(running, faster);
  s.expect(faster).settles('succeeded');
  s.expect(a).requests('tools/call', 0);
  s.expect(b).requests('tools/call', 2);
  // Found with a random seed: a call that was refused like this kept its server's place for ever.
  s.expect(s.settled(s.call('read'))).settles('succeeded');
});

scenario('a call that is cancelled in the line has failed unsent, and leaves its place to the next', (s) => {
  const fs = ready(s, { tools, limits: oneByOne });
  const [first, second, third] = [s.call('read'), s.call('read'), s.call('read')];
  s.run(10);
  s.cancel(second);
  s.expect(s.settled(second)).settles('failed', { end: 'cancelled', code: 'ToolCallCancelled', at: 10 });
  s.settled(first, third);
  s.expect(third).settles('succeeded', { at: 600 });
  s.expect(fs).requests('notifications/cancelled', 0);
});

scenario('the time of a call runs while it waits in the line: what was not sent in it has failed', (s) => {
  const fs = ready(s, { tools, limits: oneByOne });
  const first = s.call('read');
  s.expect(s.settled(s.call('read', { timeoutMs: 200 }))).settles('failed', {
    end: 'timedOut',
    code: 'ToolExecutionTimeout',
    says: 'was not sent within 200 ms',
    at: 200,
  });
  s.settled(first);
  s.run(50);
  s.expect(fs).requests('notifications/cancelled', 0);
});

scenario('the time that a call has waited is not given to it again when its turn comes', (s) => {
  ready(s, { tools: { read: { takes: 1_000, answers: hello } }, limits: oneByOne });
  s.call('read');
  const second = s.settled(s.call('read', { timeoutMs: 1_700 }));
  s.expect(second).settles('unknown', { end: 'timedOut', says: 'did not answer within 1700 ms', at: 1_700 });
});

scenario('a stream that breaks lets nobody out of the line: what waited is never sent and hears why', (s) => {
  const fs = ready(s, {
    tools: { read: { takes: 5_000 }, end: {} },
    limits: { concurrency: 2, queue: 2 },
  });
  s.fault(fs, 'proc.stdoutClosed', { tool: 'end' });
  const running = [s.call('read'), s.call('end')];
  const waiting = [s.call('read'), s.call('read')];
  s.settled(...running, ...waiting);
  for (const call of running) s.expect(call).settles('unknown', { end: 'unknown', code: 'ServerLost' });
  for (const call of waiting) s.expect(call).settles('failed', { end: 'failed', code: 'ServerLost' });
  s.expect(fs).requests('tools/call', 2);
});

scenario('an agent whose connection breaks while its call waits in the line: the call is not sent', (s) => {
  const fs = ready(s, { tools, limits: oneByOne });
  s.differs('how soon a link is back is a matter of a moment', ['heard']);
  s.office();
  const first = s.call('read');
  s.asked(fs, 'tools/call');
  s.agentCall('read');
  s.run(50);
  s.fault('agent.disconnect', { ms: 100 });
  s.settled(first);
  s.run(100);
  s.expect(fs).requests('notifications/cancelled', 0);
  s.expect(first).settles('succeeded');
});

scenario('a computer that closes cancels what runs at a server, and tells it nothing of what waits', (s) => {
  const fs = ready(s, { tools: { read: { takes: 5_000 } }, limits: oneByOne });
  s.timing({ drainMs: 100 });
  const [first, second] = [s.call('read'), s.call('read')];
  s.asked(fs, 'tools/call');
  s.run(20);
  s.close();
  s.settled(first, second);
  s.expect(first).settles('unknown', { end: 'cancelled' });
  s.expect(second).settles('failed', { end: 'cancelled' });
  s.ended();
  s.expect(fs).requests('notifications/cancelled', 1);
});
