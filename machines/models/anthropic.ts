import { remembered } from '../kernel/objects.ts';
import type { MCPToolDefinition, ProviderFormat } from './format.ts';
import { textOf } from './present.ts';
import { parametersOf } from './schema.ts';
import { renamed, renamesFor, restored, type Renames } from './parameter-names.ts';

/** Tool definition in a request to Anthropic's Messages API. */
export interface AnthropicTool {
  /** Name of the tool, at most 64 characters. */
  readonly name: string;
  /** Description of the tool; never empty. */
  readonly description: string;
  /** Parameters as a plain object schema; names that Anthropic refuses are replaced. */
  readonly input_schema: { readonly type: 'object'; readonly [keyword: string]: unknown };
}
/** Call of a tool: one block of type `tool_use` in `message.content`. */
export interface AnthropicToolUse {
  readonly type: 'tool_use';
  /** Id of the call, which the result must repeat. */
  readonly id?: string;
  /** Name under which the tool was offered. */
  readonly name: string;
  /** Arguments of the call, as an object. */
  readonly input?: unknown;
}
/** Result of one call: a block in the next message. */
export interface AnthropicToolResult {
  readonly type: 'tool_result';
  /** Id of the call that the result answers. */
  readonly tool_use_id: string;
  /** Result as text; absent when empty, because the API refuses an empty text. */
  readonly content?: string;
  /** True when the call failed; absent otherwise. */
  readonly is_error?: boolean;
}

const parameterName = /^[a-zA-Z0-9_.-]{1,64}$/;
const renamesOf: (parameters: object) => Renames = remembered((parameters: object) =>
  renamesFor(parametersOf(parameters), parameterName),
);

const toTool = ({ function: { name, description, parameters } }: MCPToolDefinition): AnthropicTool => ({
  name,
  description,
  input_schema: renamed(parametersOf(parameters), renamesOf(parameters)),
});

/** Format of Anthropic's Messages API. */
export const anthropic = {
  toTools: (definitions) => definitions.map(toTool),
  fromCall: ({ id, name, input }, conversation) =>
    conversation.read({ id, name, arguments: input }, (args, parameters) =>
      restored(args, renamesOf(parameters)),
    ),
  toResult: (_call, response) => {
    const content = textOf(response);
    return {
      type: 'tool_result',
      tool_use_id: response.toolCallId,
      // An empty text is left out, because the API refuses it.
      ...(content !== '' && { content }),
      ...(response.isError && { is_error: true }),
    };
  },
} satisfies ProviderFormat<AnthropicTool[], AnthropicToolUse, AnthropicToolResult>;
