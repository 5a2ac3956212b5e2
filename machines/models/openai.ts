import type { MCPToolDefinition, ProviderFormat } from './format.ts';
import { textOf } from './present.ts';
import { parametersOf } from './schema.ts';

/** Tool definition in the format of OpenAI's Chat Completions API and compatible providers. */
export interface OpenAITool {
  readonly type: 'function';
  /** Name and description of the tool, and its parameters as a plain object schema. */
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}
/**
 * Call of a tool: one element of `message.tool_calls`. `arguments` should be JSON text but may be malformed.
 */
export interface OpenAIToolCall {
  /** Id of the call, which the result must repeat; some compatible providers omit it. */
  readonly id?: string | null;
  /** Type of the call, always `function`; it is ignored. */
  readonly type?: string;
  /** Name under which the tool was offered, and the arguments as the model wrote them. */
  readonly function: { readonly name: string; readonly arguments?: string | null };
}
/** Result of one call: a message of the next request. */
export interface OpenAIToolMessage {
  readonly role: 'tool';
  /** Id of the call that the result answers. */
  readonly tool_call_id: string;
  /** Result as text, at most 100,000 characters. */
  readonly content: string;
}

const toTool = ({ function: { name, description, parameters } }: MCPToolDefinition): OpenAITool => ({
  type: 'function',
  function: { name, description, parameters: { ...parametersOf(parameters) } },
});

/** Format of Chat Completions, for OpenAI and compatible providers. */
export const openai = {
  toTools: (definitions) => definitions.map(toTool),
  fromCall: ({ id, function: { name, arguments: args } }, conversation) =>
    conversation.read({ id, name, arguments: args }),
  // The id comes from the response, which has the id of the call or one made in its place.
  toResult: (_call, response) => ({
    role: 'tool',
    tool_call_id: response.toolCallId,
    content: textOf(response),
  }),
} satisfies ProviderFormat<OpenAITool[], OpenAIToolCall, OpenAIToolMessage>;
