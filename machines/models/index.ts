import { anthropic, type AnthropicToolUse } from './anthropic.ts';
import type { Conversation } from './conversation.ts';
import type { MCPToolCall, ReadCall } from './format.ts';
import { gemini, type GeminiFunctionCall } from './gemini.ts';
import { openai, type OpenAIToolCall } from './openai.ts';

export {
  createConversation,
  type Conversation,
  type Offer,
  type OfferOptions,
  type RefusedTool,
  type SavedConversation,
} from './conversation.ts';
export { mediaKinds } from './format.ts';
export type {
  AnsweredCall,
  CallReader,
  Json,
  MCPContentItem,
  MCPToolCall,
  MCPToolDefinition,
  MCPToolResponse,
  MediaKind,
  ModelCall,
  ModelSkill,
  ModelTool,
  ProviderFormat,
  ReadCall,
  ResultOptions,
  SaidCall,
  ServerShown,
  SkillAsked,
  SkillCall,
} from './format.ts';
export {
  openai,
  openaiResponses,
  type OpenAIMediaMessage,
  type OpenAIMediaPart,
  type OpenAIResponsesCall,
  type OpenAIResponsesOutput,
  type OpenAIResponsesPart,
  type OpenAIResponsesTool,
  type OpenAITool,
  type OpenAIToolCall,
  type OpenAIToolMessage,
} from './openai.ts';
export {
  anthropic,
  type AnthropicResultBlock,
  type AnthropicResultMessage,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicToolUse,
} from './anthropic.ts';
export {
  gemini,
  type GeminiFunctionCall,
  type GeminiFunctionDeclaration,
  type GeminiFunctionResponsePart,
  type GeminiParameters,
  type GeminiResultContent,
  type GeminiTool,
  type Type,
} from './gemini.ts';
export type { GeminiSchema } from './gemini.ts';
export { readArguments, type ArgumentsRead } from './arguments.ts';
export { mostCharacters, textOf, toResponse, type EndedCall } from './present.ts';
export { parametersOf, type ObjectSchema } from './schema.ts';
export type { Schema } from './schema.ts';

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
