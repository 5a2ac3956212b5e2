import { remembered } from '../kernel/objects.ts';
import type { Json, MCPToolDefinition, ProviderFormat } from './format.ts';
import { textOf } from './present.ts';
import { toGeminiSchema, type GeminiSchema } from './gemini-schema.ts';
import { parametersOf } from './schema.ts';
import { renamed, renamesFor, restored, type Renames } from './parameter-names.ts';

/** Gemini's `generateContent`, of the Gemini API and of Vertex AI. */
export interface GeminiFunctionDeclaration {
  /** The name of the definition: 64 characters at the most. */
  readonly name: string;
  /** That of the definition; never empty. */
  readonly description: string;
  /** Left out for a tool that takes none: an object without properties is refused there. */
  readonly parameters?: GeminiParameters;
}
/**
 * The enum of this name in `@google/genai`, to which no text is assignable, and an enum of the same name and members is. We
 * do not depend on that package.
 */
export declare enum Type {
  STRING = 'STRING',
  NUMBER = 'NUMBER',
  INTEGER = 'INTEGER',
  BOOLEAN = 'BOOLEAN',
  ARRAY = 'ARRAY',
  OBJECT = 'OBJECT',
}
/** A `GeminiSchema` as the types of `@google/genai` have it. */
export interface GeminiParameters extends Omit<GeminiSchema, 'type' | 'items' | 'properties' | 'anyOf'> {
  /** As in `GeminiSchema`. */
  readonly type?: Type;
  /** As in `GeminiSchema`. */
  readonly items?: GeminiParameters;
  /** As in `GeminiSchema`. */
  readonly properties?: Record<string, GeminiParameters>;
  /** As in `GeminiSchema`. */
  readonly anyOf?: GeminiParameters[];
}
/** What a request has as one of its `tools`. */
export interface GeminiTool {
  /** All tools that are offered: one element has them all. */
  readonly functionDeclarations: GeminiFunctionDeclaration[];
}
/** The `functionCall` of one part of an answer. */
export interface GeminiFunctionCall {
  /** Left out by the Gemini API: then calls are answered by name and place. */
  readonly id?: string;
  /** The name that was offered. */
  readonly name?: string;
  /** The arguments, as an object. */
  readonly args?: Record<string, unknown>;
}
/** A part of the next request. */
export interface GeminiFunctionResponsePart {
  /** Answers the call of this name; `response` has the text as `output`, or as `error`. */
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: Record<string, unknown>;
  };
}

const parameterName = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;
const renamesOf: (parameters: object) => Renames = remembered((parameters: object) =>
  renamesFor(parametersOf(parameters), parameterName),
);

function toDeclaration({ function: offered }: MCPToolDefinition): GeminiFunctionDeclaration {
  const { name, description } = offered;
  const parameters = toGeminiSchema(renamed(parametersOf(offered.parameters), renamesOf(offered.parameters)));
  return { name, description, ...(parameters.properties && { parameters: parameters as GeminiParameters }) };
}

/** The format of `generateContent`, of the Gemini API and of Vertex AI. */
export const gemini = {
  /** One element with all of them, or none. */
  toTools: (definitions) =>
    definitions.length === 0 ? [] : [{ functionDeclarations: definitions.map(toDeclaration) }],
  fromCall: ({ id, name = '', args }, conversation) =>
    conversation.read({ id, name, arguments: args }, (given: Json, parameters) =>
      restored(given, renamesOf(parameters)),
    ),
  toResult: ({ id, name = '' }, response) => ({
    functionResponse: {
      // An id that we made is none to Gemini: there a call without one is answered by its name and place.
      ...(id && { id }),
      name,
      response: { [response.isError ? 'error' : 'output']: textOf(response) },
    },
  }),
} satisfies ProviderFormat<GeminiTool[], GeminiFunctionCall, GeminiFunctionResponsePart>;
