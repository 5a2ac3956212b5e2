import { anthropic, type AnthropicToolUse } from './anthropic.ts';
import type { Conversation } from './conversation.ts';
import type { MCPToolCall, ReadCall } from './format.ts';
import { gemini, type GeminiFunctionCall } from './gemini.ts';
import { openai, type OpenAIToolCall } from './openai.ts';

/**
 * Six conversions under the names of the presenter of DeepChat. Conversions of a call return an `MCPToolCall` with arguments
 * as text, or undefined for a tool that is not offered. Invalid arguments are passed on unchanged;
 * `readArguments` reports them when the call is made.
 */
export const mcpToolsToOpenAITools = openai.toTools;
/** Converts definitions of `offer` to tools for Anthropic. */
export const mcpToolsToAnthropicTools = anthropic.toTools;
/** Converts definitions of `offer` to tools for Gemini. */
export const mcpToolsToGeminiTools = gemini.toTools;

/** Converts a call of OpenAI to an `MCPToolCall`; undefined for a tool that is not offered. */
export const openAIToolsToMcpTool = (call: OpenAIToolCall, conversation: Conversation) =>
  toMcpCall(openai.fromCall(call, conversation), call.function.arguments, conversation);
/**
 * Converts a `tool_use` of Anthropic to an `MCPToolCall`; undefined for a tool that is not
 * offered.
 */
export const anthropicToolUseToMcpTool = (use: AnthropicToolUse, conversation: Conversation) =>
  toMcpCall(anthropic.fromCall(use, conversation), use.input, conversation);
/**
 * Converts a `functionCall` of Gemini to an `MCPToolCall`; undefined for a tool that is not
 * offered.
 */
export const geminiFunctionCallToMcpTool = (call: GeminiFunctionCall, conversation: Conversation) =>
  toMcpCall(gemini.fromCall(call, conversation), call.args, conversation);

/** `said`: the arguments as the model gave them. */
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
