import { describe, expect, it } from 'vitest';
import { Stage, type StageOptions } from '../stage/stage.ts';
import { Bench } from './index.ts';

const tools = { read: { answers: { content: [] }, afterMs: 50 } };
const servers = { fs: { tools }, git: { tools: { log: tools.read, hangs: { never: true } } } } as const;

/** What the laws say when everybody has come up, something was done, and a minute has passed since. */
function said(act: (stage: Stage) => void, options: Partial<StageOptions> = {}, restMs = 60_000): string[] {
  const stage = new Stage({ servers, ...options });
  stage.office();
  stage.computer({ linked: true });
  stage.agent();
  stage.run(5_000);
  act(stage);
  stage.run(restMs);
  const bench = new Bench({ slackMs: 0 });
  for (const seen of stage.seen) bench.take(seen);
  bench.quiet(stage.clock.now());
  return bench.breaches.map(({ law, at, what }) => `${law}: ${at} ${what}`);
}
const order = (type: string, server: string) => ({ type, server });

describe('when all is quiet, no law is broken', () => {
  it.each<[what: string, act: (stage: Stage) => void, options?: Partial<StageOptions>]>([
    ['by those who came up', () => {}],
    [
      'by calls that were answered, cancelled, and timed out',
      (s) => {
        s.call('read');
        s.agentCall('read');
        s.agentCall('hangs', { timeoutMs: 500 });
        s.call('hangs').cancel();
        const call = s.agentCall('hangs', { timeoutMs: 0 });
        s.run(10);
        call.cancel();
      },
    ],
    ['by a call that has no limit', (s) => void s.agentCall('hangs', { timeoutMs: 0 })],
    ['by a server that died and came back', (s) => s.servers.kill('fs', { code: 1 })],
    ['by one that never comes up', () => {}, { servers: { ...servers, bad: { initialize: 'error' } } }],
    ['by one that nobody wants', () => {}, { options: { git: { autoStart: false } } }],
    [
      'by orders to stop and to start',
      (s) => {
        s.order('computer', order('server.stop', 'fs'));
        s.order('computer', order('server.start', 'fs'));
        s.order('computer', order('server.stop', 'git'));
      },
    ],
    [
      'by an office that was closed, and one that opened again',
      (s) => {
        s.close('office');
        s.run(5_000);
        s.office();
      },
    ],
    ['by a computer that left', (s) => s.close('computer')],
    [
      'by a second computer of the same name, which is refused',
      (s) => s.computer({ as: 'twin', linked: true, servers: [] }),
    ],
  ])('%s', (_, act, options) => {
    expect(said(act, options)).toEqual([]);
  });

  it('and they say who does not find back to an office that is open', () => {
    expect(said((s) => s.network.faults.keepAway('a1', 3_600_000))).toEqual([
      expect.stringMatching(
        /^whoever has an office sits there, or was refused: agent\/link#1 is \w+, and its/,
      ),
    ]);
  });

  it('and before it is quiet, laws say what is still under way', () => {
    const found = said(
      (s) => {
        s.agentCall('hangs');
        s.order('computer', order('server.stop', 'fs'));
        s.servers.kill('git', { code: 1 });
        s.call('read').cancel();
      },
      { servers: { ...servers, fs: { tools, ignores: ['stdin'] } } },
      1,
    ).join('\n');
    expect(found).toContain('an order is obeyed: computer/client:fs#2 was stopped, and is closing');
    expect(found).toContain('rests and says why: computer/client:git#3 is waiting, and is wanted');
    expect(found).toContain('only then: computer/link#1 its tools changed, and nobody was told');
    expect(found).toContain('has not asked for the tools of c1');
    expect(found).toContain(
      'nothing is under way when all is quiet: agent/call:r1#3 is a call that still runs',
    );
  });
});
