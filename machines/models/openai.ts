import type { MCPToolDefinition, ProviderFormat } from './format.ts';
import { textOf } from './present.ts';
import { parametersOf } from './schema.ts';

/** OpenAI's Chat Completions, and whoever speaks it. */
export interface OpenAITool {
  readonly type: 'function';
  /** The name and description of the definition, and its parameters as a plain object schema. */
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}
/** One of `message.tool_calls`. `arguments` is text of JSON, or was meant to be. */
export interface OpenAIToolCall {
  /** What the result has to name; some who speak the format leave it out. */
  readonly id?: string | null;
  /** `function`; it is not looked at. */
  readonly type?: string;
  /** The name that was offered, and the arguments as the model wrote them. */
  readonly function: { readonly name: string; readonly arguments?: string | null };
}
/** The message of the next request that tells of one call. */
export interface OpenAIToolMessage {
  readonly role: 'tool';
  /** The id of the call. */
  readonly tool_call_id: string;
  /** The result as text, 100,000 characters at the most. */
  readonly content: string;
}

const toTool = ({ function: { name, description, parameters } }: MCPToolDefinition): OpenAITool => ({
  type: 'function',
  function: { name, description, parameters: { ...parametersOf(parameters) } },
});

/** The format of Chat Completions, for OpenAI and all who speak it. */
export const openai = {
  toTools: (definitions) => definitions.map(toTool),
  fromCall: ({ id, function: { name, arguments: args } }, conversation) =>
    conversation.read({ id, name, arguments: args }),
  // The id is that of the response, which is the call's own where it has one.
  toResult: (_call, response) => ({
    role: 'tool',
    tool_call_id: response.toolCallId,
    content: textOf(response),
  }),
} satisfies ProviderFormat<OpenAITool[], OpenAIToolCall, OpenAIToolMessage>;
