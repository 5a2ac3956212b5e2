import { expect } from 'vitest';
import { broken } from '../../fixtures/altered.ts';
import type { Harness } from '../../stage/harness.ts';
import { scenario } from '../../stage/plan/index.ts';
import {
  asksOf,
  catalogOf,
  everything,
  offeredBy,
  reaches,
  signalsTo,
  stageOf,
  until,
} from '../../stage/watching.ts';

const tools = { read: { answers: {} } };
const slow = { tools, listMs: 100 };
const listing: Readonly<Record<string, (s: Harness) => Promise<void>>> = {
  connecting: (s) => reaches(s, 'listing'),
  refreshing: async (s) => {
    await s.run(150);
    s.servers.announce('fs');
    await until(s, () => asksOf(s, 'tools/list').length === 2);
  },
};

for (const [state, meet] of Object.entries(listing)) {
  scenario(
    `a list that is ${state} when its computer closes is asked for no more, and keeps nobody from the end`,
    { servers: { fs: slow } },
    async (s) => {
      s.computer();
      await meet(s);
      const asked = asksOf(s, 'tools/list').length;
      s.close();
      s.servers.announce('fs');
      await s.run(1000);
      expect(asksOf(s, 'tools/list')).toHaveLength(asked);
      expect(s.directory.size).toBe(0);
    },
  );

  scenario(
    `a list that is ${state} when the machine of its client fails is cut off`,
    { servers: { fs: slow }, kinds: broken('client', 'noteWatch'), failing: '/client:' },
    async (s) => {
      s.computer();
      await meet(s);
      const asked = asksOf(s, 'tools/list').length;
      s.order('computer', { type: 'resources.watch', server: 'fs', uris: [], by: 'host' });
      expect(signalsTo(s)).toEqual(['force']);
      await s.run(1000);
      expect([stageOf(s), offeredBy(s)]).toEqual(['ready', ['read']]);
      expect(asksOf(s, 'tools/list')).toHaveLength(asked + 1);
    },
  );
}

scenario(
  'a client is refreshing while one of its lists is read again, until the last of them is there',
  {
    servers: { fs: { ...slow, info: { capabilities: everything } } },
    timing: { listMs: 1_000 },
    mend: (ports) => {
      let asked = 0;
      return {
        ...ports,
        request: (from, question, emit) =>
          question.method === 'prompts/list' && (asked += 1) > 1
            ? () => {}
            : ports.request(from, question, emit),
      };
    },
  },
  async (s) => {
    const refreshing = (): boolean[] =>
      (['tools', 'prompts'] as const).map((list) => catalogOf(s, 'fs', list)?.state === 'refreshing');
    s.computer();
    await s.run(500);
    expect(stageOf(s)).toBe('ready');
    expect(refreshing()).toEqual([false, false]);
    s.servers.announce('fs', 'tools');
    await s.run(50);
    s.servers.announce('fs', 'prompts');
    await until(s, () => refreshing()[0] === true);
    await until(s, () => refreshing()[0] === false);
    expect(refreshing()).toEqual([false, true]);
    await s.run(s.timing.listMs);
    expect(refreshing()).toEqual([false, false]);
  },
);
