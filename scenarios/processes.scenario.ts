import { expect } from 'vitest';
import { scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const tools = { read: { answers: { content: [] } } };
const commands = (s: Stage): string[] =>
  s.trace
    .filter((line) => line.includes(' process: child.'))
    .map((line) => line.trim().replace(/computer.*process: /, ''));

scenario(
  'a well-behaved server ends with its stdin and gets no signal',
  { servers: { fs: { tools } } },
  (s) => {
    s.computer();
    s.run(100);
    s.close();
    s.run(1000);
    expect(commands(s)).toEqual(['100 child.closeStdin']);
    expect(s.trace.at(-1)).toContain('owned.ended');
  },
);

scenario(
  'a server that ignores the end of stdin gets SIGTERM after the grace of 500 ms',
  { servers: { fs: { tools, ignores: ['stdin'] } } },
  (s) => {
    s.computer();
    s.run(100);
    s.close();
    s.run(5000);
    expect(commands(s)).toEqual(['100 child.closeStdin', '600 child.signal']);
  },
);

scenario(
  'a child that ignores stdin and SIGTERM is killed after both graces',
  { servers: { fs: { tools, ignores: ['stdin', 'SIGTERM'] } } },
  (s) => {
    s.computer();
    s.run(100);
    s.close();
    s.run(2500);
    expect(s.state('computer/client:fs/process')).toBe('{closing:killing}');
    s.run(10);
    expect(commands(s)).toEqual(['100 child.closeStdin', '600 child.signal', '2600 child.signal']);
    expect(s.directory.find('computer')).toBeUndefined();
  },
);

scenario(
  'a command that does not exist is tried five more times, then rests as tripped',
  { servers: { fs: { missing: true } } },
  (s) => {
    s.computer();
    s.run(10_000);
    expect(s.state('computer/client:fs')).toBe('tripped');
    expect(s.servers.startsOf('fs')).toBe(6);
    const [call] = [s.call('read')];
    expect(call?.settled[0]?.failure).toMatchObject({ code: 4001 });
  },
);

scenario(
  'members that a dead leader leaves in its group are ended before the server is launched again',
  { servers: { fs: { tools, leaves: { count: 2 }, later: { 2: {} } } } },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { code: 1 });
    expect(s.state('computer/client:fs/process')).toBe('{sweeping:terminating}');
    s.run(5000);
    expect(s.state('computer/client:fs')).toBe('{connected:{ready:steady}}');
  },
);

scenario(
  'members of the group that ignore SIGTERM are killed, and the end of the leader keeps its own reason',
  { servers: { fs: { tools, leaves: { count: 1, stubborn: true } } } },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { code: 3, stderr: 'out of luck' });
    s.run(1999);
    expect(s.state('computer/client:fs/process')).toBe('{sweeping:terminating}');
    s.run(3000);
    const failure = s.heard('computer', 'client.changed').findLast((e) => e.stage === 'waiting')?.failure;
    expect(failure.message).toContain('exit code 3');
    expect(failure.message).toContain('out of luck');
  },
);

scenario(
  'a polite leader with stubborn members of its group is not called ended before they are gone',
  { servers: { fs: { tools, leaves: { count: 1, stubborn: true } } } },
  (s) => {
    s.computer();
    s.run(100);
    s.close();
    s.run(2400);
    expect(s.servers.alive).toBe(1);
    expect(s.state('computer/client:fs/process')).toBe('{closing:terminating}');
    s.run(200);
    expect(s.servers.alive).toBe(0);
  },
);

scenario(
  'a process that does not even show an exit after SIGKILL is given up, and its group is ended by force',
  {
    servers: { fs: { tools } },
    mend: (ports) => ({
      ...ports,
      process: (at, input, give) => {
        const leaf = ports.process(at, input, give);
        return { tell() {}, close: () => leaf.close() };
      },
    }),
  },
  (s) => {
    s.computer();
    s.run(100);
    s.close();
    s.run(4600);
    expect(s.directory.find('computer')).toBeUndefined();
    expect(s.servers.alive).toBe(0);
  },
);

scenario('close while its process starts ends it', { servers: { fs: { tools, startMs: 50 } } }, (s) => {
  s.computer();
  s.run(10);
  s.close();
  s.run(1000);
  expect(s.directory.size).toBe(0);
});
