import type {
  MessageParam,
  Tool as AnthropicTool,
  ToolResultBlockParam,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages';
import type { FunctionCall, GenerateContentParameters, Part, Tool as GeminiTool } from '@google/genai';
import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { anthropic } from '../../../machines/models/anthropic.ts';
import { createConversation } from '../../../machines/models/conversation.ts';
import { gemini } from '../../../machines/models/gemini.ts';
import { openai } from '../../../machines/models/openai.ts';
import { toResponse } from '../../../machines/models/present.ts';
import type { MCPToolCall } from '../../../machines/models/format.ts';

const conversation = createConversation();
const { definitions } = conversation.offer([
  { name: 't', inputSchema: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
]);
const done = toResponse('c', { outcome: 'succeeded', result: { content: [{ type: 'text', text: 'done' }] } });

describe('the types that providers publish on npm', () => {
  it('take the tools as they are converted', () => {
    const forOpenAi: ChatCompletionFunctionTool[] = openai.toTools(definitions);
    const forAnthropic: AnthropicTool[] = anthropic.toTools(definitions);
    const forGemini: GeminiTool[] = gemini.toTools(definitions);
    const converted = gemini.toTools(definitions);
    const request: GenerateContentParameters = {
      model: 'm',
      contents: 'c',
      config: { tools: converted },
    };
    expect(request.config?.tools).toBe(converted);
    expect([forOpenAi.length, forAnthropic.length, forGemini.length]).toEqual([1, 1, 1]);
  });

  it('give calls that are read as they are', () => {
    const call: ChatCompletionMessageFunctionToolCall = {
      id: 'call_1',
      type: 'function',
      function: { name: 't', arguments: '{"a":null}' },
    };
    const use: ToolUseBlock = {
      id: 'toolu_1',
      type: 'tool_use',
      name: 't',
      input: { a: null },
      caller: { type: 'direct' },
    };
    const functionCall: FunctionCall = { name: 't', args: { a: null } };
    const read = [
      openai.fromCall(call, conversation),
      anthropic.fromCall(use, conversation),
      gemini.fromCall(functionCall, conversation),
    ];
    expect(read.map((one) => one.ok && one.call.arguments)).toEqual([{ a: null }, { a: null }, { a: null }]);
    expectTypeOf<MCPToolCall>().toExtend<Parameters<typeof openai.fromCall>[0]>();
  });

  it('take the results as messages of the next request', () => {
    const message: ChatCompletionToolMessageParam = openai.toResult({ function: { name: 't' } }, done);
    const block: ToolResultBlockParam = anthropic.toResult({ type: 'tool_use', name: 't' }, done);
    const part: Part = gemini.toResult({ name: 't' }, done);
    const next: [ChatCompletionMessageParam, MessageParam, Part] = [
      message,
      { role: 'user', content: [block] },
      part,
    ];
    expect(JSON.parse(JSON.stringify(next))).toEqual([
      { role: 'tool', tool_call_id: 'c', content: 'done' },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'done' }] },
      { functionResponse: { name: 't', response: { output: 'done' } } },
    ]);
  });
});
