import { expect, it } from 'vitest';
import { buildTable, findTool, toSmcpTool, type Tool } from './index.ts';

it('a tool is shown with all its annotations as MCP has them, also those that we have no word for (§3.5)', () => {
  const tool: Tool = {
    ...{ name: 't', inputSchema: { type: 'object' }, meta: { plain: 1, deep: { a: null } } },
    annotations: { title: 'T', readOnlyHint: true, more: { 'x-new': [1], idempotentHint: null } },
    more: { description: null },
  };
  const { description, meta } = toSmcpTool({ shown: 's', server: 'a', tool, meta: null });
  expect(description).toBe('None');
  expect(meta).toEqual({
    plain: 1,
    deep: '{"a":null}',
    MCP_TOOL_ANNOTATION: '{"title":"T","readOnlyHint":true,"x-new":[1],"idempotentHint":null}',
  });
});

it('ret_object_mapper of a config is handed on to agents as the data that it is, the default of the server too (§3.5)', () => {
  const mapper = { a: 'b', deep: { list: [1, null] } };
  const named = (name: string): Tool => ({ name, inputSchema: { type: 'object' } });
  const rules = {
    ...{ server: 's', forbiddenTools: [] },
    toolMeta: { own: { ret_object_mapper: mapper }, other: { tags: ['t'] } },
    defaultToolMeta: { ret_object_mapper: { d: 1 } },
  };
  const table = buildTable([rules], { s: [named('own'), named('other')] });
  const mapperOf = (name: string): unknown => {
    const entry = findTool(table, name);
    const meta = entry && toSmcpTool(entry).meta['a2c_tool_meta'];
    return (JSON.parse(meta as string) as { ret_object_mapper: unknown }).ret_object_mapper;
  };
  expect(mapperOf('own')).toEqual(mapper);
  expect(mapperOf('other')).toEqual({ d: 1 });
});
