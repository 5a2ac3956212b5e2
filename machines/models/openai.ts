import type { MCPToolDefinition, MCPToolResponse, ProviderFormat, ResultOptions } from './format.ts';
import {
  mediaPicker,
  type Media,
  type MediaPicker,
  type AcceptedTypes,
  partsBeside,
  partsWithin,
  textOf,
  type ResultPart,
} from './present.ts';
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

/** Part of the message with the media of results. */
export type OpenAIMediaPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | {
      readonly type: 'input_audio';
      readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' };
    }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } };
/** Message with images, sounds and documents of results, because a result itself takes text alone. */
export interface OpenAIMediaMessage {
  readonly role: 'user';
  /** Media of the results, each after the name that the texts of the results give it. */
  readonly content: OpenAIMediaPart[];
}

const dataUrl = ({ mimeType, data }: Media): string => `data:${mimeType};base64,${data}`;
const fileName = (name: string): string => `${name.replaceAll(' ', '-')}.pdf`;
const formats: Readonly<Record<string, 'wav' | 'mp3'>> = { 'audio/wav': 'wav', 'audio/mpeg': 'mp3' };
export const taken: AcceptedTypes = {
  image: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
  audio: Object.keys(formats),
  document: ['application/pdf'],
};
function mediaPart(media: Media): OpenAIMediaPart {
  const { kind, mimeType, data, name } = media;
  if (kind === 'image') return { type: 'image_url', image_url: { url: dataUrl(media) } };
  if (kind === 'document')
    return { type: 'file', file: { filename: fileName(name), file_data: dataUrl(media) } };
  return { type: 'input_audio', input_audio: { data, format: formats[mimeType] ?? 'wav' } };
}

const toTool = ({ function: { name, description, parameters } }: MCPToolDefinition): OpenAITool => ({
  type: 'function',
  function: { name, description, parameters: { ...parametersOf(parameters) } },
});

const toolMessage = ({ toolCallId }: MCPToolResponse, content: string): OpenAIToolMessage => ({
  role: 'tool',
  tool_call_id: toolCallId,
  content,
});

/** Format of OpenAI's Chat Completions, also for compatible providers. */
export const openai = {
  toTools: (definitions) => definitions.map(toTool),
  fromCall: ({ id, function: { name, arguments: args } }, conversation) =>
    conversation.read({ id, name, arguments: args }),
  // Takes the id from the response, because a call may have none. Converts to text only; `toMessages` also converts images.
  toResult: (_call, response, { characters } = {}) => toolMessage(response, textOf(response, characters)),
  toMessages(results, options = {}): (OpenAIToolMessage | OpenAIMediaMessage)[] {
    const responses = results.map(({ response }) => response);
    const { texts, media } = partsBeside(responses, mediaPicker(taken, ['image'], options), options);
    const told = responses.map((response, n) => toolMessage(response, texts[n] ?? ''));
    const content = media.flatMap((each): OpenAIMediaPart[] => [
      { type: 'text', text: `${each.name}:` },
      mediaPart(each),
    ]);
    return media.length === 0 ? told : [...told, { role: 'user', content }];
  },
} satisfies ProviderFormat<OpenAITool[], OpenAIToolCall, OpenAIToolMessage>;

/** Tool definition in the format of OpenAI's Responses API. */
export interface OpenAIResponsesTool {
  readonly type: 'function';
  /** Name of the tool, at most 64 characters. */
  readonly name: string;
  /** Description of the tool; never empty. */
  readonly description: string;
  /** Parameters as a plain object schema. */
  readonly parameters: Record<string, unknown>;
  /** Always false: strict schemas have no optional parameters. */
  readonly strict: false;
}
/** Call of a tool: an item of type `function_call` in the output of a response. */
export interface OpenAIResponsesCall {
  readonly type: 'function_call';
  /** Id of the call, which the result must repeat. */
  readonly call_id: string;
  /** Name under which the tool was offered. */
  readonly name: string;
  /** Arguments as the model wrote them. */
  readonly arguments: string;
}
/** Part of a result: text, an image or a PDF document. */
export type OpenAIResponsesPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' }
  | { readonly type: 'input_file'; readonly filename: string; readonly file_data: string };
/** Result of one call: an item of the next input. */
export interface OpenAIResponsesOutput {
  readonly type: 'function_call_output';
  /** Id of the call that the result answers. */
  readonly call_id: string;
  /** Result as text, or as parts when it has images or documents. */
  readonly output: string | OpenAIResponsesPart[];
}
function responsesPart(part: ResultPart): OpenAIResponsesPart {
  if ('text' in part) return { type: 'input_text', text: part.text };
  const { kind, name } = part.media;
  if (kind === 'document')
    return { type: 'input_file', filename: fileName(name), file_data: dataUrl(part.media) };
  return { type: 'input_image', image_url: dataUrl(part.media), detail: 'auto' };
}
const inOutput: AcceptedTypes = { ...taken, audio: [] };
const responsesPicker = (options: ResultOptions): MediaPicker =>
  mediaPicker(inOutput, ['image', 'document'], options);
function outputOf(
  response: MCPToolResponse,
  picker: MediaPicker,
  options: ResultOptions,
): OpenAIResponsesOutput {
  const parts = partsWithin(response, picker, options).map(responsesPart);
  const [first] = parts;
  const output = parts.length === 1 && first?.type === 'input_text' ? first.text : parts;
  return { type: 'function_call_output', call_id: response.toolCallId, output };
}

/** Format of OpenAI's Responses API. */
export const openaiResponses = {
  toTools: (definitions) =>
    definitions.map(({ function: { name, description, parameters } }) => ({
      type: 'function',
      name,
      description,
      parameters: { ...parametersOf(parameters) },
      strict: false,
    })),
  fromCall: ({ call_id: id, name, arguments: args }, conversation) =>
    conversation.read({ id, name, arguments: args }),
  toResult: (_call, response, options = {}) => outputOf(response, responsesPicker(options), options),
  toMessages(results, options = {}): OpenAIResponsesOutput[] {
    const picker = responsesPicker(options);
    return results.map(({ response }) => outputOf(response, picker, options));
  },
} satisfies ProviderFormat<OpenAIResponsesTool[], OpenAIResponsesCall, OpenAIResponsesOutput>;
