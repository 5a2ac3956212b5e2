import { roundedArguments } from '../../../machines/protocol/json.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../../machines/models/anthropic.ts';
import { createConversation } from '../../../machines/models/conversation.ts';
import { gemini } from '../../../machines/models/gemini.ts';
import { openai } from '../../../machines/models/openai.ts';
import { anthropicRules, geminiRules, openaiRules, type Tool } from './provider-rules.ts';

interface Pair {
  readonly schema: object | boolean;
  readonly value: unknown;
}
const key = fc.constantFrom('a', 'b', 'per-page', '$filter', 'x y', '__proto__', 'constructor', '中');
const annotated = (pairs: fc.Arbitrary<Pair>): fc.Arbitrary<Pair> =>
  fc
    .tuple(pairs, fc.record({ description: fc.string(), title: fc.string() }, { requiredKeys: [] }))
    .map(([{ schema, value }, words]) => ({
      schema: typeof schema === 'boolean' ? schema : { ...words, ...schema },
      value,
    }));
const scalar: fc.Arbitrary<Pair> = fc.oneof(
  fc.string().map((value) => ({ schema: { type: 'string', maxLength: 200 }, value })),
  fc.string().map((value) => ({ schema: { type: ['string', 'null'] }, value })),
  fc.constant({ schema: { type: ['string', 'null'] }, value: null }),
  fc.integer().map((value) => ({ schema: { type: 'integer', exclusiveMinimum: value - 1 }, value })),
  fc.integer().map((value) => ({ schema: { type: ['integer', 'string', 'boolean'] }, value })),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => ({ schema: { type: 'number', maximum: value }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
  fc.constantFrom<unknown>('x', '', 1, 2.5, true, null).map((value) => ({ schema: { const: value }, value })),
  fc
    .constantFrom<unknown>('x', '', 1, 2.5, true, null)
    .map((value) => ({ schema: { enum: ['y', value, 7] }, value })),
  fc.constantFrom<unknown>('x', 1, true, null, [1], {}).map((value) => ({ schema: true, value })),
  fc.constantFrom<unknown>('x', 1, true, null).map((value) => ({ schema: {}, value })),
);
const again = { $ref: '#again' };
const recursive = ({ schema, value }: Pair): readonly Pair[] => [
  { schema: { type: 'array', items: again }, value: [[], [[]]] },
  { schema: { type: ['array', 'null'], items: again }, value: [null, [null]] },
  { schema: { type: 'array', items: { anyOf: [schema, again] } }, value: [value, []] },
  {
    schema: { type: 'object', properties: { a: schema, b: again, c: { anyOf: [again, { type: 'null' }] } } },
    value: { a: value, b: { a: value }, c: null },
  },
];
const { pair } = fc.letrec<{ pair: Pair; object: Pair }>((tie) => ({
  object: fc
    .uniqueArray(fc.tuple(key, tie('pair')), { selector: ([name]) => name, maxLength: 4 })
    .map((members) => ({
      schema: {
        type: 'object',
        properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
        required: members.map(([name]) => name),
        additionalProperties: false,
      },
      value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    })),
  pair: annotated(
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      tie('object'),
      tie('pair').map(({ schema, value }) => ({
        schema: { type: 'array', items: schema },
        value: [value, value],
      })),
      fc.tuple(tie('pair'), tie('pair')).map(([one, other]) => ({
        schema: { anyOf: [one.schema, other.schema] },
        value: other.value,
      })),
      tie('pair').map(({ schema, value }) => ({ schema: { allOf: [schema] }, value })),
      tie('pair').map(({ schema, value }) => ({
        schema: { $ref: '#/$defs/one', $defs: { one: schema } },
        value,
      })),
      fc.tuple(tie('object'), tie('object')).map(([one, other]) => ({
        schema: { type: 'object', anyOf: [one.schema, other.schema] },
        value: one.value,
      })),
      tie('pair')
        .chain((one) => fc.constantFrom(...recursive(one)))
        .map(({ schema, value }) => ({
          schema: { $ref: '#/$defs/one', $defs: { one: schema } },
          value,
        })),
    ),
  ),
}));
/** References lead through the whole. */
function lifted(schema: unknown, defs: Record<string, unknown>, inside = ''): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => lifted(one, defs, inside));
  const node = schema as Record<string, unknown>;
  if (node === again) return { $ref: `#/$defs/${inside}` };
  if ('$ref' in node && '$defs' in node) {
    const name = `d${Object.keys(defs).length}`;
    defs[name] = {};
    defs[name] = lifted((node['$defs'] as Record<string, unknown>)['one'], defs, name);
    return { $ref: `#/$defs/${name}` };
  }
  return Object.fromEntries(Object.entries(node).map(([name, one]) => [name, lifted(one, defs, inside)]));
}
const parameters = fc
  .uniqueArray(fc.tuple(key, pair), { selector: ([name]) => name, maxLength: 4 })
  .map((members) => {
    const $defs: Record<string, unknown> = {};
    const properties = Object.fromEntries(members.map(([name, { schema }]) => [name, lifted(schema, $defs)]));
    return {
      schema: { type: 'object', properties, required: members.map(([name]) => name), $defs },
      value: asJson(Object.fromEntries(members.map(([name, { value }]) => [name, value]))),
    };
  });
/** JSON has no -0. */
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
function accepts(schema: unknown, value: unknown): boolean {
  try {
    return ajv.validate(schema as object, value);
  } finally {
    ajv.removeSchema(schema as object);
  }
}
function toldIn(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => toldIn(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [names.get(name) ?? name, toldIn(one, names)]),
  );
}
/** They differ by a digest at their end, and keep their order. */
const namesIn = (schema: unknown): Map<string, string> => {
  const found = new Map<string, string>();
  const shown = [...JSON.stringify(schema).matchAll(/"(\w+_[\da-f]{8})"/g)].map(([, name = '']) => name);
  for (const original of ['per-page', '$filter', 'x y', '中'])
    for (const name of shown)
      if (name.startsWith(`${original.replaceAll(/\W/g, '_')}_`) && name.length === original.length + 9)
        found.set(original, name);
  return found;
};

const numRuns = 25;

describe('a converted schema', () => {
  it('keeps the rules of every provider, whatever the server wrote', () => {
    fc.assert(
      fc.property(parameters, ({ schema }) => {
        const { definitions } = createConversation().offer([{ name: 't', inputSchema: schema }]);
        const broken = [
          [openaiRules, openai.toTools(definitions)],
          [anthropicRules, anthropic.toTools(definitions)],
          [geminiRules, gemini.toTools(definitions).flatMap((one) => one.functionDeclarations)],
        ] as const;
        for (const [rules, tools] of broken)
          for (const { id, violations } of rules)
            expect([id, violations(JSON.parse(JSON.stringify(tools)) as Tool[])]).toEqual([id, []]);
      }),
      { numRuns },
    );
  });

  it('allows whatever the schema of the server allows, and a call with it comes back as it was', () => {
    fc.assert(
      fc.property(parameters, fc.string({ unit: 'grapheme' }), ({ schema, value }, tool) => {
        // An integer beyond 2^53 has perhaps lost digits, and is refused where it is no float.
        fc.pre(accepts(schema, value) && roundedArguments(value, {}).length === 0);
        const conversation = createConversation();
        const { definitions } = conversation.offer([{ name: tool, server: 's', inputSchema: schema }]);
        const name = definitions[0]?.function.name ?? '';
        const server = { name: 's', icons: '', descriptions: '' };
        const expected = { ok: true, call: { id: 'c', name, tool, arguments: value, server } };
        const [forOpenAi] = openai.toTools(definitions);
        expect(accepts(forOpenAi?.function.parameters, value)).toBe(true);
        const call = { id: 'c', function: { name, arguments: JSON.stringify(value) } };
        expect(openai.fromCall(call, conversation)).toEqual(expected);

        const [forAnthropic] = anthropic.toTools(definitions);
        const input = toldIn(value, namesIn(forAnthropic?.input_schema));
        expect(accepts(forAnthropic?.input_schema, input)).toBe(true);
        const use = anthropic.fromCall({ type: 'tool_use', id: 'c', name, input }, conversation);
        expect(use).toEqual(expected);

        const [{ parametersJsonSchema: forGemini = {} } = {}] =
          gemini.toTools(definitions)[0]?.functionDeclarations ?? [];
        const args = toldIn(value, namesIn(forGemini)) as Record<string, unknown>;
        expect(accepts(forGemini, args)).toBe(true);
        expect(gemini.fromCall({ id: 'c', name, args }, conversation)).toEqual(expected);
      }),
      { numRuns },
    );
  });
});
