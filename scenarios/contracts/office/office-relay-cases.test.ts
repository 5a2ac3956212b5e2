import { afterEach, beforeEach, expect, it } from 'vitest';
import { callTo, codeIn, toolsOf } from '../link/link-world.ts';
import { entered, type OfficeHarness, openOffice } from './office-harness.ts';

/**
 * The cases of a2c-wire §8.3 that raw peers can show against a whole office. R07 is in office-relay.contract.ts,
 * R08, R09 and R16 with the schemas and readers in machines/protocol, R18 in link.contract.ts.
 */
const updates = ['config', 'tool_list', 'desktop', 'finder'];
const cancel = { agent: 'a', req_id: 'r' };

let office: OfficeHarness;
beforeEach(async () => {
  office = await openOffice();
});
afterEach(() => office.close());

it('R01 a call reaches its computer as it was sent, and the answer comes back as it was given', async () => {
  const agent = await office.agent();
  const result = { meta: null, content: [{ type: 'text', text: 'hi', annotations: null }], isError: false };
  const computer = await office.answering(result);
  const call = callTo('c', { params: { deep: { n: [1, null] } } });
  expect(await office.ask(agent, 'client:tool_call', call)).toEqual([result]);
  expect(await office.heard(computer)).toEqual([['client:tool_call', call]]);
});
it('R02 an unknown key passes, where Python drops it', async () => {
  const agent = await office.agent();
  const computer = await office.answering({});
  await office.ask(agent, 'client:tool_call', callTo('c', { more: 1 }));
  expect(computer.heard[0]?.body).toMatchObject({ more: 1 });
});
it('R03 a computer that calls a tool is refused', async () => {
  const computer = await office.computer();
  const other = await office.computer('d');
  const before = await office.heard(computer);
  const ack = await office.ask(other, 'client:tool_call', callTo('c'));
  expect(ack).toMatchObject([{ isError: true, structuredContent: { error: { code: 403 } } }]);
  expect(await office.heard(computer)).toEqual(before);
});
it('R04 a computer of another office is not found, and hears nothing', async () => {
  const agent = await office.agent();
  const other = await office.computer('c', 'p');
  expect(codeIn(await office.ask(agent, 'client:tool_call', callTo('c')))).toBe(404);
  expect(await office.heard(other)).toEqual([]);
});
it('R05 an unknown computer is answered at once, a tool call as a result', async () => {
  const agent = await office.agent();
  const error = { code: 404, message: "Computer 'x' is not in this office" };
  expect(await office.ask(agent, 'client:tool_call', callTo('x'))).toMatchObject([
    { isError: true, structuredContent: { error } },
  ]);
  expect(await office.ask(agent, 'client:get_tools', toolsOf('x'))).toMatchObject([{ error }]);
});
it('R06 the call of a computer that drops ends at once', async () => {
  const agent = await office.agent();
  const computer = await office.computer();
  const call = office.ask(agent, 'client:tool_call', callTo('c', { timeout: 0 }));
  await office.until(() => computer.heard.length > 0);
  computer.close();
  expect(await call).toMatchObject([
    { structuredContent: { error: { code: 404, details: { reason: 'left' } } } },
  ]);
});
it('R10 a desktop is relayed as it is, whatever its URIs', async () => {
  const agent = await office.agent();
  const answer = { desktops: ['win://1'], req_id: 'r' };
  await office.answering(answer);
  const question = { ...toolsOf('c'), desktop_size: 3, window: 'win://1' };
  expect(await office.ask(agent, 'client:get_desktop', question)).toEqual([answer]);
});
it('R11 a config is relayed, where Python gives an empty ack', async () => {
  const agent = await office.agent();
  const answer = { servers: { fs: { type: 'stdio' } }, inputs: [] };
  await office.answering(answer);
  expect(await office.ask(agent, 'client:get_config', toolsOf('c'))).toEqual([answer]);
});
it.each(updates)('R12 a change is told to the others, under the registered name: %s', async (what) => {
  const [agent, foreign] = [await office.agent(), await office.agent('b', 'p')];
  const [computer, sibling] = [await office.computer('c'), await office.computer('d')];
  expect(await office.ask(computer, `server:update_${what}`, { computer: 'someone else' })).toEqual([]);
  const notice = [`notify:update_${what}`, { computer: 'c' }];
  expect((await office.heard(agent)).at(-1)).toEqual(notice);
  expect(await office.heard(sibling)).toEqual([notice]);
  expect(await office.heard(computer)).toEqual([entered({ computer: 'd' })]);
  expect(await office.heard(foreign)).toEqual([]);
});
it.each(updates)('R13 a change told by an agent or by nobody is told to nobody: %s', async (what) => {
  const agent = await office.agent();
  const [computer, stranger] = [await office.computer(), await office.peer()];
  for (const peer of [agent, stranger])
    expect(codeIn(await office.ask(peer, `server:update_${what}`, { computer: 'c' }))).toBe(403);
  expect(await office.heard(agent)).toEqual([entered({ computer: 'c' })]);
  for (const peer of [computer, stranger]) expect(await office.heard(peer)).toEqual([]);
});
it('R14 a cancel reaches the computers of the office, and not its agent', async () => {
  const agent = await office.agent();
  const [computer, foreign] = [await office.computer(), await office.computer('c', 'p')];
  expect(await office.ask(agent, 'server:tool_call_cancel', { ...cancel, more: 1 })).toEqual([]);
  expect(await office.heard(computer)).toEqual([['notify:tool_call_cancel', cancel]]);
  expect(await office.heard(agent)).toEqual([entered({ computer: 'c' })]);
  expect(await office.heard(foreign)).toEqual([]);
});
it('R15 a cancel under another name, by a computer or by nobody reaches nobody', async () => {
  const agent = await office.agent();
  const [computer, stranger] = [await office.computer(), await office.peer()];
  for (const [peer, name] of [
    [agent, 'x'],
    [computer, 'c'],
    [computer, 'a'],
    [stranger, 'a'],
  ] as const)
    expect(codeIn(await office.ask(peer, 'server:tool_call_cancel', { ...cancel, agent: name }))).toBe(403);
  expect(await office.heard(computer)).toEqual([]);
  expect(await office.heard(agent)).toEqual([entered({ computer: 'c' })]);
});
it('R17 a result of 3 MB arrives, and both sockets live on', async () => {
  const agent = await office.agent();
  const computer = await office.answering({ content: 'x'.repeat(3_000_000) });
  const [result] = await office.ask(agent, 'client:tool_call', callTo('c'));
  expect((result as { content: string }).content).toHaveLength(3_000_000);
  expect([agent.isClosed(), computer.isClosed()]).toEqual([false, false]);
});
