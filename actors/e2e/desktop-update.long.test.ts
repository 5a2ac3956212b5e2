import { describe, expect, it } from 'vitest';
import { earOf, hostsWith } from '../../scenarios/fixtures/resource-hosts.ts';

/** Tests of Desktop updates with a real agent, office, computer and server; finder-update.long.test.ts does the same for documents. */
const log = 'window://h/log';
const flags = ['--host', 'h', '--windows', JSON.stringify([{ path: 'log', text: 'started' }])];

describe('an agent that listens to a Desktop', () => {
  it('is told of all windows, then of each that appears, changes and vanishes, and of nothing else', async () => {
    await using hosts = await hostsWith('windows', flags);
    const { next, told } = earOf(hosts.agent, 'desktop.changed');
    const started = { uri: log, text: 'started' };
    expect(await next()).toEqual({
      computer: 'desk',
      value: { desktops: [`${log}\n\nstarted`], missing: [] },
      ...{ added: [started], removed: [], changed: [] },
    });
    await hosts.act('show_window', { path: 'new', text: 'hello' });
    const hello = { uri: 'window://h/new', text: 'hello' };
    expect(await next()).toMatchObject({ added: [hello], removed: [], changed: [] });
    // The server announces a change of its list although the list is the same.
    await hosts.act('relist_windows');
    await hosts.act('show_window', { path: 'log', text: 'done' });
    const done = { uri: log, text: 'done' };
    expect(await next()).toMatchObject({ added: [], removed: [], changed: [done] });
    await hosts.act('close_window', { path: 'new' });
    expect(await next()).toMatchObject({
      value: { desktops: [`${log}\n\ndone`] },
      ...{ added: [], removed: [hello], changed: [] },
    });
    expect(told).toEqual([]);
  });

  it('is told that it is too large for an office, and what to ask for instead', async () => {
    await using hosts = await hostsWith('windows', flags);
    const { next } = earOf(hosts.agent, 'desktop.changed');
    await next();
    const failed = earOf(hosts.agent, 'desktop.failed');
    for (const path of ['big', 'bigger'])
      await hosts.act('show_window', { path, text: 'x'.repeat(4_300_000) });
    const remedy = expect.stringMatching(/size.*window/);
    const failure = { code: 'TooLarge', details: { limit_bytes: expect.any(Number) }, remedy };
    expect(await failed.next()).toMatchObject({ computer: 'desk', failure });
    await expect(hosts.agent.desktop('desk')).rejects.toMatchObject(failure);
    expect((await hosts.agent.desktop('desk', { size: 1 })).desktops).toHaveLength(1);
  });

  it('is told of it again when its computer has left and come back, and of its leaving once', async () => {
    await using hosts = await hostsWith('windows', flags, { follow: ['desktop'] });
    const changed = earOf(hosts.agent, 'desktop.changed');
    const left = earOf(hosts.agent, 'computer.left');
    await changed.next();
    await hosts.computer.leave();
    expect(await left.next()).toEqual({ computer: 'desk' });
    await hosts.computer.join({ url: hosts.office.url });
    expect((await changed.next()).added).toHaveLength(1);
    expect([changed.told, left.told]).toEqual([[], []]);
  });
});

describe('an agent that asks for a Desktop', () => {
  it('has all windows, the first few, or the one that it names', async () => {
    await using hosts = await hostsWith('windows', [
      '--host',
      'h',
      '--windows',
      JSON.stringify([
        { path: 'a?priority=9', text: 'A' },
        { path: 'b', text: 'B' },
      ]),
    ]);
    const { agent } = hosts;
    const [a, b] = ['window://h/a?priority=9\n\nA', 'window://h/b\n\nB'];
    expect(await agent.desktop('desk')).toEqual({ desktops: [a, b], missing: [] });
    expect((await agent.desktop('desk', { size: 1 })).desktops).toEqual([a]);
    expect((await agent.desktop('desk', { size: 0 })).desktops).toEqual([]);
    expect((await agent.desktop('desk', { window: 'window://h/b' })).desktops).toEqual([b]);
    expect((await agent.desktop('desk', { window: 'window://h/c' })).desktops).toEqual([]);
    await expect(agent.desktop('desk', { size: 1.5 })).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('is told which server is missing, and why', async () => {
    await using hosts = await hostsWith('windows', flags);
    const { next } = earOf(hosts.agent, 'desktop.changed');
    await next();
    await hosts.act('show_window', { path: 'log', refuses: 'not now' });
    expect((await next()).value.missing).toMatchObject([{ server: 'windows' }]);
    expect(await hosts.agent.desktop('desk')).toMatchObject({
      desktops: [],
      missing: [{ server: 'windows', reason: expect.stringContaining('not now') }],
    });
  });

  it('reads one window as its server gives it; what there is not is refused with the name of the question', async () => {
    await using hosts = await hostsWith('windows', flags);
    const { agent } = hosts;
    expect(await agent.readResource('desk', log)).toEqual([
      { uri: log, mimeType: 'text/plain', text: 'started' },
    ]);
    const reqId = { req_id: expect.stringMatching(/./) };
    await expect(agent.readResource('desk', 'window://h/none')).rejects.toMatchObject({
      ...{ name: 'A2cError', code: 'NotFound', details: { ...reqId, uri: 'window://h/none' } },
    });
    await expect(agent.desktop('nobody')).rejects.toMatchObject({ code: 'NotFound', details: reqId });
    await expect(agent.readResource('desk', 'window://h/a?priority=900')).rejects.toMatchObject({
      ...{ code: 'BadRequest', details: { rule: 'priority' } },
    });
  });
});
