import { describe, expect, it } from 'vitest';
import { anthropic } from './anthropic.ts';
import {
  anthropicToolUseToMcpTool,
  geminiFunctionCallToMcpTool,
  mcpToolsToAnthropicTools,
  mcpToolsToGeminiTools,
  mcpToolsToOpenAITools,
  openAIToolsToMcpTool,
} from './conversions.ts';
import { createConversation } from './conversation.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import { textOf, toResponse } from './present.ts';

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, 'per-page': { type: 'integer' }, $filter: { type: 'string' } },
  required: ['path', '$filter'],
};
const offered = (inputSchema: object = schema) => {
  const conversation = createConversation();
  const shown = { name: 'read', original: 'read', description: 'Reads' };
  const tool = { ...shown, server: 'fs', computer: 'laptop', inputSchema };
  return { conversation, ...conversation.offer([tool]) };
};
const server = { name: 'fs', icons: '', descriptions: '' };
const response = (isError = false) =>
  toResponse('call_1', { outcome: isError ? 'failed' : 'succeeded', result: 'done' });

describe('tools for a provider', () => {
  it('have for OpenAI a type and a function with name, description and parameters, and nothing else', () => {
    expect(mcpToolsToOpenAITools(offered().definitions)).toEqual([
      { type: 'function', function: { name: 'read', description: 'Reads', parameters: schema } },
    ]);
  });

  it('have for OpenAI and Anthropic no properties where the tool has none, and for Gemini no parameters', () => {
    const empty = { type: 'object', properties: {} };
    for (const none of [{}, { type: 'object' }, empty, { type: 'object', properties: null }]) {
      const { definitions } = offered(none);
      expect(mcpToolsToOpenAITools(definitions)[0]?.function.parameters).toEqual(empty);
      expect(mcpToolsToAnthropicTools(definitions)[0]?.input_schema).toEqual(empty);
      const [tool] = mcpToolsToGeminiTools(definitions);
      expect(tool?.functionDeclarations).toEqual([{ name: 'read', description: 'Reads' }]);
    }
  });

  it('have for Anthropic and Gemini other names for parameters whose own they refuse', () => {
    const { definitions } = offered();
    const schema = anthropic.toTools(definitions)[0]?.input_schema;
    const { properties, required } = { ...schema };
    const filter = '_filter_e2ba687d';
    expect(Object.keys(properties ?? {})).toEqual(['path', 'per-page', filter]);
    expect(required).toEqual(['path', filter]);
    const [declared] = gemini.toTools(definitions)[0]?.functionDeclarations ?? [];
    const forGemini = declared?.parametersJsonSchema;
    expect(Object.keys(forGemini?.properties ?? {})).toEqual(['path', 'per_page_89df85a0', filter]);
    expect(forGemini).toMatchObject({ required: ['path', filter] });
  });

  it('are all in one tool for Gemini, and in no tool where there are none', () => {
    expect(gemini.toTools(offered().definitions)).toHaveLength(1);
    expect(gemini.toTools([])).toEqual([]);
  });

  it('leave what the server wrote as it was', () => {
    const before = JSON.stringify(schema);
    const { definitions } = offered();
    for (const { toTools } of [openai, anthropic, gemini]) toTools(definitions);
    expect(JSON.stringify(schema)).toBe(before);
    expect(definitions[0]?.function.parameters).toBe(schema);
  });
});

describe('a call of a model', () => {
  it('gets an id where Gemini gave none, another for each call', () => {
    const { conversation } = offered();
    const ids = Array.from({ length: 1000 }, () => gemini.fromCall({ name: 'read', args: {} }, conversation));
    expect(new Set(ids.map((read) => read.ok && read.call.id)).size).toBe(1000);
  });

  it('is undefined for a tool that is not there in the functions named after MCP, and otherwise says what is missing', () => {
    const { conversation } = offered();
    const none = { function: { name: 'none', arguments: '{}' } };
    expect(openAIToolsToMcpTool(none, conversation)).toBeUndefined();
    expect(anthropicToolUseToMcpTool({ type: 'tool_use', name: 'none' }, conversation)).toBeUndefined();
    expect(geminiFunctionCallToMcpTool({ name: 'none' }, conversation)).toBeUndefined();
    const read = gemini.fromCall({ name: 'none' }, conversation);
    const failure = { code: 'ToolNotFound', details: { gone: false } };
    expect(read).toMatchObject({ ok: false, name: 'none', failure });
    expect(textOf(toResponse('c', read.ok ? {} : read))).toBe("Error: Tool 'none' does not exist");
  });

  it('has {} where the model gave no arguments', () => {
    const { conversation } = offered();
    const none = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' }, server };
    expect(openAIToolsToMcpTool({ id: 'c', function: { name: 'read' } }, conversation)).toEqual(none);
    const use = { type: 'tool_use', id: 'c', name: 'read' } as const;
    expect(anthropicToolUseToMcpTool(use, conversation)).toEqual(none);
    expect(geminiFunctionCallToMcpTool({ id: 'c', name: 'read' }, conversation)).toEqual(none);
  });

  it('comes back as the tool it is, with the arguments that were said', () => {
    const { conversation } = offered();
    const given = { path: '/', 'per-page': 2, $filter: 'x' };
    const call = { name: 'read', computer: 'laptop', tool: 'read', arguments: given, server };
    const said = { path: '/', 'per-page': 2, _filter_e2ba687d: 'x' };
    const args = { path: '/', per_page_89df85a0: 2, _filter_e2ba687d: 'x' };
    const text = JSON.stringify(call.arguments);
    expect([
      openai.fromCall({ id: '1', function: { name: 'read', arguments: text } }, conversation),
      anthropic.fromCall({ type: 'tool_use', id: '2', name: 'read', input: said }, conversation),
      gemini.fromCall({ id: '3', name: 'read', args }, conversation),
    ]).toEqual(['1', '2', '3'].map((id) => ({ ok: true, call: { id, ...call } })));
    const read = { id: '3', type: 'function', function: { name: 'read', arguments: text }, server };
    expect(geminiFunctionCallToMcpTool({ id: '3', name: 'read', args }, conversation)).toEqual(read);
  });

  it('is an error that the model is told when its arguments are no object', () => {
    const { conversation } = offered();
    const call = { id: 'c', function: { name: 'read', arguments: '[1]' } };
    const read = openai.fromCall(call, conversation);
    expect(read).toMatchObject({ ok: false, id: 'c', failure: { code: 'BadRequest' } });
    expect(openAIToolsToMcpTool(call, conversation)?.function.arguments).toBe('[1]');
    const told = openai.toResult(call, toResponse('c', read.ok ? {} : read));
    expect(told.content).toBe('Error: The arguments must be a JSON object; they are a list');
  });
});

describe('a result for a provider', () => {
  it('is a message, a block or a part under the id of its call', () => {
    const [id, content] = ['call_1', 'done'];
    const call = { id, function: { name: 'read', arguments: '{}' } };
    expect(openai.toResult(call, response())).toEqual({ role: 'tool', tool_call_id: id, content });
    const use = { type: 'tool_use' as const, id, name: 'read', input: {} };
    expect(anthropic.toResult(use, response())).toEqual({ type: 'tool_result', tool_use_id: id, content });
    const functionResponse = { id, name: 'read', response: { output: content } };
    expect(gemini.toResult({ id, name: 'read' }, response())).toEqual({ functionResponse });
  });

  it('says that it is an error, where the provider has a word for it also there', () => {
    const use = { type: 'tool_use' as const, id: 'call_1', name: 'read' };
    expect(anthropic.toResult(use, response(true))).toMatchObject({ content: 'Error: done', is_error: true });
    const functionResponse = { name: 'read', response: { error: 'Error: done' } };
    expect(gemini.toResult({ name: 'read' }, response(true))).toEqual({ functionResponse });
  });

  it('is no content at all for Anthropic where there is none', () => {
    const empty = toResponse('c', { outcome: 'succeeded', result: { content: [] } });
    const result = { type: 'tool_result', tool_use_id: 'c' };
    expect(anthropic.toResult({ type: 'tool_use', name: 'read' }, empty)).toEqual(result);
  });
});
