import { expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { ConfigInput, McpServersInput, SettingsInput, TimeoutsInput } from './config-input.ts';
import { parseConfig } from './parse.ts';
import type { inputSchemas, settingsSchema } from './schemas.ts';

type Given = z.input<typeof settingsSchema>;

it('the types of a config have the keys of the schemas, and no others', () => {
  expectTypeOf<keyof SettingsInput>().toEqualTypeOf<keyof Given>();
  expectTypeOf<keyof TimeoutsInput>().toEqualTypeOf<keyof NonNullable<Given['timeouts']>>();
  type Inputs = NonNullable<McpServersInput['inputs']>[number];
  expectTypeOf<Inputs['type']>().toEqualTypeOf<keyof typeof inputSchemas>();
});

it('a config of these types is read, in each of its shapes', () => {
  const mapped: ConfigInput = {
    mcpServers: {
      files: { command: 'node', args: ['server.js'], env: { A: '${input:a}' }, autoApprove: ['read'] },
      web: { type: 'http', url: 'https://h/mcp', headers: { A: 'b' }, a2c: { start: 'lazy', idleStop: 60 } },
      inside: { type: 'inmemory', tool_meta: { echo: { alias: 'say' } }, forbidden_tools: ['x'] },
    },
    inputs: [{ type: 'promptString', id: 'a', description: 'A', password: true }],
    a2c: { onConflict: 'prefix', timeouts: { callTotalMs: 1_000 } },
  };
  const listed: ConfigInput = [{ name: 'a', type: 'stdio', server_parameters: { command: 'x' } }];
  for (const config of [mapped, listed]) expect(parseConfig(config)).toMatchObject({ ok: true });
  // @ts-expect-error: a path is no config
  const path: ConfigInput = 'a2c.json';
  expect(parseConfig(path)).toMatchObject({ ok: false });
});
