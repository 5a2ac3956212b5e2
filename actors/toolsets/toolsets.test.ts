import { afterAll, beforeAll, expect, it } from 'vitest';
import { linked } from '../../scenarios/fixtures/hosted.ts';
import { createAgent, createOffice, type Agent, type Computer, type Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { createConversation } from '../models/index.ts';
import { toolsOf as aiTools } from './ai.ts';
import { toolsOf as chainTools } from './langchain.ts';

let office: Office;
let agent: Agent;
const computers: Computer[] = [];
beforeAll(async () => {
  office = await createOffice({ port: 0, record: false });
  for (const name of ['one', 'two'])
    computers.push(
      await bootedComputer({
        ...{ name, stateDir: false, record: false, office: { url: office.url } },
        config: { mcpServers: { s: { type: 'inmemory', autoApprove: ['echo', 'image'] } } },
        inMemory: { s: linked().connect },
        confirm: ({ context }) => ({ decision: 'deny', reason: `${JSON.stringify(context)} said no` }),
      }),
    );
  agent = await createAgent({ url: office.url, record: false });
});
afterAll(async () => {
  for (const handle of [agent, ...computers, office]) await handle.close();
});
const computer = (): Computer => computers[0] as Computer;
const call = { toolCallId: 't1' };

it('tools of a computer give the model its texts, in the forms of both versions of the AI SDK', async () => {
  const { echo } = await aiTools(computer());
  const output = await echo?.execute({ text: 'hi' }, call);
  expect(output).toMatchObject({ toolCallId: 't1', isError: false });
  const told = { type: 'content', value: [{ type: 'text', text: 'hi' }] };
  expect(echo?.toModelOutput(output)).toEqual(told);
  expect(echo?.toModelOutput({ toolCallId: 't1', input: {}, output })).toEqual(told);
});

it('a call that a person refuses tells the model why, and the person for whom it is made', async () => {
  const { work } = await aiTools(computer(), { context: 'ada' });
  expect(work?.toModelOutput(await work.execute({}, call))).toEqual({
    type: 'error-text',
    value: 'Error: A person refused the call: "ada" said no',
  });
});

it('the signal of the framework cancels a call, which tells the model so', async () => {
  const { echo } = await aiTools(computer());
  const abortSignal = AbortSignal.abort(new Error('the tab was closed'));
  const output = await echo?.execute({ text: 'hi' }, { ...call, abortSignal });
  expect(output).toMatchObject({ isError: true });
  expect(JSON.stringify(output)).toContain('the tab was closed');
});

it('tools of an agent are those of all its computers, and a name that two have is told apart', async () => {
  await Promise.all(computers.map(({ name }) => agent.tools(name)));
  const tools = await aiTools(agent);
  expect(Object.keys(tools)).toEqual(expect.arrayContaining(['one_echo', 'two_echo']));
  expect(await tools['two_echo']?.execute({ text: 'far' }, call)).toMatchObject({ isError: false });
});

it('tools keep their names in a conversation, and one that is gone says so', async () => {
  const conversation = createConversation();
  const { echo } = await aiTools(computer(), { conversation });
  conversation.offer([]);
  expect(await echo?.execute({ text: 'hi' }, call)).toMatchObject({ isError: true });
  expect(Object.keys(await aiTools(computer(), { conversation }))).toContain('echo');
});

it('the function `tool` of LangChain is given name, schema, and a call whose artifact is the response', async () => {
  type Made = { readonly name: string; readonly run: (input: unknown, config: object) => Promise<unknown> };
  const tool = (run: Made['run'], { name }: { readonly name: string }): Made => ({ name, run });
  const tools = await chainTools(computer(), { tool, context: 'eve' });
  const of = (name: string) => tools.find((one) => one.name === name);
  expect(await of('echo')?.run({ text: 'hi' }, { toolCall: { id: 't1' } })).toEqual([
    'hi',
    { toolCallId: 't1', content: [{ type: 'text', text: 'hi' }], isError: false },
  ]);
  expect(await of('work')?.run({}, {})).toMatchObject([
    'Error: A person refused the call: "eve" said no',
    { isError: true },
  ]);
});

it.each<[what: string, given: () => Promise<unknown>, message: string]>([
  ['a misspelt option', () => aiTools(computer(), { timeoutMS: 3 } as never), 'did you mean timeoutMs?'],
  ['a signal, which the framework gives', () => aiTools(computer(), { signal: 1 } as never), 'signal'],
  ['no computer', () => aiTools({} as never), 'source: expected a computer or an agent'],
  ['no function of LangChain', () => chainTools(computer(), {} as never), 'expected the function `tool`'],
])('toolsOf refuses %s', async (_, given, message) => {
  await expect(given()).rejects.toMatchObject({
    code: 'BadRequest',
    message: expect.stringContaining(message),
  });
});
