import { expect, it } from 'vitest';
import { timing } from '../../machines/kernel/timing.ts';
import { defaultTiming, hostTiming, planOf, readOrThrow } from './plan.ts';

it('a server without auto_approve of its own has that at the top of the config, and [] is its own', () => {
  const command = 'x';
  const { servers, settings } = readOrThrow({
    mcpServers: { a: { command }, b: { command, autoApprove: ['b_x'] }, c: { command, autoApprove: [] } },
    a2c: { autoApprove: ['read'] },
  });
  const policy = { autoConnect: true, autoReconnect: true, timing };
  const facts = { generation: 1, values: 0, fingerprint: 'f', cached: null, lastTools: null };
  const rules = servers.map((server) => planOf(server, settings, policy, facts).rules);
  expect(rules.map(({ server, autoApprove }) => [server, autoApprove])).toEqual([
    ['a', ['read']],
    ['b', ['b_x']],
    ['c', []],
  ]);
});

it('delays of a computer are worked out once for a config, and those of its host go first', () => {
  const timingOf = hostTiming({ toolsMs: 1 });
  const settings = { timeouts: { toolsMs: 2, bootMs: 3 } };
  expect(timingOf(settings)).toEqual({ ...defaultTiming(), toolsMs: 1, bootMs: 3 });
  expect(timingOf(settings)).toBe(timingOf(settings));
  expect(timingOf({})).toEqual({ ...defaultTiming(), toolsMs: 1 });
});

it('the exit of a process is waited for on Windows as long as its processes take to be listed', () => {
  const waits = (['linux', 'darwin', 'win32'] as const).map(
    (platform) => defaultTiming(platform).exitGraceMs,
  );
  expect(waits).toEqual([250, 250, 2_500]);
});
