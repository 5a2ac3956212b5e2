/** One property, or a whole schema, as each provider is given it; for tests. */
import { anthropic, createConversation, gemini, openai, type GeminiSchema } from '../index.ts';

export const withProperty = (p: unknown, more: object = {}): object => ({
  type: 'object',
  properties: { p },
  ...more,
});
const definitions = (params_schema: object) =>
  createConversation().offer([{ name: 't', params_schema }]).definitions;
const inside = (root: Readonly<Record<string, unknown>> | undefined): unknown =>
  (root?.['properties'] as Readonly<Record<string, unknown>> | undefined)?.['p'];
export const forGemini = (schema: object): GeminiSchema =>
  gemini.toTools(definitions(schema))[0]?.functionDeclarations[0]?.parameters ?? {};
export const geminiOf = (p: unknown): GeminiSchema => forGemini(withProperty(p)).properties?.['p'] ?? {};
export const openaiOf = (p: unknown): unknown =>
  inside(openai.toTools(definitions(withProperty(p)))[0]?.function.parameters);
export const anthropicOf = (p: unknown): unknown =>
  inside(anthropic.toTools(definitions(withProperty(p)))[0]?.input_schema);
