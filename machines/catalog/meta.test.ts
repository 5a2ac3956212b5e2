import { expect, it } from 'vitest';
import { toSmcpTool, type Tool } from './index.ts';

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
