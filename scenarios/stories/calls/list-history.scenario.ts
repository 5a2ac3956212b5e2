import { expect } from 'vitest';
import type { AnyEventObject } from 'xstate';
import { scenario } from '../../stage/plan/index.ts';
import { toolsOnly } from '../../stage/scripted/script.ts';
import {
  asksOf,
  catalogOf,
  client,
  everything,
  hello,
  offeredBy,
  stageAfter,
  stageOf,
} from '../../stage/watching.ts';

const tools = { read: { answers: hello } };
const reading = { servers: { fs: { tools } } };
const list = `${client}/catalog:tools`;

const two = {
  servers: { fs: { tools: { read: { answers: hello }, write: { answers: hello } }, listMs: 50 } },
};
scenario('who is told that a server is ready finds all its tools at that moment', two, async (s) => {
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
});

const poorer = {
  servers: {
    fs: {
      tools,
      prompts: [{ name: 'p' }],
      info: { capabilities: everything },
      later: { 2: { info: { capabilities: toolsOnly } } },
    },
  },
  options: { fs: { isRemote: true } },
};
scenario('a list that is not declared any more after a new handshake is taken back', poorer, async (s) => {
  await s.up(1000);
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
});

scenario('a list whose machine ends takes its server down, and both come back', reading, async (s) => {
  await s.up(1000);
  s.directory.abandon(list);
  expect(stageOf(s)).toBe('recovering');
  expect(await stageAfter(s, 2000)).toBe('ready');
  expect(offeredBy(s)).toEqual(['read']);
  expect(asksOf(s, 'tools/list')).toHaveLength(2);
});
