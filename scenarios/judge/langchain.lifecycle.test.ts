import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { installedClients } from './clients.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = mkdtempSync(join(tmpdir(), 'a2c-langchain-'));
const installed = await installedClients();
if ('why' in installed) process.stderr.write(`examples/langchain is left out: ${installed.why}\n`);

interface Asked {
  readonly messages: readonly { readonly content: unknown }[];
  readonly tools: readonly { readonly name: string }[];
}
const asked: Asked[] = [];
const model = createServer((request, response) => {
  void json(request).then((body) => {
    asked.push(body as Asked);
    const last = (body as Asked).messages.at(-1)?.content;
    const content =
      typeof last === 'string'
        ? [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: last } }]
        : [{ type: 'text', text: JSON.stringify(last) }];
    const [stop_reason, usage] = ['end_turn', { input_tokens: 1, output_tokens: 1 }];
    const answer = { id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason, usage };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
});
afterAll(() => {
  model.close();
  rmSync(here, { recursive: true });
});

it.runIf('folder' in installed)('examples/langchain answers from a file and leaves no process', async () => {
  const modules = join(here, 'node_modules');
  cpSync(join(root, 'examples/langchain'), here, { recursive: true });
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(root, join(modules, 'a2c-actors'), 'dir');
  symlinkSync(join(root, 'dist/actors/main.js'), join(modules, '.bin/a2c'));
  const clients = 'folder' in installed ? installed.folder : '';
  for (const name of ['@langchain', '@modelcontextprotocol', 'langchain'])
    symlinkSync(join(clients, 'node_modules', name), join(modules, name), 'dir');
  writeFileSync(join(here, 'tea.md'), '# Tea\n\nIt is green.\n');
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  const { port } = model.address() as AddressInfo;
  const mark = crypto.randomUUID();
  const child = spawn(process.execPath, ['ask.mjs', 'tea.md'], {
    cwd: here,
    env: {
      ...{ ...process.env, MARK: mark, XDG_STATE_HOME: join(here, 'state'), ANTHROPIC_API_KEY: 'none' },
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    },
  });
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  expect({ code, out, err }).toEqual({ code: 0, out: expect.stringContaining('It is green.'), err: '' });
  expect(asked[0]?.tools.map(({ name }) => name)).toContain('read');
  const living = join(root, 'scenarios/fixtures/living-processes.mjs');
  expect(JSON.parse(execFileSync(process.execPath, [living, mark, '0'], { encoding: 'utf8' }))).toEqual([]);
});
