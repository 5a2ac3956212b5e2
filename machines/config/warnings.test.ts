import { expect, it } from 'vitest';
import { parseConfig } from './index.ts';

it('one alias for all tools of a server is taken, with a warning that only one of them can be called by it', () => {
  const server = { type: 'inmemory' };
  const parsed = parseConfig([
    { ...server, name: 'a', default_tool_meta: { alias: 'all' } },
    { ...server, name: 'b', default_tool_meta: { alias: null, tags: ['t'] } },
  ]);
  expect(parsed.ok && parsed.config.warnings).toEqual([
    '[0].default_tool_meta.alias: gives every tool of this server one name, so that only one can be called; write it into tool_meta',
  ]);
});
