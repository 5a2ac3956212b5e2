import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const main = fileURLToPath(new URL('../../dist/adapters/documents/main.js', import.meta.url));
const folder = testFolder('documents-main');
writeFileSync(join(folder, 'a.md'), 'hello\n');

const start = (...args: string[]) => startCommand(args, {}, main);
const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const hello =
  line({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  }) + line({ method: 'notifications/initialized' });

describe('the documents server as a process', () => {
  it('answers over stdio, says nothing else, and ends with its input', async () => {
    const { child, told, exited } = start(folder);
    const call = { id: 2, method: 'tools/call', params: { name: 'read', arguments: { path: 'a.md' } } };
    child.stdin.end(hello + line(call));
    expect(await exited).toEqual({ code: 0, signal: null });
    const messages = told.out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(messages).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'documents' } } },
      { id: 2, result: { content: [{ type: 'text', text: 'hello\n' }] } },
    ]);
    expect(told.err).toBe('');
  });

  it('ends on SIGTERM while its input is open', async () => {
    const { child, exited } = start(folder);
    child.stdin.write(hello);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await exited).toEqual({ code: 0, signal: null });
  });

  it('says in one line why it cannot start', async () => {
    const ended = async (...args: string[]) => {
      const { told, exited } = start(...args);
      return { exit: (await exited).code, ...told };
    };
    const file = join(folder, 'a.md');
    expect(await Promise.all([ended(), ended(file)])).toEqual([
      { exit: 64, out: '', err: 'documents: usage: node main.js FOLDER…\n' },
      { exit: 64, out: '', err: `documents: ${file} is not a folder\n` },
    ]);
  });
});
