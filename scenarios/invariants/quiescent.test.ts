import { describe, expect, it } from 'vitest';
import { Harness, type HarnessOptions } from '../stage/harness.ts';
import { everybody, order } from '../stage/watching.ts';
import { Bench } from './index.ts';

const tools = { read: { answers: { content: [] }, afterMs: 50 } };
const servers = { fs: { tools }, git: { tools: { log: tools.read, hangs: { never: true } } } } as const;

async function said(
  act: (harness: Harness) => void | Promise<void>,
  options: Partial<HarnessOptions> = {},
  restMs = 60_000,
): Promise<string[]> {
  const harness = new Harness({ servers, ...options });
  await everybody(harness, 5_000);
  await act(harness);
  await harness.run(restMs);
  const bench = new Bench({ slackMs: 0 });
  for (const seen of harness.seen) bench.take(seen);
  bench.quiescent(harness.clock.now());
  return bench.violations.map(({ invariant, at, what }) => `${invariant}: ${at} ${what}`);
}

describe('the system, when it is quiescent', () => {
  it('reports a link that does not rejoin an open office', async () => {
    expect(await said((s) => s.network.faults.keepAway('a1', 3_600_000))).toEqual([
      expect.stringMatching(
        /^every link to an office has joined it, or was refused: host:agent is \w+, and its/,
      ),
    ]);
  });

  it('tells before it is quiescent what is still under way', async () => {
    const found = (
      await said(
        (s) => {
          s.agentCall('hangs');
          order(s, 'server.stop');
          s.servers.kill('git', { code: 1 });
          s.call('read').cancel();
        },
        { servers: { ...servers, fs: { tools, ignores: ['stdin'] } } },
        1,
      )
    ).join('\n');
    expect(found).toContain('rests and says why: host:computer git is waiting, and is wanted');
    expect(found).toContain('only then: host:computer its tools changed, and nobody was told');
  });
});
