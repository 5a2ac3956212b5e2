import { expect } from 'vitest';
import type { AnyEventObject } from 'xstate';
import { scenario } from '../../stage/plan/index.ts';
import { toolsOnly } from '../../stage/scripted/script.ts';
import {
  announcedBy,
  asksOf,
  catalogOf,
  client,
  everybody,
  everything,
  hello,
  offeredBy,
  order,
  signalsTo,
  stageOf,
} from '../../stage/watching.ts';

const tools = { read: { answers: hello } };
const list = `${client}/catalog:tools`;

scenario(
  'death and return of a server take its tools away and bring them back, as one revision',
  { servers: { fs: { tools } } },
  async (s) => {
    await everybody(s);
    await s.run(1000);
    s.servers.kill('fs', { signal: 'SIGKILL' });
    await s.run(400);
    expect(offeredBy(s)).toEqual([]);
    await s.run(2000);
    expect(offeredBy(s)).toEqual(['read']);
    expect(announcedBy(s)).toHaveLength(2);
    expect(catalogOf(s)?.revision).toBe(1);
  },
);

scenario(
  'somebody who is told that a server is ready finds all its tools at that moment',
  { servers: { fs: { tools: { read: { answers: hello }, write: { answers: hello } }, listMs: 50 } } },
  async (s) => {
    const found: unknown[] = [];
    await s.office();
    s.computer({ linked: true });
    s.directory.listen('host:computer', (event) => {
      if (event.type === 'client.changed' && (event as AnyEventObject).stage === 'ready')
        found.push(offeredBy(s));
      if (event.type === 'tools.changed') found.push((event as AnyEventObject).added);
    });
    await s.run(1000);
    expect(found).toEqual([
      ['read', 'write'],
      ['read', 'write'],
    ]);
  },
);

scenario(
  'a list that a server does not declare any more after a new handshake is taken back',
  {
    servers: {
      fs: {
        tools,
        prompts: [{ name: 'p' }],
        info: { capabilities: everything },
        later: { 2: { info: { capabilities: toolsOnly } } },
      },
    },
    options: { fs: { isRemote: true } },
  },
  async (s) => {
    s.computer();
    await s.run(1000);
    expect(catalogOf(s, 'fs', 'prompts')?.entries).toBe(1);
    s.servers.expire('fs');
    await s.run(1000);
    expect(catalogOf(s, 'fs', 'prompts')?.entries).toBe(0);
    expect(s.heard('computer', 'catalog.changed').at(-1)).toMatchObject({
      list: 'prompts',
      removed: ['p'],
      why: 'its server does not know this list',
    });
    expect(stageOf(s)).toBe('ready');
    expect(offeredBy(s)).toEqual(['read']);
  },
);

scenario(
  'a list whose machine ends takes its server down, and both come back',
  { servers: { fs: { tools } } },
  async (s) => {
    s.computer();
    await s.run(1000);
    s.directory.abandon(list);
    expect(stageOf(s)).toBe('recovering');
    await s.run(2000);
    expect(stageOf(s)).toBe('ready');
    expect(offeredBy(s)).toEqual(['read']);
    expect(asksOf(s, 'tools/list')).toHaveLength(2);
  },
);

scenario(
  'a list whose machine ends while its server rests is there again with the next session',
  { servers: { fs: { tools } } },
  async (s) => {
    s.computer();
    await s.run(1000);
    order(s, 'server.stop');
    await s.run(1000);
    s.directory.abandon(list);
    expect(stageOf(s)).toBe('idle');
    order(s, 'server.start');
    await s.run(1000);
    expect(stageOf(s)).toBe('ready');
    expect(offeredBy(s)).toEqual(['read']);
  },
);

scenario(
  'a list whose machine ends while its server finishes its calls does not keep it from its way',
  { servers: { fs: { tools: { read: { answers: hello, afterMs: 300 } } } } },
  async (s) => {
    s.computer();
    await s.run(1000);
    const call = s.call('read');
    order(s, 'server.stop');
    s.directory.abandon(list);
    expect([stageOf(s), signalsTo(s)]).toEqual(['closing', []]);
    await s.run(1000);
    expect(stageOf(s)).toBe('idle');
    expect(call.settled[0]?.outcome).toBe('succeeded');
  },
);
