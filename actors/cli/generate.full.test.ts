import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { toolTypes } from '../../machines/models/typescript.ts';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { compiled, linkedProject } from '../../scenarios/fixtures/linked-project.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = testFolder('generate');
const config = join(folder, 'a2c.json');
const servers = {
  typed: [join(root, 'scenarios/fixtures/typed-server.mjs')],
  everything: [join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};
beforeAll(() => {
  const entries = Object.entries(servers).map(([name, args]) => [name, { command: process.execPath, args }]);
  writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  linkedProject(folder);
});
const generated = async (what: string, server: string): Promise<string> => {
  const { code, out, err } = await commandLine(['generate', what, server, '-c', config]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};
/** Errors of the compiler for a file, with every strict option that changes types. */
function mistakesIn(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  const strict = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--types', ''];
  return compiled(folder, [name], ...strict);
}

describe('a2c generate', () => {
  it.each(Object.keys(servers))('writes types of %s that compile', async (server) => {
    expect(mistakesIn(`${server}-types.ts`, await generated('types', server))).toBe('');
  });
  it('writes types that let right arguments through, and wrong ones not', async () => {
    writeFileSync(join(folder, 'everything.ts'), await generated('types', 'everything'));
    const use = (tool: string, args: string): string =>
      mistakesIn(
        'use.ts',
        `import type { EverythingTools } from './everything.js';\n` +
          `const given: EverythingTools['${tool}']['arguments'] = ${args};\nvoid given;\n`,
      );
    expect(use('get-sum', '{ a: 1, b: 2 }')).toBe('');
    expect(use('get-sum', "{ a: 1, b: 'two' }")).toContain("'string' is not assignable to type 'number'");
    expect(use('get-sum', '{ a: 1 }')).toContain("Property 'b' is missing");
  });
});

const tree = { properties: { next: { $ref: '#' } }, additionalProperties: false };
const orNull = { properties: { a: { type: ['string', 'null'] } } };
const every = { allOf: [orNull, { anyOf: [{ const: 1 }, { enum: ['x', null] }] }], nullable: true };
const lists = {
  a: { type: 'array', items: { type: 'string' } },
  b: { prefixItems: [{ type: 'number' }] },
};
it.each([
  ['ends a comment', { name: 'a', description: '*/ process.exit() /*', inputSchema: {} }],
  [
    'is no name',
    { name: '"; process.exit(); //', inputSchema: { properties: { 'a"b': {}, __proto__: {} } } },
  ],
  ['has the name of another', { name: 'a-b', inputSchema: { type: 'object', required: ['x'] } }],
  ['contains itself', { name: 'tree', inputSchema: tree }],
  ['has every word', { name: 'all', inputSchema: every }],
  [
    'has lists',
    {
      name: 'list',
      inputSchema: { properties: lists },
      outputSchema: { properties: { c: { type: 'boolean', default: true } } },
    },
  ],
])('a2c generate writes code for a tool that %s compiles', (_, tool) => {
  const tools = [{ name: 'a_b', inputSchema: { type: 'object' } }, tool];
  expect(mistakesIn('types.ts', toolTypes('9 "lives"', tools))).toBe('');
});
