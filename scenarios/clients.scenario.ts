import { expect } from 'vitest';
import { scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const tools = { read: { answers: { content: [] } } };
const stages = (s: Stage, server = 'fs'): string[] =>
  s
    .heard('computer', 'client.changed')
    .filter((e) => e.server === server)
    .map((e) => e.stage);

scenario(
  'a server that dies is connected again after the pause, and its tools are gone and back',
  { servers: { fs: { tools } } },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { signal: 'SIGSEGV' });
    expect(s.state('computer/client:fs')).toBe('waiting');
    s.run(2000);
    expect(stages(s)).toEqual([
      'connecting',
      'ready',
      'recovering',
      'recovering',
      'waiting',
      'connecting',
      'ready',
    ]);
    expect(s.heard('computer', 'tools.changed').map((e) => [e.added, e.removed])).toEqual([
      [['read'], []],
      [[], ['read']],
      [['read'], []],
    ]);
  },
);

scenario(
  'a server that never answers initialize is ended and tried again; another server serves meanwhile',
  {
    servers: { mute: { initialize: 'never' }, fs: { tools } },
    timing: { connectMs: 30_000 },
  },
  (s) => {
    s.computer();
    s.run(14_000);
    expect(s.state('computer')).toBe('booting');
    expect(s.call('read').settled).toHaveLength(0);
    s.run(1000);
    expect(s.state('computer')).toBe('{serving:degraded}');
    s.run(15_010);
    expect(stages(s, 'mute')).toEqual(['connecting', 'recovering', 'waiting']);
    expect(s.heard('computer', 'client.changed').at(-1)?.failure.message).toContain(
      'initialize within 30000 ms',
    );
  },
);

scenario(
  'a refused initialize is a failed try that says why',
  { servers: { fs: { initialize: 'error' } } },
  (s) => {
    s.computer();
    s.run(50);
    expect(s.heard('computer', 'client.changed').at(-1)?.failure.message).toContain('initialize was refused');
  },
);

scenario(
  'a first list of tools that never comes, or is refused, is a failed try',
  {
    servers: { never: { listMs: 'never' }, error: { listMs: 'error' } },
    timing: { listMs: 1000 },
  },
  (s) => {
    s.computer();
    s.run(50);
    expect(stages(s, 'error')).toContain('waiting');
    s.run(1000);
    expect(stages(s, 'never')).toContain('waiting');
  },
);

scenario(
  'the budget of tries is spent, then the server rests until it is started by hand',
  {
    servers: {
      fs: {
        tools,
        later: { 1: { initialize: 'error' }, 2: { initialize: 'error' }, 3: { initialize: 'error' } },
      },
    },
    options: { fs: { budget: 2 } },
  },
  (s) => {
    s.computer();
    s.run(10_000);
    expect(s.state('computer/client:fs')).toBe('tripped');
    expect(s.servers.startsOf('fs')).toBe(3);
    s.order('computer', { type: 'server.start', server: 'fs' });
    s.run(100);
    expect(s.state('computer/client:fs')).toBe('{connected:{ready:steady}}');
  },
);

scenario(
  'a server that has been ready for a minute has its whole budget again',
  {
    servers: { fs: { tools } },
    options: { fs: { budget: 1 } },
  },
  (s) => {
    s.computer();
    for (let i = 0; i < 3; i++) {
      s.run(70_000);
      s.servers.kill('fs', { code: 1 });
    }
    s.run(2000);
    expect(s.state('computer/client:fs')).toBe('{connected:{ready:steady}}');
  },
);

scenario(
  'without auto_reconnect a dead server rests as tripped',
  { servers: { fs: { tools } }, options: { fs: { restart: false } } },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { code: 1 });
    s.run(60_000);
    expect(s.state('computer/client:fs')).toBe('tripped');
    expect(s.state('computer')).toBe('{serving:degraded}');
  },
);

scenario(
  'without auto_connect a server rests until it is started, and a stop brings it back to rest',
  {
    servers: { fs: { tools } },
    options: { fs: { autoStart: false } },
  },
  (s) => {
    s.computer();
    s.run(100);
    expect(s.state('computer/client:fs')).toBe('idle');
    expect(s.state('computer')).toBe('{serving:whole}');
    s.order('computer', { type: 'server.start', server: 'fs' });
    s.run(100);
    expect(s.state('computer/client:fs')).toBe('{connected:{ready:steady}}');
    const call = s.call('read');
    s.order('computer', { type: 'server.stop', server: 'fs' });
    expect(call.settled[0]?.end).toBe('cancelled');
    s.run(100);
    expect(s.state('computer/client:fs')).toBe('idle');
    expect(s.servers.alive).toBe(0);
  },
);

scenario(
  'the stream breaks while the process lives: it is ended, calls are unknown, the server comes back',
  {
    servers: { fs: { tools: { read: { never: true } } } },
  },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.servers.breakStream('fs');
    expect(s.state('computer/client:fs')).toBe('severed');
    s.run(250);
    expect(call.settled[0]).toMatchObject({ outcome: 'unknown', failure: { code: 'ServerLost' } });
    s.run(5000);
    expect(s.servers.startsOf('fs')).toBe(2);
    expect(s.state('computer/client:fs')).toBe('{connected:{ready:steady}}');
  },
);

scenario(
  'a call whose stream broke can still time out or be cancelled',
  {
    servers: { fs: { tools: { read: { never: true } } } },
    timing: { exitGraceMs: 5000 },
  },
  (s) => {
    s.computer();
    s.run(100);
    const [timed, cancelled] = [s.call('read', { timeoutMs: 100 }), s.call('read')];
    s.servers.breakStream('fs');
    cancelled.cancel();
    s.run(100);
    expect([timed, cancelled].map((c) => c.settled[0]?.end)).toEqual(['unknown', 'unknown']);
  },
);

scenario(
  'tools that change are fetched again; a burst of notices asks at most twice',
  {
    servers: { fs: { tools, listMs: 50, lists: (n) => (n === 1 ? ['read'] : ['read', `new${n}`]) } },
  },
  (s) => {
    s.computer();
    s.run(100);
    for (let i = 0; i < 20; i++) s.servers.announce('fs');
    expect(s.state('computer/client:fs')).toBe('{connected:{ready:{refreshing:outdated}}}');
    s.run(200);
    expect(s.heard('computer', 'tools.changed').at(-1)?.added).toEqual(['new3']);
    expect(s.trace.filter((line) => line.includes('ask: ask') && !line.includes('withdraw'))).toHaveLength(3);
  },
);

scenario(
  'a refresh that is refused or never answered keeps the tools that are known',
  {
    servers: { fs: { tools } },
    timing: { listMs: 1000 },
    mend: (ports) => ({
      ...ports,
      ask: (from, question, give) => {
        if (question.method !== 'tools/list') return ports.ask(from, question, give);
        asked += 1;
        if (asked % 3 === 1) return ports.ask(from, question, give);
        if (asked % 3 === 2)
          give({ type: 'ask.refused', id: question.id, sent: true, failure: { code: 4003, message: 'no' } });
        return () => {};
      },
    }),
  },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.announce('fs');
    s.run(10);
    expect(s.state('computer/client:fs')).toBe('{connected:{ready:steady}}');
    s.servers.announce('fs');
    s.run(999);
    expect(s.state('computer/client:fs')).toBe('{connected:{ready:{refreshing:asking}}}');
    s.run(10);
    expect(s.call('read').settled).toHaveLength(0);
  },
);
let asked = 0;

scenario(
  'two servers with one tool name: the first keeps it, the newcomer keeps its other tools',
  {
    servers: {
      a: { tools: { read: { answers: { from: 'a' } } } },
      b: { tools: { read: { answers: { from: 'b' } }, write: { answers: { from: 'b' } } } },
    },
  },
  (s) => {
    s.computer();
    s.run(100);
    const [read, write] = [s.call('read'), s.call('write')];
    s.run(10);
    expect([read.settled[0]?.result, write.settled[0]?.result]).toEqual([{ from: 'a' }, { from: 'b' }]);
  },
);

for (const [at, state] of [
  [0, 'launching'],
  [2, 'handshaking'],
  [12, 'listing'],
  [40, 'ready'],
] as const)
  scenario(
    `a server that dies in ${state} is tried again, and it is said how it died`,
    { servers: { fs: { tools, initialize: 10, listMs: 10 } } },
    (s) => {
      s.computer();
      s.run(at);
      expect(s.state('computer/client:fs')).toContain(state);
      s.servers.kill('fs', { code: 3, stderr: 'out of luck' });
      expect(s.heard('computer', 'client.changed').at(-1)?.failure).toMatchObject({
        message: "Server 'fs' ended with exit code 3; stderr: out of luck",
        details: { exit_code: 3, stderr: 'out of luck' },
      });
      s.run(3000);
      expect(s.state('computer/client:fs')).toBe('{connected:{ready:steady}}');
    },
  );
