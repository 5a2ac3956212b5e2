/**
 * Entry point of `a2c-actors/models`: names, schemas and calls of tools in the formats of model providers.
 */
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
export {
  anthropicToolUseToMcpTool,
  geminiFunctionCallToMcpTool,
  mcpToolsToAnthropicTools,
  mcpToolsToGeminiTools,
  mcpToolsToOpenAITools,
  openAIToolsToMcpTool,
} from './seed-names.ts';
export { readArguments, type ArgumentsRead } from './arguments.ts';
export { mostCharacters, textOf, toResponse, type EndedCall } from './present.ts';
export { parametersOf, type ObjectSchema } from './schema.ts';
export type { Schema } from './schema.ts';
