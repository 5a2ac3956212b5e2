import { remembered } from '../kernel/objects.ts';
import type { MCPToolDefinition, ProviderFormat } from './format.ts';
import { textOf } from './present.ts';
import { parametersOf } from './schema.ts';
import { renamed, renamesFor, restored, type Renames } from './parameter-names.ts';

/** Anthropic's Messages. */
export interface AnthropicTool {
  /** The name of the definition: 64 characters at the most. */
  readonly name: string;
  /** That of the definition; never empty. */
  readonly description: string;
  /** Its parameters as a plain object schema; names that Anthropic refuses are replaced. */
  readonly input_schema: { readonly type: 'object'; readonly [keyword: string]: unknown };
}
/** One block of `message.content` of type `tool_use`. */
export interface AnthropicToolUse {
  readonly type: 'tool_use';
  /** What the result has to name. */
  readonly id?: string;
  /** The name that was offered. */
  readonly name: string;
  /** The arguments, as an object. */
  readonly input?: unknown;
}
/** The block of the next message that tells of one call. */
export interface AnthropicToolResult {
  readonly type: 'tool_result';
  /** The id of the call. */
  readonly tool_use_id: string;
  /** The result as text; left out when it is empty, which is refused there. */
  readonly content?: string;
  /** Left out when the call succeeded. */
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

/** The format of Anthropic's Messages. */
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
      // An empty text is refused where no content is taken.
      ...(content !== '' && { content }),
      ...(response.isError && { is_error: true }),
    };
  },
} satisfies ProviderFormat<AnthropicTool[], AnthropicToolUse, AnthropicToolResult>;
