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

it('a variable that is not expanded is named, without its default', () => {
  const args = ['${KEY:-hunter2}', '${file:x}'];
  const of = (own: object, top: object): unknown => {
    const parsed = parseConfig({ mcpServers: { a: { command: 'x', args, a2c: own } }, a2c: top });
    return parsed.ok && parsed.config.warnings.map((line) => /\$\{\S+/.exec(line)?.[0]);
  };
  expect(of({}, {})).toEqual(['${file:x}']);
  expect(of({ expand: false }, { expand: true })).toEqual(['${KEY:-…}', '${file:x}']);
  expect(of({}, { expand: false })).toEqual(['${KEY:-…}', '${file:x}']);
});
