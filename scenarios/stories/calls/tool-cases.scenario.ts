/** Scenarios of tools that need a whole computer: lists that change, fail or come late, and servers that die. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import {
  announcedBy,
  asksOf,
  everybody,
  hello,
  offeredBy,
  reaches,
  stageOf,
  stagesOf,
  until,
} from '../../stage/watching.ts';

const tools = { read: { answers: hello } };

scenario(
  'a new tool that its server tells of can be called at once, and the office is told once',
  {
    servers: {
      fs: {
        tools: { ...tools, more: { answers: hello } },
        lists: (n) => (n > 1 ? ['read', 'more'] : ['read']),
      },
    },
  },
  async (s) => {
    await everybody(s);
    await s.run(1_000);
    const before = announcedBy(s).length;
    s.servers.announce('fs');
    await until(s, () => offeredBy(s).includes('more'));
    const call = s.agentCall('more');
    await s.run(1_000);
    expect(call.settled).toMatchObject([{ outcome: 'succeeded' }]);
    expect(announcedBy(s).length).toBe(before + 1);
  },
);

scenario(
  'the tools of a server that is killed are withdrawn, it is started again, and both is told',
  { servers: { fs: { tools } } },
  async (s) => {
    await everybody(s);
    await s.run(1_000);
    const before = announcedBy(s).length;
    s.servers.kill('fs', { signal: 'SIGKILL' });
    await until(s, () => offeredBy(s).length === 0);
    await s.run(500);
    expect(stageOf(s)).toBe('waiting');
    expect(announcedBy(s)).toHaveLength(before + 1);
    await s.run(5_000);
    expect(offeredBy(s)).toEqual(['read']);
    expect(announcedBy(s)).toHaveLength(before + 2);
    expect(stagesOf(s).slice(-3)).toEqual(['waiting', 'connecting', 'ready']);
  },
);

scenario(
  'a list that is under way when the config changes is thrown away, and the newer one holds',
  {
    servers: {
      fs: {
        tools,
        listMs: 300,
        later: { 2: { tools: { write: { answers: hello } }, lists: () => ['write'] } },
      },
    },
    options: { fs: { generation: 1 } },
  },
  async (s) => {
    s.computer();
    await reaches(s, 'ready');
    s.servers.announce('fs');
    await until(s, () => asksOf(s, 'tools/list').length === 2);
    s.config({ fs: { generation: 2 } });
    await s.run(10_000);
    expect(stageOf(s)).toBe('ready');
    expect(offeredBy(s)).toEqual(['write']);
  },
);
