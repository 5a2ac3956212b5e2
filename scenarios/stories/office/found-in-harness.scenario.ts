/** Found by invariants that no plan can express; the invariant is named above each. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { asksOf, stageOf, stepOf } from '../../stage/watching.ts';

// Invariant: an announced change is fetched.
scenario(
  'a change told before the first list is there is fetched once it is',
  { servers: { fs: { tools: { read: { answers: {} } }, listMs: 100 } } },
  async (s) => {
    s.computer();
    await s.run(50);
    expect(stepOf(s)).toBe('listing');
    s.servers.announce('fs');
    s.servers.announce('fs');
    await s.run(40);
    expect(asksOf(s, 'tools/list')).toHaveLength(1);
    await s.run(220);
    expect(stageOf(s)).toBe('ready');
    expect(asksOf(s, 'tools/list')).toHaveLength(2);
    await s.run(600);
    expect(asksOf(s, 'tools/list')).toHaveLength(2);
  },
);

// Invariant: no message is lost.
scenario(
  'an office that is left in mid-call: the call is cancelled, and nobody has to hear of it',
  { servers: { fs: { tools: { read: { never: true } } } } },
  async (s) => {
    await s.office();
    s.computer({ linked: true });
    s.agent();
    await s.run(1000);
    s.agentCall('read');
    await s.run(10);
    s.order('computer', { type: 'office.leave' });
    await s.run(1000);
    expect(s.servers.heard).toContain('cancelled tools/call at fs');
  },
);

// Invariant: no secret is told in a failure or a config.
scenario(
  'a server that says on stderr what it was launched with gives it away to nobody',
  {
    servers: {
      fs: { tools: { read: { dies: { code: 1, stderr: 'bad key' } } }, secrets: ['hunter2-hunter2'] },
    },
  },
  async (s) => {
    await s.office();
    s.computer({ linked: true });
    s.agent();
    await s.run(1000);
    const [ours, theirs] = [s.call('read'), s.agentCall('read')];
    await s.run(3000);
    expect(ours.settled[0]?.failure?.message).toContain('***');
    expect(theirs.settled).toHaveLength(1);
    expect(JSON.stringify([s.seen, s.news])).not.toContain('hunter2');
  },
);
