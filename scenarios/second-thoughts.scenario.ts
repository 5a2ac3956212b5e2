import { expect } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { machines } from '../actors/assemble.ts';
import { scenario } from './scenario.ts';

const tools = { read: { answers: { content: [] }, afterMs: 500 } };
const start = { type: 'server.start', server: 'fs' };
const stop = { type: 'server.stop', server: 'fs' };
const ready = '{connected:{ready:steady}}';

scenario(
  'a start while the server is being stopped starts it again once its process has ended',
  { servers: { fs: { tools, ignores: ['stdin'] } } },
  (s) => {
    s.computer();
    s.run(100);
    s.order('computer', stop);
    s.run(100);
    s.order('computer', start);
    expect(s.call('read').settled[0]).toMatchObject({ failure: { code: 'ServerNotActive' } });
    s.run(1000);
    expect(s.state('computer/client:fs')).toBe(ready);
    expect(s.servers.startsOf('fs')).toBe(2);
  },
);

scenario(
  'a start while a failed server is cleaned up needs no budget',
  { servers: { fs: { tools, leaves: { count: 1 } } }, options: { fs: { restart: false } } },
  (s) => {
    s.computer();
    s.run(100);
    s.servers.kill('fs', { code: 1 });
    expect(s.state('computer/client:fs')).toBe('recovering');
    s.order('computer', start);
    s.run(1000);
    expect(s.state('computer/client:fs')).toBe(ready);
  },
);

scenario(
  'a start in the moment after the stream broke is a restart, and the calls in flight are unknown',
  { servers: { fs: { tools } } },
  (s) => {
    s.computer();
    s.run(100);
    const call = s.call('read');
    s.servers.breakStream('fs');
    s.order('computer', start);
    expect(call.settled[0]?.outcome).toBe('unknown');
    s.run(1000);
    expect(s.state('computer/client:fs')).toBe(ready);
  },
);

scenario(
  'a restart can be stopped and closed, and ends a process that does not end by itself',
  { servers: { fs: { tools, ignores: ['stdin', 'SIGTERM'] } } },
  (s) => {
    s.computer();
    s.run(100);
    for (const order of [stop, start, stop, start]) s.order('computer', order);
    s.run(100);
    s.close();
    s.run(5000);
    expect(s.directory.find('computer')).toBeUndefined();
  },
);

scenario(
  'a computer takes a seat later, is called there, shows its config, and leaves',
  { servers: { fs: { tools } } },
  (s) => {
    s.office();
    s.agent();
    s.computer();
    s.run(100);
    const link = { url: 'http://127.0.0.1:41000', role: 'computer', name: 'c1', office: 'o' };
    s.order('computer', { type: 'office.join', link });
    s.order('computer', { type: 'office.join', link });
    s.run(100);
    const call = s.agentCall('read');
    const config = s.query('client:get_config', { computer: 'c1' });
    s.run(1000);
    expect(call.settled[0]?.outcome).toBe('succeeded');
    expect(config.settled[0]?.result).toEqual({ servers: {}, inputs: [] });
    s.order('computer', { type: 'office.leave' });
    s.run(100);
    expect(s.heard('agent', 'computer.left')).toHaveLength(1);
    expect(s.state('computer/link')).toBeUndefined();
  },
);

scenario(
  'an agent that leaves without a word: the computer cancels its calls',
  { servers: { fs: { tools } } },
  (s) => {
    s.office();
    s.computer({ linked: true });
    s.agent();
    s.run(100);
    s.agentCall('read');
    s.run(20);
    s.network.faults.dropLink('a1');
    s.run(20);
    expect(s.servers.heard).toContain('cancelled tools/call at fs');
  },
);

const brokenLink = (from: number) => {
  const link = machines.link as AnyStateMachine;
  const bug = {
    actions: {
      rememberFirst: ({ context }: { context: { self: string } }) => {
        if (Number(context.self.split('#').at(-1)) >= from) throw new Error('bug in link');
      },
    },
  };
  return { ...machines, link: link.provide(bug as never) };
};

scenario(
  'an agent whose link fails opens it a few times, then ends and says why',
  { servers: {}, kinds: brokenLink(0), failing: '/link' },
  (s) => {
    s.office();
    s.agent();
    s.run(1000);
    expect(s.directory.find('agent')).toBeUndefined();
    expect(s.heard('agent', 'link.changed').at(-1)).toMatchObject({ stage: 'closed' });
  },
);
