/** Tools, calls and results in the form of the Gemini API. */
import { remembered } from '../kernel/objects.ts';
import type { Json, MCPToolDefinition, MCPToolResponse, ProviderFormat } from './format.ts';
import { mediaPicker, type AcceptedTypes, partsBeside, textOf } from './present.ts';
import { renamed, renamesFor, restored, type Renames } from './arguments.ts';
import { parametersOf, type ObjectSchema } from './schema.ts';

/** Tool declaration for Gemini's `generateContent`, in the Gemini API and Vertex AI. */
export interface GeminiFunctionDeclaration {
  /** Name of the tool, at most 64 characters. */
  readonly name: string;
  /** Description of the tool; never empty. */
  readonly description: string;
  /** Parameters as a plain object schema; names that Gemini refuses are replaced. Absent for a tool without any. */
  readonly parametersJsonSchema?: ObjectSchema;
}
/** Element of the `tools` of a request. */
export interface GeminiTool {
  /** All offered tools; a single element holds them all. */
  readonly functionDeclarations: GeminiFunctionDeclaration[];
}
/** Call of a tool: the `functionCall` of one part of an answer. */
export interface GeminiFunctionCall {
  /** Id of the call; the Gemini API omits it and matches results by name and position. */
  readonly id?: string;
  /** Name under which the tool was offered. */
  readonly name?: string;
  /** Arguments of the call, as an object. */
  readonly args?: Record<string, unknown>;
}
/** Part of the next request with the result of a call. */
export interface GeminiFunctionResponsePart {
  /** Result of the call with this name; `response` has its text as `output` or `error`. */
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: Record<string, unknown>;
  };
}

/**
 * Message with the results of all calls of an answer. Images, sounds and documents come after all results, because only some
 * models take them inside of a result.
 */
export interface GeminiResultContent {
  readonly role: 'user';
  /** Results in the order of the calls, then media, each after its name in the texts of the results. */
  readonly parts: (
    | GeminiFunctionResponsePart
    | { readonly text: string }
    | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  )[];
}

const parameterName = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;
const renamesOf: (parameters: object) => Renames = remembered((parameters: object) =>
  renamesFor(parametersOf(parameters), parameterName),
);

function toDeclaration({ function: offered }: MCPToolDefinition): GeminiFunctionDeclaration {
  const { name, description, parameters } = offered;
  const schema = renamed(parametersOf(parameters), renamesOf(parameters));
  const hasAny = Object.keys(schema.properties).length > 0;
  return { name, description, ...(hasAny && { parametersJsonSchema: schema }) };
}

const taken: AcceptedTypes = {
  image: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  audio: ['audio/wav', 'audio/mpeg', 'audio/aiff', 'audio/aac', 'audio/ogg', 'audio/flac'],
  document: ['application/pdf'],
};
const resultOf = (
  { id, name = '' }: GeminiFunctionCall,
  { isError }: MCPToolResponse,
  text: string,
): GeminiFunctionResponsePart => ({
  functionResponse: {
    // Not an id made by the conversation: Gemini matches calls without an id by name and position.
    ...(id && { id }),
    name,
    response: { [isError ? 'error' : 'output']: text },
  },
});

/** Format of `generateContent`, in the Gemini API and Vertex AI. */
export const gemini = {
  /** Returns a list of one element with all tools; an empty list without tools. */
  toTools: (definitions) =>
    definitions.length === 0 ? [] : [{ functionDeclarations: definitions.map(toDeclaration) }],
  fromCall: ({ id, name = '', args }, conversation) =>
    conversation.read({ id, name, arguments: args }, (given: Json, parameters) =>
      restored(given, renamesOf(parameters)),
    ),
  // Converts to text only; `toMessages` also converts images, sounds and documents.
  toResult: (call, response, { characters } = {}) => resultOf(call, response, textOf(response, characters)),
  toMessages(results, options = {}): GeminiResultContent[] {
    if (results.length === 0) return [];
    const picker = mediaPicker(taken, ['image', 'audio', 'document'], options);
    const { texts, media } = partsBeside(
      results.map(({ response }) => response),
      picker,
      options,
    );
    const told = results.map(({ call, response }, n) => resultOf(call, response, texts[n] ?? ''));
    const beside = media.flatMap(({ name, mimeType, data }) => [
      { text: `${name}:` },
      { inlineData: { mimeType, data } },
    ]);
    return [{ role: 'user', parts: [...told, ...beside] }];
  },
} satisfies ProviderFormat<GeminiTool[], GeminiFunctionCall, GeminiFunctionResponsePart>;
