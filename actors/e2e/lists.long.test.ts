import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Tests of servers that announce or declare lists wrongly. */
const mark = crypto.randomUUID();
let ear: ReturnType<typeof createEar>;
let computer: Computer;
beforeEach(() => {
  ear = createEar();
});
afterEach(async () => {
  await computer.close();
  expect(pidsOf(mark)).toEqual([]);
});
const start = async (behaviour: string, own: object = {}): Promise<void> => {
  const config = { mcpServers: { s: launched(mark, behaviour, { a2c: own }) } };
  computer = await bootedComputer({ name: 'c1', config, onEvent: ear.onEvent });
};
const asked = async (method: string): Promise<number> => {
  const { result } = await computer.callTool('methods');
  const [{ text = '' } = {}] = (result as { content: readonly { text?: string }[] }).content;
  return (JSON.parse(text) as string[]).filter((each) => each === method).length;
};
const listOf = (list: string) => computer.debug.catalogs().find((each) => each.list === list);

describe('a server', () => {
  it('is not believed when it tells of changes and never said that it would: the next look finds them', async () => {
    await start('untold', { pollMs: 2_000 });
    await computer.callTool('burst', { times: 3, ms: 1 });
    // A trusted announcement would lead to a request after the quiet time, which is far shorter than the polling interval.
    await ear.until(() => ear.of('tools.changed').length === 2);
    expect(ear.of('tools.changed')[1]).toEqual({ added: ['version-3'], removed: [], changed: [] });
    expect(await asked('tools/list')).toBe(2);
  });

  it('is ready all the same when it speaks of a change before its handshake is over, with the list that holds', async () => {
    await start('early');
    expect(computer.status().servers).toEqual([
      { name: 's', state: 'ready', pid: expect.any(Number) as number },
    ]);
    expect((await computer.tools()).tools.map(({ name }) => name)).toContain('echo');
  });

  it('has none of a list which it declared and does not know, and is not asked again', async () => {
    await start('lacksPrompts', { pollMs: 20, pollDeclaredMs: 20 });
    // The tools of the server are polled twelve times in the meantime.
    while ((await asked('tools/list')) < 12) expect(ear.of('tools.changed')).toHaveLength(1);
    const { state, entries, failures } = listOf('prompts') ?? {};
    expect([state, entries, failures]).toEqual(['standby', 0, 0]);
    expect(await asked('prompts/list')).toBe(1);
    expect(computer.status().servers).toEqual([
      { name: 's', state: 'ready', pid: expect.any(Number) as number },
    ]);
  });
});
