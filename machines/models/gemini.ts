import { remembered } from '../kernel/remembered.ts';
import type { Json, MCPToolDefinition, ProviderFormat } from './format.ts';
import { textOf } from './present.ts';
import { toGeminiSchema, type GeminiSchema } from './schema/gemini-schema.ts';
import { parametersOf } from './schema/object.ts';
import { renamed, renamesFor, restored, type Renames } from './schema/parameter-names.ts';

/** Gemini's `generateContent`, of the Gemini API and of Vertex AI. */
export interface GeminiFunctionDeclaration {
  readonly name: string;
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
  readonly type?: Type;
  readonly items?: GeminiParameters;
  readonly properties?: Record<string, GeminiParameters>;
  readonly anyOf?: GeminiParameters[];
}
export interface GeminiTool {
  readonly functionDeclarations: GeminiFunctionDeclaration[];
}
/** The `functionCall` of one part of an answer. */
export interface GeminiFunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Record<string, unknown>;
}
/** A part of the next request. */
export interface GeminiFunctionResponsePart {
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
