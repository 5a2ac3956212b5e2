import { anthropic, type AnthropicToolUse } from './anthropic.ts';
import type { Conversation } from './conversation.ts';
import type { MCPToolCall, ReadCall } from './format.ts';
import { gemini, type GeminiFunctionCall } from './gemini.ts';
import { openai, type OpenAIToolCall } from './openai.ts';

/**
 * The six conversions under the names of seed 004. Those back give an `MCPToolCall`, whose arguments are text, or
 * `undefined` for a tool that is not offered. Arguments that are no object are passed on as they are: who makes the call
 * says so (`readArguments`).
 */
export const mcpToolsToOpenAITools = openai.toTools;
/** Seed 004: definitions of `offer` as tools for Anthropic. */
export const mcpToolsToAnthropicTools = anthropic.toTools;
/** Seed 004: definitions of `offer` as tools for Gemini. */
export const mcpToolsToGeminiTools = gemini.toTools;

/** Seed 004: a call of OpenAI as an `MCPToolCall`; undefined for a tool that is not offered. */
export const openAIToolsToMcpTool = (call: OpenAIToolCall, conversation: Conversation) =>
  toMcpCall(openai.fromCall(call, conversation), call.function.arguments, conversation);
/** Seed 004: a `tool_use` of Anthropic as an `MCPToolCall`; undefined for a tool that is not offered. */
export const anthropicToolUseToMcpTool = (use: AnthropicToolUse, conversation: Conversation) =>
  toMcpCall(anthropic.fromCall(use, conversation), use.input, conversation);
/** Seed 004: a `functionCall` of Gemini as an `MCPToolCall`; undefined for a tool that is not offered. */
export const geminiFunctionCallToMcpTool = (call: GeminiFunctionCall, conversation: Conversation) =>
  toMcpCall(gemini.fromCall(call, conversation), call.args, conversation);

/** A call that was read, in the words of the seed; `said` are its arguments as the model gave them. */
function toMcpCall(read: ReadCall, said: unknown, conversation: Conversation): MCPToolCall | undefined {
  const { id, name } = read.ok ? read.call : read;
  const server = conversation.find(name)?.server;
  if (!server) return undefined;
  const asSaid = typeof said === 'string' ? said : JSON.stringify(said);
  return {
    id,
    type: 'function',
    function: { name, arguments: read.ok ? JSON.stringify(read.call.arguments) : asSaid },
    server,
  };
}
