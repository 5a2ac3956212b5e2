import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Runs the programs of README.md as they stand, in a project that has the built package. */
const root = fileURLToPath(new URL('..', import.meta.url));
const here = mkdtempSync(join(tmpdir(), 'a2c-readme-'));
const page = readFileSync(join(root, 'README.md'), 'utf8');
const programs = [...page.matchAll(/^<!-- (\S+\.mjs) -->\n```js\n(.*?)^```$/gms)];

beforeAll(() => {
  mkdirSync(join(here, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(here, 'node_modules/@anthropic-ai'));
  symlinkSync(root, join(here, 'node_modules/a2c-actors'), 'dir');
  symlinkSync(join(root, 'dist/actors/main.js'), join(here, 'node_modules/.bin/a2c'));
  const sdk = '@anthropic-ai/sdk';
  symlinkSync(join(root, 'node_modules', sdk), join(here, 'node_modules', sdk), 'dir');
  writeFileSync(join(here, 'package.json'), '{}');
  writeFileSync(join(here, 'README.md'), '# A shop\n\nIt sells tea.\n');
  for (const [, name = '', code = ''] of programs) writeFileSync(join(here, name), code);
});
afterAll(() => rmSync(here, { recursive: true }));

/** Runs a program of the page to its end, with what a person types. */
async function run(name: string, { typed = '', env = {} }: { typed?: string; env?: object } = {}) {
  const child = spawn(process.execPath, [name], {
    cwd: here,
    env: { ...process.env, XDG_STATE_HOME: join(here, 'state'), ...env },
  });
  child.stdin.end(typed);
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { out, err, code: code as number | null };
}

describe('README.md', () => {
  it('has these programs, the first of at most ten lines', () => {
    expect(programs.map(([, name]) => name)).toEqual(['first.mjs', 'confirm.mjs', 'chat.mjs', 'office.mjs']);
    expect(programs[0]?.[2]?.trim().split('\n').length).toBeLessThanOrEqual(10);
  });

  it('calls a tool with two concepts', async () => {
    expect(await run('first.mjs')).toMatchObject({ code: 0, err: '', out: expect.stringContaining('tea') });
  });

  it.each([
    ['y\n', 'succeeded'],
    ['n\n', 'The user said no'],
  ])('asks a person, who types %j', async (typed, said) => {
    const { out, code } = await run('confirm.mjs', { typed });
    expect([code, out]).toEqual([0, expect.stringContaining('Run read_file')]);
    expect(out).toContain(said);
  });

  it('lets a model call a tool', async () => {
    const asked: { messages: { content: unknown }[] }[] = [];
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        asked.push(body as (typeof asked)[number]);
        const use = { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'README.md' } };
        const content = asked.length === 1 ? [use] : [{ type: 'text', text: 'It sells tea.' }];
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
    const ended = await run('chat.mjs', { env });
    server.close();
    expect(ended).toEqual({ code: 0, err: '', out: 'It sells tea.\n' });
    expect(JSON.stringify(asked[1]?.messages.at(-1))).toContain('It sells tea.');
  });

  it('calls a tool through an office', async () => {
    expect(await run('office.mjs')).toEqual({ code: 0, err: '', out: 'succeeded\n' });
  });
});
