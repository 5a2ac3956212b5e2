import type Anthropic from '@anthropic-ai/sdk';
import type { Content } from '@google/genai';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type OpenAI from 'openai';
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Agent, Computer } from '../../../actors/index.ts';
import {
  anthropic,
  createConversation,
  gemini,
  openai,
  openaiResponses,
  type Conversation,
  type ModelCall,
  type ModelCallProgress,
} from '../../../actors/models/index.ts';
import { bootedHosts } from '../../fixtures/booted.ts';

const png = 'iVBORw0KGgoBAgME';
const begun: string[] = [];
function pictures(): McpServer {
  const server = new McpServer({ name: 'pictures', version: '1.0.0' });
  const image = { type: 'image' as const, data: png, mimeType: 'image/png' };
  server.registerTool('shot', { description: 'Takes a picture' }, () => ({ content: [image] }));
  const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });
  server.registerTool('fail', {}, () => ({ isError: true, ...said('disk is full') }));
  server.registerTool('delete', {}, () => ({ content: [] }));
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => said(text));
  server.registerTool('work', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? '';
    const params = { progressToken, progress: 1, total: 2 };
    await sendNotification({ method: 'notifications/progress', params });
    return said('worked');
  });
  server.registerTool('hang', { inputSchema: { n: z.string() } }, async ({ n }, { signal }) => {
    begun.push(n);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return { content: [] };
  });
  return server;
}

let hosts: Awaited<ReturnType<typeof bootedHosts>>;
let computer: Computer;
let agent: Agent;
let conversation: Conversation;
let seen: Conversation;
const denied: unknown[] = [];
const made = new Map<string, ModelCall>();
const asked: (ModelCall | undefined)[] = [];
beforeAll(async () => {
  hosts = await bootedHosts({
    name: 'laptop',
    config: { mcpServers: { pictures: { type: 'inmemory' } } },
    inMemory: { pictures },
    confirm: ({ tool, context, reqId }) => {
      asked.push(made.get(reqId));
      if (tool !== 'delete') return 'allow';
      denied.push(context);
      return 'deny';
    },
  });
  ({ computer, agent } = hosts);
  conversation = createConversation();
  conversation.offer((await computer.tools()).tools);
  seen = createConversation();
  seen.offer((await agent.tools('laptop')).tools);
});
afterAll(() => hosts.close());

const use = (id: string, name: string, input: object = {}): Anthropic.ToolUseBlock => ({
  ...{ type: 'tool_use', id, name, input, caller: { type: 'direct' } },
});
const answer = (...content: Anthropic.ContentBlock[]) => ({ content }) as Anthropic.Message;
const told = (messages: readonly Anthropic.MessageParam[]): Record<string, unknown> => {
  const { content = [] } = messages[1] ?? {};
  const blocks = (typeof content === 'string' ? [] : content) as Anthropic.ToolResultBlockParam[];
  return Object.fromEntries(blocks.map((block) => [block.tool_use_id, block.content]));
};

async function expectRefusal(message: string, ...place: readonly unknown[]): Promise<void> {
  const before = computer.calls().length;
  const run = anthropic.run as (...given: unknown[]) => Promise<unknown>;
  const [, option = ''] = /^run: ([^:]+):/.exec(message) ?? [];
  const refusal = { name: 'A2cError', code: 'BadRequest', message, details: { option } };
  await expect(run(answer(use('1', 'shot')), ...place)).rejects.toMatchObject(refusal);
  expect(computer.calls()).toHaveLength(before);
}

describe('a turn of Anthropic', () => {
  it('calls a computer with the session of the host, and an agent without one', async () => {
    const given: unknown[] = [];
    const callTool = (...args: readonly unknown[]) => {
      given.push(args.at(-1));
      return Promise.resolve({ failure: null, result: { content: [] } });
    };
    const message = answer(use('1', 'echo', { text: 'hi' }));
    await anthropic.run(message, conversation, { callTool }, { sessionKey: 'ada' });
    await anthropic.run(message, seen, { callTool, room: async () => [] }, { sessionKey: 'ada' });
    expect(given).toEqual([{ sessionKey: 'ada' }, {}]);
  });

  it('gives the answer of the model back, and every result, whatever came of its call', async () => {
    const message = answer(
      { type: 'text', text: 'Let me see.', citations: null },
      ...[use('1', 'shot'), use('2', 'fail'), use('3', 'none'), use('4', 'echo', { text: 1 })],
      ...[use('5', 'echo', { text: 'hi' }), use('6', 'delete')],
    );
    const turn = await anthropic.run(message, conversation, computer, { context: { user: 'ada' } });
    const messages: Anthropic.MessageParam[] = turn.messages;
    expect(messages[0]).toEqual({ role: 'assistant', content: message.content });
    expect(told(messages)).toEqual({
      '1': [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
      '2': 'Error: disk is full',
      '3': "Error: Tool 'none' does not exist",
      '4': expect.stringMatching(/^Error: .*text/s) as string,
      '5': 'hi',
      '6': expect.stringMatching(/^Error: /) as string,
    });
    expect(denied).toEqual([{ user: 'ada' }]);
    expect(turn.calls.map(({ id, call, outcome }) => [id, call?.tool, outcome])).toEqual([
      ...[['1', 'shot', 'succeeded'] as const, ['2', 'fail', 'failed'] as const, ['3', undefined, 'failed']],
      ...[['4', 'echo', 'failed'] as const, ['5', 'echo', 'succeeded'] as const, ['6', 'delete', 'failed']],
    ]);
  });

  it('is the answer alone when nothing is called, and nothing without an answer', async () => {
    const said = answer({ type: 'text', text: 'Done.', citations: null });
    expect(await anthropic.run(said, conversation, computer)).toEqual({
      messages: [{ role: 'assistant', content: said.content }],
      calls: [],
    });
    expect(await anthropic.run(undefined, conversation, computer)).toEqual({ messages: [], calls: [] });
  });

  it('tells the id of each call before its question comes', async () => {
    const onCall = ({ call, reqId }: { call: ModelCall; reqId: string }): void => void made.set(reqId, call);
    asked.length = 0;
    const message = answer(use('a', 'echo', { text: 'hi' }), use('b', 'none'), use('c', 'delete'));
    await anthropic.run(message, conversation, computer, { onCall, concurrency: 1 });
    expect(asked).toMatchObject([
      { id: 'a', tool: 'echo' },
      { id: 'c', tool: 'delete' },
    ]);
    expect(made.size).toBe(2);
    const { calls } = await anthropic.run(answer(use('d', 'echo', { text: 'hi' })), seen, agent, { onCall });
    expect(calls).toMatchObject([{ outcome: 'succeeded' }]);
    expect(asked.at(-1)).toMatchObject({ id: 'd', computer: 'laptop' });

    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    const broken = (): never => {
      throw new Error('broken');
    };
    const turn = await anthropic.run(answer(use('e', 'shot')), conversation, computer, { onCall: broken });
    expect(turn.calls).toMatchObject([{ outcome: 'succeeded' }]);
    expect(warned).toHaveBeenCalledWith("a listener of 'onCall' threw: broken", 'A2cListenerWarning');
    warned.mockRestore();
  });

  it.each<[what: string, message: string, options: object]>([
    ['an unknown option', 'timeout: unknown option (did you mean timeoutMs?)', { timeout: 5 }],
    [
      'a time that is none',
      'timeoutMs: expected milliseconds from 0 (no limit) to 2147483647, got NaN',
      { timeoutMs: NaN },
    ],
    ['no call at a time', 'concurrency: expected a whole number from 1, got 0', { concurrency: 0 }],
    [
      'an unknown kind of media',
      'media[0]: expected one of image, audio, document, got an object',
      { media: [{}] },
    ],
  ])('is refused to a host that gives %s, and nothing is called', async (_what, message, options) => {
    await expectRefusal(`run: ${message}`, conversation, computer, options);
  });

  it('a turn is refused to a host that swaps its arguments, or gives no computer', async () => {
    const swapped = 'run: conversation: expected a conversation of createConversation, got an object';
    await expectRefusal(swapped, computer, conversation);
    await expectRefusal('run: target: expected a computer or an agent, got undefined', conversation);
  });

  it.each<
    [string, (given: never, ...place: [typeof conversation, typeof computer]) => Promise<unknown>, unknown]
  >([
    ['answer.content: expected a list', anthropic.run, { content: 'the text alone' }],
    ['answer: expected an object', anthropic.run, 'the text alone'],
    ['answer.tool_calls: expected a list', openai.run, { tool_calls: {} }],
    ['answer.output: expected a list', openaiResponses.run, { output: 'the text alone' }],
    ['answer.parts: expected a list', gemini.run, { parts: 'the text alone' }],
  ])('is refused with %s', async (message, run, given) => {
    await expect(run(given as never, conversation, computer)).rejects.toMatchObject({
      ...{ name: 'A2cError', code: 'BadRequest', message: expect.stringContaining(message) as string },
      remedy: expect.stringContaining('Give ') as string,
    });
  });

  it('is offered a list of tools, and nothing else', async () => {
    const offer = createConversation().offer as (given: unknown) => void;
    const told = await computer.tools();
    expect(() => offer(told)).toThrow('offer: tools: expected a list, got an object');
    expect(() => offer([null])).toThrow('offer: tools[0]: expected an object, got null');
  });

  it('reports progress, and cancels every call with its signal, also those that wait for their turn', async () => {
    const heard: ModelCallProgress[] = [];
    const onProgress = (progress: ModelCallProgress) => heard.push(progress);
    await anthropic.run(answer(use('1', 'work')), conversation, computer, { onProgress });
    expect(heard).toMatchObject([{ progress: 1, total: 2, call: { id: '1', tool: 'work' } }]);

    const aborter = new AbortController();
    const hanging = ['1', '2', '3'].map((n) => use(n, 'hang', { n }));
    const limits = { signal: aborter.signal, concurrency: 2 };
    const turn = anthropic.run(answer(...hanging), conversation, computer, limits);
    await expect.poll(() => begun).toEqual(['1', '2']);
    aborter.abort(new Error('the user has left'));
    const { messages, calls } = await turn;
    expect(calls.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown', 'failed']);
    for (const text of Object.values(told(messages))) expect(text).toMatch(/^Error: /);
    expect(begun).toEqual(['1', '2']);
  });

  it('tells the model that a call took too long', async () => {
    const late = answer(use('1', 'hang', { n: 'late' }));
    const { messages, calls } = await anthropic.run(late, conversation, computer, { timeoutMs: 50 });
    expect(calls).toMatchObject([{ outcome: 'unknown' }]);
    expect(told(messages)['1']).toMatch(/^Error: /);
  });
});

describe('a turn through an agent', () => {
  it('calls the computer with which each tool was offered', async () => {
    const turn = await anthropic.run(answer(use('1', 'echo', { text: 'hi' })), seen, agent);
    expect(told(turn.messages)).toEqual({ '1': 'hi' });
    expect(turn.calls).toMatchObject([{ call: { computer: 'laptop', tool: 'echo' }, outcome: 'succeeded' }]);
  });

  it('says so when a tool was offered without its computer', async () => {
    const turn = await anthropic.run(answer(use('1', 'echo', { text: 'hi' })), conversation, agent);
    expect(told(turn.messages)).toEqual({ '1': "Error: Tool 'echo' was offered without its computer" });
  });

  it('never rejects, also where the tools are those of another library', async () => {
    const broken = { callTool: () => Promise.reject(new Error('broken')) };
    const turn = await anthropic.run(answer(use('1', 'shot')), conversation, broken);
    expect(turn.calls).toMatchObject([{ outcome: 'unknown' }]);
    expect(told(turn.messages)['1']).toMatch(/^Error: broken/);
  });
});

describe('a turn of another provider', () => {
  it('has for Chat Completions a message for each result, and one with the images', async () => {
    const call = (id: string, name: string, args: string): OpenAI.ChatCompletionMessageToolCall => ({
      ...{ id, type: 'function', function: { name, arguments: args } },
    });
    const message: OpenAI.ChatCompletionMessage = {
      ...{ role: 'assistant', content: null, refusal: null },
      tool_calls: [call('1', 'shot', ''), call('2', 'echo', '{"text":"hi"}'), call('3', 'echo', '[')],
    };
    const turn = await openai.run(message, seen, agent);
    const messages: OpenAI.ChatCompletionMessageParam[] = turn.messages;
    expect(messages).toMatchObject([
      message,
      { role: 'tool', tool_call_id: '1', content: expect.stringContaining('image 1 behind') as string },
      { role: 'tool', tool_call_id: '2', content: 'hi' },
      { role: 'tool', tool_call_id: '3', content: expect.stringMatching(/^Error: /) as string },
      { role: 'user', content: [{}, { type: 'image_url' }] },
    ]);
  });

  it('has for the Responses API the output, reasoning included, and the outputs of its calls', async () => {
    const output: Response['output'] = [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', call_id: '1', name: 'shot', arguments: '{}', id: 'fc_1', status: 'completed' },
    ];
    const turn = await openaiResponses.run({ output }, conversation, computer);
    const input: ResponseInputItem[] = turn.messages;
    expect(input).toMatchObject([
      ...output,
      { type: 'function_call_output', call_id: '1', output: [{ type: 'input_image' }] },
    ]);
  });

  it('has for Gemini the content of the model, with its thought signatures, and one with all results', async () => {
    const content: Content = {
      role: 'model',
      parts: [{ functionCall: { name: 'shot', args: {} }, thoughtSignature: 'c2ln' }],
    };
    const turn = await gemini.run(content, conversation, computer);
    const contents: Content[] = turn.messages;
    expect(contents).toMatchObject([
      content,
      { role: 'user', parts: [{ functionResponse: { name: 'shot' } }, {}, { inlineData: { data: png } }] },
    ]);
    expect(turn.calls).toMatchObject([{ id: 'a2c_call_1' }]);
  });
});
