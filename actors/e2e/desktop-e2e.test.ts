import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { openHouse, type House } from '../../scenarios/fixtures/full-system.ts';

/** Windows of real processes as an agent of another host sees them: right after each change, told of each once. */
const mark = crypto.randomUUID();
let house: House;
beforeAll(async () => {
  house = await openHouse(mark);
});
afterAll(async () => {
  await house.close();
  expect(pidsOf(mark)).toEqual([]);
});
const notices = (): number => house.notices('notify:update_desktop');
const shown = (path: string, text: string): string => `window://screen/${path}\n\n${text}`;
const [tab, log] = [shown('main/tab1?priority=80', 'a page'), shown('log', 'started')];
/** Until the agent sees exactly these, in this order. */
async function sees(...windows: readonly string[]): Promise<void> {
  const wanted = JSON.stringify(windows);
  await house.until(() => JSON.stringify(house.seen.desktop) === wanted);
}
const call = async (tool: string, params: object): Promise<void> => {
  expect((await house.agent.callTool('c1', tool, { ...params })).outcome).toBe('succeeded');
};

describe('the Desktop of an agent', () => {
  it('has the windows of all servers, and after each change what is there then; of each it is told once', async () => {
    await sees(tab, log);
    // What was told while everybody came is over with the first change that is seen.
    await call('show_window', { path: 'mark?priority=90', text: 'm' });
    const marked = shown('mark?priority=90', 'm');
    await sees(marked, tab, log);
    const [before, told] = [notices(), house.seen.told.desktop];

    await call('show_window', { path: 'new?priority=10', text: 'one' });
    await sees(marked, tab, shown('new?priority=10', 'one'), log);
    await call('show_window', { path: 'new?priority=10', text: 'two' });
    await sees(marked, tab, shown('new?priority=10', 'two'), log);
    await call('close_window', { path: 'new?priority=10' });
    await sees(marked, tab, log);
    // The same list once more is no change.
    await call('relist_windows', {});
    house.kill('screen');
    await sees();
    await house.computer.startServer('screen');
    await sees(tab, log);
    await call('close_window', { path: 'log' });
    await sees(tab);
    expect([notices() - before, house.seen.told.desktop - told]).toEqual([6, 6]);
  });

  it('can be had in parts, and a window that was closed is refused by name', async () => {
    const { desktops, missing } = await house.agent.getDesktop('c1', { size: 0 });
    expect([desktops, missing]).toEqual([[], []]);
    await expect(house.agent.readResource('c1', 'window://screen/log')).rejects.toMatchObject({
      code: 404,
      details: { uri: 'window://screen/log', req_id: expect.any(String) },
    });
  });
});
