import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../machines/models/anthropic.ts';
import { createConversation } from '../../../machines/models/conversation.ts';
import { gemini } from '../../../machines/models/gemini.ts';
import { openai } from '../../../machines/models/openai.ts';
import { parametersOf } from '../../../machines/models/schema.ts';
import type { MCPToolDefinition, ModelTool } from '../../../machines/models/format.ts';
import { anthropicRules, geminiRules, openaiRules, type ProviderRule, type Tool } from './provider-rules.ts';

interface ToolList {
  readonly package: string;
  readonly version: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly inputSchema: object;
    readonly outputSchema?: object;
  }[];
}
const folder = new URL('tool-lists/', import.meta.url);
const toolLists = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as ToolList,
);
const page = readFileSync(new URL('../../../docs/providers.md', import.meta.url), 'utf8');

const providers: Readonly<
  Record<
    string,
    { rules: readonly ProviderRule[]; convert: (d: readonly MCPToolDefinition[]) => readonly object[] }
  >
> = {
  OpenAI: { rules: openaiRules, convert: openai.toTools },
  Anthropic: { rules: anthropicRules, convert: anthropic.toTools },
  Gemini: {
    rules: geminiRules,
    convert: (definitions) => gemini.toTools(definitions).flatMap((one) => one.functionDeclarations),
  },
};
const toolsOf = ({ package: server, tools }: ToolList): ModelTool[] =>
  tools.map((tool) => ({ ...tool, server }));
const violationsOf = (rules: readonly ProviderRule[], tools: readonly object[]): string[] =>
  // Serialised, as the provider gets it.
  rules.flatMap(({ id, violations }) =>
    violations(JSON.parse(JSON.stringify(tools)) as Tool[]).map((place) => `${id} ${place}`),
  );

describe('the tool lists of published servers', () => {
  it.each(Object.keys(providers))('would be refused by %s as they are', (provider) => {
    const { rules = [], convert } = providers[provider] ?? {};
    const { definitions } = createConversation().offer(toolLists.flatMap(toolsOf));
    const unconverted = (convert?.(definitions) ?? []).map((tool, n) => {
      const raw = definitions[n]?.function.parameters;
      if (provider === 'OpenAI')
        return { ...tool, function: { ...definitions[n]?.function, parameters: raw } };
      return provider === 'Anthropic'
        ? { ...tool, input_schema: raw }
        : { ...tool, parametersJsonSchema: raw };
    });
    expect(violationsOf(rules, unconverted).length).toBeGreaterThan(0);
  });

  it.each(
    Object.keys(providers).flatMap((provider) =>
      toolLists.map((list) => ({ provider, list, name: list.package })),
    ),
  )('keep every rule of $provider, converted: $name', ({ provider, list }) => {
    const { rules = [], convert = () => [] } = providers[provider] ?? {};
    const { definitions, refused } = createConversation().offer(toolsOf(list));
    expect(refused).toEqual([]);
    const tools = convert(definitions);
    expect(tools).toHaveLength(list.tools.length);
    expect(violationsOf(rules, tools)).toEqual([]);
  });

  it('lose no parameter, and none that is required', () => {
    for (const { tools } of toolLists)
      for (const { name, inputSchema } of tools) {
        const { properties = {}, required = [] } = inputSchema as {
          properties?: object;
          required?: string[];
        };
        const converted = parametersOf(inputSchema);
        expect([name, Object.keys(converted.properties)]).toEqual([name, Object.keys(properties)]);
        expect([name, converted['required'] ?? []]).toEqual([name, required]);
      }
  });

  it.each(Object.keys(providers))('have names that %s takes, all in one request', (provider) => {
    const { rules = [], convert = () => [] } = providers[provider] ?? {};
    const { definitions, refused } = createConversation().offer(toolLists.flatMap(toolsOf));
    expect(refused).toEqual([]);
    const ofNames = rules.filter(({ id }) => id.startsWith('N'));
    expect(violationsOf(ofNames, convert(definitions))).toEqual([]);
  });
});

describe('the rules of providers', () => {
  const all = new Map(Object.values(providers).flatMap(({ rules }) => rules.map((rule) => [rule.id, rule])));

  it.each([...all.values()])('$id is broken by what it forbids', ({ violations, violating }) => {
    expect(violations(violating)).not.toEqual([]);
  });

  it('stand in docs/providers.md, each under its number and in its words, and no other does', () => {
    const told = [...page.matchAll(/^\| ([NOAG]\d+) \| (.+?) \|/gm)].map(([, id = '', says = '']) => [
      id,
      says,
    ]);
    expect(told).toEqual([...all.values()].map(({ id, says }) => [id, says]));
  });
});
