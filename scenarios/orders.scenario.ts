/** Orders to a server in the states in which nobody expects them. */
import { expect } from 'vitest';
import { scenario } from './scenario.ts';
import type { Script } from './scripted/servers.ts';
import type { Stage } from './stage.ts';

const tools = { read: { answers: { content: [] } } };
const client = 'computer/client:fs';
const ready = '{connected:{ready:steady}}';
const order = (s: Stage, type: 'server.start' | 'server.stop'): void =>
  s.order('computer', { type, server: 'fs' });
/** A call by a name that is known from before: answered at once, and nothing is sent. */
const refusedAs = (s: Stage, state: string): void => {
  const { heard } = s.servers;
  const sent = heard.length;
  expect(s.call('read').settled).toMatchObject([
    { end: 'failed', outcome: 'failed', failure: { code: 'ServerNotActive', details: { state } } },
  ]);
  expect(heard).toHaveLength(sent);
};

/** Each second start of `fs` is caught in another state; its tools are known from the first. */
const caught: Readonly<
  Record<string, { readonly again: Script; readonly afterMs: number; readonly shown: string }>
> = {
  launching: { again: { startMs: 100 }, afterMs: 1010, shown: 'connecting' },
  handshaking: { again: { initialize: 100 }, afterMs: 1010, shown: 'connecting' },
  listing: { again: { listMs: 100 }, afterMs: 1010, shown: 'connecting' },
  recovering: { again: { initialize: 'error', ignores: ['stdin'] }, afterMs: 1010, shown: 'recovering' },
  waiting: { again: {}, afterMs: 10, shown: 'waiting' },
};
for (const [state, { again, afterMs, shown }] of Object.entries(caught)) {
  const servers = { fs: { tools, later: { 2: again } } };
  const meet = (s: Stage): void => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { code: 1 });
    s.run(afterMs);
    expect(s.state(client)).toContain(state);
  };
  scenario(`a call to a server that is ${state} is refused and names that state`, { servers }, (s) => {
    meet(s);
    refusedAs(s, shown);
  });
  scenario(
    `a server that is stopped while ${state} comes to rest and is not tried again`,
    { servers },
    (s) => {
      meet(s);
      order(s, 'server.stop');
      s.run(60_000);
      expect([s.state(client), s.servers.alive]).toEqual(['idle', 0]);
      refusedAs(s, 'idle');
    },
  );
  scenario(`a server that is closed while ${state} ends, and its computer with it`, { servers }, (s) => {
    meet(s);
    s.close();
    s.run(1000);
    expect([s.directory.size, s.servers.alive]).toEqual([0, 0]);
  });
}

for (const [at, state] of [
  [0, 'launching'],
  [2, 'handshaking'],
  [12, 'listing'],
] as const)
  scenario(
    `close while connecting, in ${state}, leaves nothing behind`,
    {
      servers: { fs: { tools, initialize: 10, listMs: 10 } },
    },
    (s) => {
      s.computer();
      s.run(at);
      expect(s.state('computer/client:fs')).toContain(state);
      s.close();
      s.run(1000);
      expect(s.directory.size).toBe(0);
    },
  );

scenario(
  'a server that waits for its next try is tried at once when it is started by hand',
  { servers: { fs: { tools } } },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { code: 1 });
    expect(s.state(client)).toBe('waiting');
    order(s, 'server.start');
    s.run(10);
    expect(s.state(client)).toBe(ready);
    s.run(5000);
    expect(s.servers.startsOf('fs')).toBe(2);
  },
);

scenario(
  'a server that has given up is named tripped to a caller, and a stop brings it to rest',
  { servers: { fs: { tools } }, options: { fs: { restart: false } } },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { code: 0 });
    refusedAs(s, 'tripped');
    const [news] = s.heard('computer', 'client.changed').slice(-1);
    expect(news?.failure.message).toBe("Server 'fs' ended with exit code 0");
    order(s, 'server.stop');
    expect(s.state(client)).toBe('idle');
  },
);

scenario(
  'a call while its server is being stopped is refused; a close meanwhile ends it by the same ladder',
  { servers: { fs: { tools, ignores: ['stdin'] } } },
  (s) => {
    s.computer();
    s.run(100);
    order(s, 'server.stop');
    expect(s.state(client)).toBe('{stopping:parting}');
    refusedAs(s, 'closing');
    s.run(100);
    s.close();
    expect(s.state(client)).toBe('{closing:parting}');
    s.run(402);
    expect(s.directory.size).toBe(0);
  },
);

scenario(
  'a server that is closed on its own and then with its computer ends once',
  { servers: { fs: { tools, ignores: ['stdin'] } } },
  (s) => {
    s.computer();
    s.run(100);
    s.close(client);
    s.close();
    s.run(1000);
    expect(s.trace.filter((line) => line.includes(`- ${client}#1 `))).toHaveLength(1);
  },
);

scenario(
  'a process that takes longer to start than the connect time-out is ended and tried again',
  { servers: { fs: { tools, later: { 1: { startMs: 5000 } } } }, timing: { connectMs: 1000 } },
  (s) => {
    s.computer();
    s.run(1010);
    expect(s.heard('computer', 'client.changed').at(-1)?.failure.message).toContain('launch within 1000 ms');
    s.run(2000);
    expect([s.state(client), s.servers.alive]).toEqual([ready, 1]);
  },
);

scenario(
  'a server without tools is ready without being asked for a list, and offers nothing',
  { servers: { fs: { info: { hasTools: false } } } },
  (s) => {
    s.computer();
    s.run(10);
    expect(s.state(client)).toBe(ready);
    expect(s.heard('computer', 'tools.changed')).toEqual([]);
  },
);

scenario(
  'while its broken stream waits for the end of the process, calls are refused and a stop ends it',
  { servers: { fs: { tools } } },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.breakStream('fs');
    expect(s.state(client)).toBe('severed');
    refusedAs(s, 'recovering');
    order(s, 'server.stop');
    s.run(10);
    expect([s.state(client), s.servers.alive]).toEqual(['idle', 0]);
  },
);

scenario(
  'a start of a server that is ready, and orders to a server that nobody configured, change nothing',
  { servers: { fs: { tools } } },
  (s) => {
    s.computer();
    s.run(100);
    order(s, 'server.start');
    s.order('computer', { type: 'server.start', server: 'nobody' });
    s.order('computer', { type: 'server.stop', server: 'nobody' });
    s.run(100);
    expect([s.state(client), s.servers.startsOf('fs')]).toEqual([ready, 1]);
  },
);
