import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../../machines/catalog/changes.ts';
import type { JsonObject } from '../../../machines/catalog/entries.ts';
import { decoders, encode } from './codec.ts';

const reads = (what: string) => (raw: unknown) => decoders[`${what}/list`]?.(raw);
const decodeTool = reads('tools');

const json = fc.jsonValue({ maxDepth: 4 });
const object = fc.dictionary(fc.string(), json, { maxKeys: 4 });
const text = fc.string();
/** Names that are no fields of MCP: names of JavaScript objects, and names that only our decoded form uses. */
const strange = fc.constantFrom('__proto__', 'constructor', 'toString', 'more', 'meta', 'x-a', 'y');
const more = fc.dictionary(strange, json, { minKeys: 1, maxKeys: 3 });
const optional = { requiredKeys: [] };
const icon = fc.record(
  { src: text, mimeType: text, sizes: fc.array(text), theme: fc.constantFrom('light', 'dark'), more },
  { requiredKeys: ['src'] },
);
const described = {
  title: text,
  description: text,
  icons: fc.array(icon, { maxLength: 2 }),
  meta: object,
  more,
};
const schema = fc
  .tuple(
    object,
    fc.constantFrom<unknown>('object', 'Object', ['object', 'null'], ['NULL', 'OBJECT'], undefined),
  )
  .map(([rest, type]) => {
    const { type: _, ...others } = rest;
    return type === undefined ? others : { ...others, type };
  });
const hints = { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), idempotentHint: fc.boolean() };
const execution = fc.record(
  { taskSupport: fc.constantFrom('required', 'optional', 'forbidden'), more },
  optional,
);
const annotations = fc.record(
  { audience: fc.array(text), priority: fc.double({ noNaN: true, noDefaultInfinity: true }), more },
  optional,
);
const name = fc.string({ minLength: 1 });
const tool = fc.record(
  {
    ...{ name, inputSchema: schema, ...described, outputSchema: object, execution },
    annotations: fc.record({ title: text, ...hints, openWorldHint: fc.boolean(), more }, optional),
  },
  { requiredKeys: ['name', 'inputSchema'] },
);
const content = { mimeType: text, annotations };
const resource = fc.record(
  { uri: name, name: text, ...described, ...content, size: fc.nat() },
  { requiredKeys: ['uri', 'name'] },
);
const template = fc.record(
  { uriTemplate: name, name: text, ...described, ...content },
  { requiredKeys: ['uriTemplate', 'name'] },
);
const argument = fc.record(
  { name: text, title: text, description: text, required: fc.boolean(), more },
  { requiredKeys: ['name'] },
);
const prompt = fc.record(
  { name, ...described, arguments: fc.array(argument, { maxLength: 3 }) },
  { requiredKeys: ['name'] },
);

type Codec = readonly [
  what: string,
  entry: fc.Arbitrary<object>,
  decode: (raw: unknown) => object | undefined,
  least: JsonObject,
];
const codecs: readonly Codec[] = [
  ['tool', tool, decodeTool, { name: 't', inputSchema: { type: 'object' } }],
  ['resource', resource, reads('resources'), { uri: 'a:b', name: 'r' }],
  ['template', template, reads('resources/templates'), { uriTemplate: 'a:{b}', name: 'r' }],
  ['prompt', prompt, reads('prompts'), { name: 'p' }],
];
const sent = (value: object): unknown => JSON.parse(JSON.stringify(value));
const anyFields = fc.dictionary(
  fc.constantFrom(
    ...['name', 'title', 'description', 'icons', '_meta', 'annotations', 'execution', 'outputSchema', 'size'],
    ...['mimeType', 'arguments', 'uri', 'uriTemplate', 'inputSchema', 'more', 'meta', '__proto__'],
  ),
  json,
);

describe.each(codecs)('a %s', (_what, arbitrary, decode, least) => {
  it('is the same after it went over the wire, with everything in it, when it is ours', () => {
    fc.assert(
      fc.property(arbitrary, (entry) => {
        expect(decode(sent(encode(entry)))).toEqual(sent(entry));
      }),
    );
  });

  it("goes out as it came in when it is a stranger's: fields that are unknown or wrong are neither lost nor refused", () => {
    fc.assert(
      fc.property(anyFields, (fields) => {
        const raw = { ...fields, ...least };
        const entry = decode(raw);
        expect(entry).toBeDefined();
        expect(encode(entry as object)).toEqual(raw);
        // The hash also covers a field named `__proto__`, which `toEqual` overlooks.
        expect(contentHash(encode(entry as object))).toBe(contentHash(raw));
      }),
    );
  });

  it('is read from any JSON, or is none, without an error', () => {
    fc.assert(
      fc.property(fc.oneof(json, anyFields), (raw) => {
        const entry = decode(raw);
        if (entry) expect(contentHash(encode(entry))).toBe(contentHash(raw));
      }),
    );
    let deep: unknown = 1;
    for (let at = 0; at < 100_000; at++) deep = [deep];
    expect(decode({ ...least, deep })).toBeUndefined();
  });

  it('is none without what it is found by', () => {
    for (const field of Object.keys(least)) {
      for (const wrong of [undefined, null, 3, []]) {
        const { [field]: _, ...rest } = least;
        expect(decode(wrong === undefined ? rest : { ...rest, [field]: wrong })).toBeUndefined();
      }
    }
    expect(decode({ ...least, [Object.keys(least)[0] as string]: '' })).toBeUndefined();
  });

  it('cannot be changed, neither itself nor through the message that it came in', () => {
    const raw = { ...structuredClone(least), _meta: { a: [1] }, odd: { b: 1 } };
    const entry = decode(raw) as { meta: { a: number[] }; more: { odd: object } };
    raw._meta.a.push(2);
    raw.odd.b = 2;
    expect(entry).toMatchObject({ meta: { a: [1] }, more: { odd: { b: 1 } } });
    expect(() => entry.meta.a.push(3)).toThrow(TypeError);
    expect(() => Object.assign(entry.more.odd, { b: 3 })).toThrow(TypeError);
    expect(() => Object.assign(entry, { name: 'other' })).toThrow(TypeError);
  });

  it('has the same hash in whatever order its keys come', () => {
    fc.assert(
      fc.property(arbitrary, (entry) => {
        const raw = encode(entry);
        const reversed = Object.fromEntries(Object.entries(raw).toReversed());
        expect(contentHash(decode(sent(reversed)))).toBe(contentHash(decode(sent(raw))));
      }),
    );
  });
});

describe('the arguments of a tool', () => {
  const withType = (type: unknown) => decodeTool({ name: 't', inputSchema: { type } });
  it.each([['array'], ['string'], [['array', 'null']], [[]], [null], [3], [{}]])(
    'cannot be of type %j: the tool is skipped',
    (type) => {
      expect(withType(type)).toBeUndefined();
    },
  );
  it.each([['object'], ['OBJECT'], [['object', 'null']], [['null', 'Object']]])(
    'can be of type %j, and the schema stays as the server wrote it',
    (type) => {
      expect(withType(type)).toEqual({ name: 't', inputSchema: { type } });
    },
  );
});

describe('the words of MCP', () => {
  it('become ours: `_meta` is `meta`, and hints that are no booleans stand in `more` of the annotations', () => {
    const raw = {
      ...{ name: 't', inputSchema: { type: 'object' }, _meta: { k: 1 }, title: null, 'x-new': 2 },
      annotations: { readOnlyHint: true, idempotentHint: 'yes', audience: 'all' },
    };
    expect(decodeTool(raw)).toEqual({
      ...{ name: 't', inputSchema: { type: 'object' }, meta: { k: 1 } },
      annotations: { readOnlyHint: true, more: { idempotentHint: 'yes', audience: 'all' } },
      more: { title: null, 'x-new': 2 },
    });
  });
  it('hold a list only as a whole: one broken icon leaves all of them as they came', () => {
    const icons = [{ src: 'a' }, { source: 'b' }];
    expect(reads('prompts')({ name: 'p', icons })).toEqual({ name: 'p', more: { icons } });
  });
});
