/** Calls that one can only look into on the stage. */
import { expect } from 'vitest';
import type { AnyEventObject } from 'xstate';
import { onStage } from './scenario.ts';

const hello = { content: [{ type: 'text', text: 'hello' }] };
const slow = { tools: { read: { answers: hello, afterMs: 500 } } };

onStage(
  'a server that dies during a call: the call is unknown and says exit code, signal and stderr',
  {
    servers: {
      fs: { tools: { read: { dies: { signal: 'SIGKILL', stderr: 'line\nlast words\n' }, afterMs: 50 } } },
    },
  },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.run(50);
    expect(call.settled[0]).toMatchObject({
      end: 'unknown',
      outcome: 'unknown',
      server: 'fs',
      failure: { code: 'ServerLost', details: { signal: 'SIGKILL', stderr: 'line\nlast words' } },
    });
    expect(call.settled[0]?.failure?.message).toContain('last words');
  },
);

onStage(
  'the same ticket twice in flight: the second is refused, the first is answered',
  { servers: { fs: slow } },
  (s) => {
    s.computer();
    s.run(100);
    const first = s.call('read');
    const answers: AnyEventObject[] = [];
    s.directory.listen('host:another', (event) => answers.push(event));
    const { ticket } = first;
    const call = { ticket, reqId: 'r1', tool: 'read', params: {}, timeoutMs: 0 };
    s.order('computer', { type: 'tool.call', call, replyTo: 'host:another' });
    expect(answers).toMatchObject([{ end: 'failed', failure: { code: 409 } }]);
    s.run(600);
    expect(first.settled[0]?.outcome).toBe('succeeded');
  },
);

onStage(
  'calls in flight are cancelled while stdin is open, before their server is closed',
  { servers: { fs: slow } },
  (s) => {
    s.computer();
    s.run(100);
    const calls = [s.call('read'), s.call('read')];
    s.close();
    expect(calls.map((c) => c.settled[0]?.end)).toEqual(['cancelled', 'cancelled']);
    const order = s.trace.filter((line) => /ask.withdraw|closeStdin/.test(line)).map((line) => line.slice(8));
    expect(order.at(-1)).toContain('closeStdin');
    expect(order).toHaveLength(3);
    expect(s.servers.heard.filter((line) => line === 'cancelled tools/call at fs')).toHaveLength(2);
  },
);
