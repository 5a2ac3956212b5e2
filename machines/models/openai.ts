import type { MCPToolDefinition, ProviderFormat } from './format.ts';
import { textOf } from './present.ts';
import { parametersOf } from './schema/object.ts';

/** OpenAI's Chat Completions, and whoever speaks it. */
export interface OpenAITool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}
/** One of `message.tool_calls`. `arguments` is text of JSON, or was meant to be. */
export interface OpenAIToolCall {
  readonly id?: string | null;
  readonly type?: string;
  readonly function: { readonly name: string; readonly arguments?: string | null };
}
export interface OpenAIToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

const toTool = ({ function: { name, description, parameters } }: MCPToolDefinition): OpenAITool => ({
  type: 'function',
  function: { name, description, parameters: { ...parametersOf(parameters) } },
});

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
