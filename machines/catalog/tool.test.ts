import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Tool } from './entries.ts';
import { buildTable, findTool } from './tool-table.ts';
import { listedFrom, listedTool, mergeMeta, smcpToolOf, toSmcpTool, type ToolMeta } from './tool.ts';

const inputSchema = { type: 'object', properties: { p: { type: 'string' } } };
function shown(tool: Partial<Tool>, own?: ToolMeta, defaultToolMeta: ToolMeta | null = null) {
  const rule = { server: 's', forbiddenTools: [], toolMeta: own ? { t: own } : {}, defaultToolMeta };
  const entry = findTool(buildTable([rule], { s: [{ name: 't', inputSchema, ...tool }] }), own?.alias ?? 't');
  if (!entry) throw new Error('it is not there');
  return toSmcpTool(entry);
}
const a2cMeta = (meta: Readonly<Record<string, unknown>>): unknown =>
  JSON.parse(String(meta['a2c_tool_meta']));

it('a tool is shown with all its annotations as MCP has them, also those that we have no word for', () => {
  const tool: Tool = {
    ...{ name: 't', inputSchema: { type: 'object' }, meta: { plain: 1, deep: { a: null } } },
    annotations: { title: 'T', readOnlyHint: true, more: { 'x-new': [1], idempotentHint: null } },
    more: { description: null },
  };
  const { description, meta } = toSmcpTool({ bundleId: 's', shown: 's', server: 'a', tool, meta: null });
  expect(description).toBe('None');
  expect(meta).toEqual({
    plain: 1,
    deep: '{"a":null}',
    MCP_TOOL_ANNOTATION: '{"title":"T","readOnlyHint":true,"x-new":[1],"idempotentHint":null}',
  });
});

it('ret_object_mapper of a config is handed on to agents as the data that it is, the default of the server too', () => {
  const mapper = { a: 'b', deep: { list: [1, null] } };
  const mapperOf = (own: ToolMeta): unknown =>
    (a2cMeta(shown({}, own, { ret_object_mapper: { d: 1 } }).meta) as ToolMeta)['ret_object_mapper'];
  expect(mapperOf({ ret_object_mapper: mapper })).toEqual(mapper);
  expect(mapperOf({ tags: ['t'] })).toEqual({ d: 1 });
});

describe('a tool as agents are told of it', () => {
  it('has the description "None" where its server gave an empty one', () => {
    expect(shown({ description: '' }).description).toBe('None');
  });

  it('has the description "None", a return_schema of null and an empty meta where its server gave none', () => {
    expect(shown({})).toEqual({
      ...{
        name: 't',
        bundle_id: 's',
        description: 'None',
        params_schema: inputSchema,
        return_schema: null,
        meta: {},
      },
    });
    expect(shown({ outputSchema: { type: 'object' } }).return_schema).toEqual({ type: 'object' });
  });

  it('has objects and nulls of that meta as JSON strings', () => {
    const { meta } = shown({ meta: { o: { x: 1 }, n: null, mixed: [1, 'a'], list: ['a', 'b'] } });
    expect(JSON.parse(String(meta['o']))).toEqual({ x: 1 });
    expect(meta).toMatchObject({ n: 'null', mixed: '[1,"a"]', list: ['a', 'b'] });
  });

  it('has nothing of what its config says of it in own keys', () => {
    const keys = JSON.parse('{"foo": {"bar": [1]}, "__proto__": "x"}') as ToolMeta;
    const { meta } = shown({ meta: JSON.parse('{"__proto__": 1}') }, keys, { foo: 2, more: 3 });
    const nothing = { auto_apply: null, alias: null, tags: null, ret_object_mapper: null };
    expect(a2cMeta(meta)).toEqual(nothing);
    expect(Object.keys(meta)).toContain('__proto__');
    expect(mergeMeta({ foo: 2 }, keys)).toEqual({ ...keys });
  });
});

const key = fc.constantFrom('auto_apply', 'alias', 'tags', 'extra', '__proto__');
const value = fc.constantFrom(null, undefined, true, false, 'a', ['x'], { deep: 1 });
const metas = fc.option(fc.array(fc.tuple(key, value)).map((pairs) => Object.fromEntries(pairs) as ToolMeta));
const over = (a: ToolMeta | null, b: ToolMeta | null): ToolMeta | null => mergeMeta(a, b ?? undefined);

describe('meta put together', () => {
  it('is the same in whatever grouping, nothing being nothing at either end', () => {
    fc.assert(
      fc.property(metas, metas, metas, (a, b, c) => {
        expect(over(over(a, b), c)).toEqual(over(a, over(b, c)));
        expect([over(null, a), over(a, null)]).toEqual([a, a]);
      }),
    );
  });

  it('is what was said last, entry by entry and not deeper; null says nothing', () => {
    fc.assert(
      fc.property(metas, metas, (a, b) => {
        const merged = over(a, b);
        for (const each of ['auto_apply', 'alias', 'tags', 'extra'])
          expect(merged?.[each] ?? null).toEqual(b?.[each] ?? a?.[each] ?? null);
      }),
    );
  });

  it('loses a null that is laid over an empty meta, and keeps it where there was none: null is no entry', () => {
    expect([over({}, { extra: null }), over(null, { extra: null })]).toEqual([{}, { extra: null }]);
  });
});

describe('a tool in the words of MCP', () => {
  const entry = { bundleId: 's', shown: 's_t', server: 'a', meta: { alias: 's_t', tags: ['x'] } };
  const tool: Tool = {
    ...{ name: 't', title: 'Tee', description: 'does', inputSchema, outputSchema: inputSchema },
    ...{ annotations: { title: 'T', readOnlyHint: true, more: { 'x-new': [1] } }, meta: { own: 1 } },
  };
  const { title, ...onTheWire } = listedTool({ ...entry, tool });

  it('has the fields of MCP, and its policy as an object', () => {
    expect({ title, ...onTheWire }).toEqual({
      ...{ name: 's_t', title: 'Tee', description: 'does', inputSchema, outputSchema: inputSchema },
      ...{ annotations: tool.annotations, _meta: { own: 1 }, toolMeta: entry.meta },
    });
    expect(listedTool({ ...entry, meta: null, tool: { name: 't', inputSchema } })).toEqual({
      ...{ name: 's_t', inputSchema },
    });
  });

  it('comes back from the wire as it went, but for its title', () => {
    expect(listedFrom(toSmcpTool({ ...entry, tool }))).toEqual(onTheWire);
    expect(listedFrom(smcpToolOf({ name: 'bare', inputSchema }))).toEqual({ name: 'bare', inputSchema });
  });

  it.each(['None', '', '[A] None'])('has no description where the wire says %j', (description) => {
    expect(listedFrom({ ...smcpToolOf({ name: 'x', inputSchema }), description })).not.toHaveProperty(
      'description',
    );
  });

  it('keeps metadata that cannot be read, and makes nothing of hints of a wrong type', () => {
    const meta = {
      a2c_tool_meta: 'no JSON',
      MCP_TOOL_ANNOTATION: '{"title":1,"__proto__":{"a":1},"readOnlyHint":"yes"}',
    };
    const read = listedFrom({ ...smcpToolOf({ name: 'x', inputSchema }), meta });
    expect(read).toMatchObject({ _meta: { a2c_tool_meta: 'no JSON' } });
    expect(read.annotations?.readOnlyHint).toBeUndefined();
    expect(Object.keys(read.annotations?.more ?? {})).toEqual(['title', '__proto__', 'readOnlyHint']);
  });
});
