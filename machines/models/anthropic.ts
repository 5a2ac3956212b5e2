import { remembered } from '../kernel/objects.ts';
import type { MCPToolDefinition, MCPToolResponse, ProviderFormat, ResultOptions } from './format.ts';
import { mediaPicker, type MediaPicker, partsWithin, type ResultPart } from './present.ts';
import { parametersOf } from './schema.ts';
import { renamed, renamesFor, restored, type Renames } from './arguments.ts';

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
/** Part of a result: text, an image or a PDF document. */
export type AnthropicResultBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: {
        readonly type: 'base64';
        readonly media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
        readonly data: string;
      };
    }
  | {
      readonly type: 'document';
      readonly source: {
        readonly type: 'base64';
        readonly media_type: 'application/pdf';
        readonly data: string;
      };
    };
/** Message with the results of all calls of an answer. */
export interface AnthropicResultMessage {
  readonly role: 'user';
  /** Results in the order of the calls. */
  readonly content: AnthropicToolResult[];
}
/** Result of one call: a block in the next message. */
export interface AnthropicToolResult {
  readonly type: 'tool_result';
  /** Id of the call that the result answers. */
  readonly tool_use_id: string;
  /** Result as text, or as blocks when it has images or documents; absent when empty, because the API refuses that. */
  readonly content?: string | AnthropicResultBlock[];
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

const taken = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  document: ['application/pdf'],
} as const;
const pickerFor = (options: ResultOptions): MediaPicker => mediaPicker(taken, ['image', 'document'], options);
/** The API refuses an error with anything but text. */
const textAlone: MediaPicker = { pick: () => 'an error has text alone' };
function resultOf(
  response: MCPToolResponse,
  picker: MediaPicker,
  options: ResultOptions,
): AnthropicToolResult {
  const { isError, toolCallId } = response;
  const blocks = partsWithin(response, isError ? textAlone : picker, options).map(blockOf);
  const [first] = blocks;
  const content = blocks.length === 1 && first?.type === 'text' ? first.text : blocks;
  return {
    type: 'tool_result',
    tool_use_id: toolCallId,
    // The API refuses an empty text.
    ...(content.length > 0 && { content }),
    ...(isError && { is_error: true }),
  };
}
function blockOf(part: ResultPart): AnthropicResultBlock {
  if ('text' in part) return { type: 'text', text: part.text };
  const { kind, mimeType, data } = part.media;
  if (kind === 'document')
    return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
  const media_type = mimeType as (typeof taken.image)[number];
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

/** Format of Anthropic's Messages API. */
export const anthropic = {
  toTools: (definitions) => definitions.map(toTool),
  fromCall: ({ id, name, input }, conversation) =>
    conversation.read({ id, name, arguments: input }, (args, parameters) =>
      restored(args, renamesOf(parameters)),
    ),
  toResult: (_call, response, options = {}) => resultOf(response, pickerFor(options), options),
  toMessages(results, options = {}): AnthropicResultMessage[] {
    if (results.length === 0) return [];
    const picker = pickerFor(options);
    const content = results.map(({ response }) => resultOf(response, picker, options));
    return [{ role: 'user', content }];
  },
} satisfies ProviderFormat<AnthropicTool[], AnthropicToolUse, AnthropicToolResult>;
