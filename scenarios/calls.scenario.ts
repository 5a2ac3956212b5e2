import { expect } from 'vitest';
import type { AnyEventObject } from 'xstate';
import { scenario } from './scenario.ts';

const hello = { content: [{ type: 'text', text: 'hello' }] };
const slow = { tools: { read: { answers: hello, afterMs: 500 } } };

scenario(
  'a call of a ready server is answered with what the server said',
  { servers: { fs: { tools: { read: { answers: hello } } } } },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.run(10);
    expect(call.settled[0]).toMatchObject({
      outcome: 'succeeded',
      server: 'fs',
      tool: 'read',
      result: hello,
    });
  },
);

scenario(
  "a tool's own isError is a failed call with the tool's own words",
  { servers: { fs: { tools: { read: { answers: { isError: true, content: [] } } } } } },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.run(10);
    expect(call.settled[0]).toMatchObject({ outcome: 'failed', end: 'failed', result: { isError: true } });
  },
);

scenario(
  'a protocol error of the server is a failed call that says what the server said',
  { servers: { fs: { tools: { read: { errors: 'no such file' } } } } },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.run(10);
    expect(call.settled[0]).toMatchObject({
      outcome: 'failed',
      failure: { code: 4003, message: 'no such file' },
    });
  },
);

scenario(
  'a call that is cancelled before its answer ends at once and is cancelled at the server',
  { servers: { fs: slow } },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.run(100);
    call.cancel();
    expect(call.settled[0]).toMatchObject({ end: 'cancelled', outcome: 'unknown' });
    expect(s.servers.heard).toContain('cancelled tools/call at fs');
    s.run(1000);
    expect(s.servers.heard).toContain('late answer of fs dropped');
  },
);

scenario(
  'a cancel in the same instant as the answer finds either, never both',
  { servers: { fs: slow }, seed: 3 },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.clock.setTimeout(() => call.cancel(), 500);
    s.run(1000);
    expect(call.settled).toHaveLength(1);
  },
);

scenario('a cancel after the answer changes nothing', { servers: { fs: slow } }, (s) => {
  s.computer();
  s.run(100);
  const call = s.call('read');
  s.run(600);
  call.cancel();
  s.run(100);
  expect(call.settled.map((x) => x.end)).toEqual(['succeeded']);
  expect(s.servers.heard).not.toContain('cancelled tools/call at fs');
});

scenario(
  'a call that times out is cancelled at the server, its late answer is dropped, its outcome unknown',
  { servers: { fs: slow } },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read', { timeoutMs: 200 });
    s.run(199);
    expect(call.settled).toHaveLength(0);
    s.run(1);
    expect(call.settled[0]).toMatchObject({
      end: 'timedOut',
      outcome: 'unknown',
      failure: { code: 'ToolExecutionTimeout', details: { timeout: 200, which: 'total' } },
    });
    s.run(1000);
    expect(s.servers.heard.slice(-2)).toEqual(['cancelled tools/call at fs', 'late answer of fs dropped']);
  },
);

scenario(
  'a call without a limit waits as long as its server',
  { servers: { fs: { tools: { read: { answers: hello, afterMs: 3_600_000 } } } } },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read', { timeoutMs: 0 });
    s.run(3_600_001);
    expect(call.settled[0]?.outcome).toBe('succeeded');
  },
);

scenario(
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

scenario(
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

scenario('a tool that nobody has is refused as 4001 and nothing is sent', { servers: { fs: slow } }, (s) => {
  s.computer();
  s.run(100);
  const call = s.call('constructor');
  expect(call.settled[0]).toMatchObject({ end: 'failed', failure: { code: 4001 } });
  expect(s.servers.heard).toEqual([]);
});

scenario(
  'a forbidden tool is refused as 4002',
  { servers: { fs: slow }, options: { fs: { forbidden: ['read'] } } },
  (s) => {
    s.computer();
    s.run(100);
    expect(s.call('read').settled[0]).toMatchObject({ failure: { code: 4002 } });
  },
);

scenario(
  'a call to a server that waits for its next try says so and when',
  {
    servers: { fs: { tools: { read: { answers: hello } } } },
  },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { code: 1 });
    s.run(10);
    expect(s.call('read').settled[0]).toMatchObject({
      outcome: 'failed',
      failure: { code: 'ServerNotActive', details: { server_name: 'fs', state: 'waiting', next_try: 1000 } },
    });
  },
);

scenario(
  'a call while its computer closes is refused',
  { servers: { fs: { ...slow, ignores: ['stdin'] } } },
  (s) => {
    s.computer();
    s.run(100);
    s.close();
    expect(s.call('read').settled[0]).toMatchObject({ failure: { code: 'ServerNotActive' } });
  },
);

scenario(
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
  },
);
