/** Tools in the formats of model providers: names, schemas, calls, results, and runs of the calls of an answer. */
import {
  anything,
  argument,
  listOf,
  mustBeOptions,
  object,
  options as optionsOf,
  type Check,
} from '../kernel/options.ts';
import {
  anthropic as anthropicFormat,
  type AnthropicResultMessage,
  type AnthropicToolUse,
} from '../../machines/models/anthropic.ts';
import {
  createConversation as conversationOf,
  type Conversation,
  type OfferOptions,
  type SavedConversation,
} from '../../machines/models/conversation.ts';
import {
  gemini as geminiFormat,
  type GeminiFunctionCall,
  type GeminiResultContent,
} from '../../machines/models/gemini.ts';
import {
  openai as openaiFormat,
  openaiResponses as responsesFormat,
  type OpenAIMediaMessage,
  type OpenAIResponsesCall,
  type OpenAIResponsesOutput,
  type OpenAIToolCall,
  type OpenAIToolMessage,
} from '../../machines/models/openai.ts';
import { ranTurn, type RunPlace, type Turn } from './run.ts';

export {
  anthropicToolUseToMcpTool,
  geminiFunctionCallToMcpTool,
  mcpToolsToAnthropicTools,
  mcpToolsToGeminiTools,
  mcpToolsToOpenAITools,
  openAIToolsToMcpTool,
} from '../../machines/models/conversions.ts';
export { mostCharacters, textOf, toResponse } from '../../machines/models/present.ts';
export { parametersOf } from '../../machines/models/schema.ts';
export { readArguments } from '../../machines/models/arguments.ts';
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
} from '../../machines/models/format.ts';
export type {
  AnthropicResultBlock,
  AnthropicResultMessage,
  AnthropicTool,
  AnthropicToolResult,
  AnthropicToolUse,
} from '../../machines/models/anthropic.ts';
export type { ArgumentsRead } from '../../machines/models/arguments.ts';
export type {
  Conversation,
  Offer,
  OfferOptions,
  RefusedTool,
  SavedConversation,
} from '../../machines/models/conversation.ts';
export type { EndedCall } from '../../machines/models/present.ts';
export type {
  GeminiFunctionCall,
  GeminiFunctionDeclaration,
  GeminiFunctionResponsePart,
  GeminiResultContent,
  GeminiTool,
} from '../../machines/models/gemini.ts';
export type { ObjectSchema, Schema } from '../../machines/models/schema.ts';
export type {
  OpenAIMediaMessage,
  OpenAIMediaPart,
  OpenAIResponsesCall,
  OpenAIResponsesOutput,
  OpenAIResponsesPart,
  OpenAIResponsesTool,
  OpenAITool,
  OpenAIToolCall,
  OpenAIToolMessage,
} from '../../machines/models/openai.ts';
export type {
  CallInFlight,
  FileOfSkill,
  MadeCall,
  ModelCallProgress,
  ModelCallOptions,
  OfficeToolCaller,
  RanCall,
  RunOptions,
  RunPlace,
  SkillReadOptions,
  ToldProgress,
  ToolCaller,
  Turn,
} from './run.ts';

const ofTools = argument(
  'tools',
  listOf(object, 'Give the list itself, such as conversation.offer((await computer.tools()).tools).'),
);
const ofOffer = optionsOf<OfferOptions>({
  skills: listOf(object, 'Give the list itself, such as await computer.skills.list().'),
});
/**
 * Creates a conversation, or continues one from the result of `save`. All state is in memory. `offer` throws an
 * `A2cError` (`BadRequest`) when it is not given a list of tools, or other options.
 * @example
 * const conversation = createConversation();
 * const { definitions } = conversation.offer((await computer.tools()).tools);
 * const tools = anthropic.toTools(definitions);
 */
export function createConversation(saved?: SavedConversation): Conversation {
  const conversation = conversationOf(saved);
  return {
    ...conversation,
    offer(tools, options = {}) {
      mustBeOptions('offer', tools, ofTools);
      mustBeOptions('offer', options, ofOffer);
      return conversation.offer(tools, options);
    },
  };
}

const answerOf = (parts: string, example: string): Check =>
  argument('answer', (value, at) => {
    const fault = object(value, at);
    const given = fault ? null : ((value as Readonly<Record<string, unknown>>)[parts] ?? []);
    const wrong = fault ?? listOf(anything)(given, `${at}.${parts}`);
    return wrong && { ...wrong, remedy: example };
  });
const ofMessage = answerOf('content', 'Give the whole message: await client.messages.create(…).');
const ofChoice = answerOf('tool_calls', 'Give choices[0].message of the completion.');
const ofResponse = answerOf('output', 'Give the whole response: await client.responses.create(…).');
const ofContent = answerOf('parts', 'Give candidates[0].content of the response.');
const mustBeAnswer = (answer: unknown, judge: Check): void => {
  if (answer !== undefined && answer !== null) mustBeOptions('run', answer, judge);
};
const callsIn = <Call extends { readonly type: string }>(
  parts: readonly unknown[],
  type: Call['type'],
): Call[] => (parts as readonly Call[]).filter((part) => part?.type === type);

/**
 * Format of Anthropic's Messages API.
 * @example
 * const message = await client.messages.create({ model, max_tokens: 4_096, messages, tools });
 * const turn = await anthropic.run(message, conversation, computer);
 * messages.push(...turn.messages);
 */
export const anthropic = {
  ...anthropicFormat,
  /**
   * Runs the calls in a message of the model, and returns it with the message of their results. Without a message nothing is
   * run. Rejects only for wrong arguments of its own, with an `A2cError` (`BadRequest`).
   */
  async run<Block>(
    message: { readonly content: Block[] } | undefined,
    ...place: RunPlace
  ): Promise<Turn<{ role: 'assistant'; content: Block[] } | AnthropicResultMessage>> {
    mustBeAnswer(message, ofMessage);
    const { content = [] } = message ?? {};
    const own = content.length === 0 ? [] : [{ role: 'assistant' as const, content }];
    return ranTurn(anthropicFormat, callsIn<AnthropicToolUse>(content, 'tool_use'), own, place);
  },
};

/**
 * Format of Chat Completions, for OpenAI and compatible providers.
 * @example
 * const completion = await client.chat.completions.create({ model, messages, tools });
 * const turn = await openai.run(completion.choices[0].message, conversation, computer);
 * messages.push(...turn.messages);
 */
export const openai = {
  ...openaiFormat,
  /**
   * Runs the calls in a message of the model, and returns it with the messages of their results; images stand in a last
   * message. Without a message nothing is run. Rejects only for wrong arguments of its own, with an `A2cError` (`BadRequest`).
   */
  async run<Message extends { readonly tool_calls?: readonly object[] | null | undefined }>(
    message: Message | undefined,
    ...place: RunPlace
  ): Promise<Turn<Message | OpenAIToolMessage | OpenAIMediaMessage>> {
    mustBeAnswer(message, ofChoice);
    const calls = ((message?.tool_calls ?? []) as readonly OpenAIToolCall[]).filter((call) => call?.function);
    return ranTurn(openaiFormat, calls, message ? [message] : [], place);
  },
};

/**
 * Format of OpenAI's Responses API.
 * @example
 * const response = await client.responses.create({ model, input: messages, tools });
 * const turn = await openaiResponses.run(response, conversation, computer);
 * messages.push(...turn.messages);
 */
export const openaiResponses = {
  ...responsesFormat,
  /**
   * Runs the calls in a response, and returns its output with the outputs of the calls. Rejects only for wrong arguments
   * of its own, with an `A2cError` (`BadRequest`). `openai` 7 declares values of two members of an output that its own inputs do not
   * take.
   */
  async run<Item>(
    response: { readonly output: readonly Item[] } | undefined,
    ...place: RunPlace
  ): Promise<
    Turn<
      | (Item extends { readonly type: 'additional_tools' }
          ? Omit<Item, 'role'> & { role: 'developer' }
          : Item extends { readonly type: 'computer_call_output' }
            ? Omit<Item, 'status'>
            : Item)
      | OpenAIResponsesOutput
    >
  > {
    mustBeAnswer(response, ofResponse);
    const output = (response?.output ?? []) as never[];
    return ranTurn(responsesFormat, callsIn<OpenAIResponsesCall>(output, 'function_call'), output, place);
  },
};

/**
 * Format of `generateContent`, in the Gemini API and Vertex AI.
 * @example
 * const response = await client.models.generateContent({ model, contents: messages, config: { tools } });
 * const turn = await gemini.run(response.candidates[0].content, conversation, computer);
 * messages.push(...turn.messages);
 */
export const gemini = {
  ...geminiFormat,
  /**
   * Runs the calls in the content of a candidate, and returns it with the content of their results. Without a
   * content nothing is run. Rejects only for wrong arguments of its own, with an `A2cError` (`BadRequest`).
   */
  async run<Content extends { readonly parts?: readonly { readonly functionCall?: GeminiFunctionCall }[] }>(
    content: Content | undefined,
    ...place: RunPlace
  ): Promise<Turn<Content | GeminiResultContent>> {
    mustBeAnswer(content, ofContent);
    const calls = (content?.parts ?? []).flatMap(({ functionCall }) => (functionCall ? [functionCall] : []));
    return ranTurn(geminiFormat, calls, content ? [content] : [], place);
  },
};
