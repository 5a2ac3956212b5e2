import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = testFolder('desktop');
const mark = crypto.randomUUID();

/** Starts the application, for a person who reads its output and types. */
function opened(...args: readonly string[]) {
  const env = { OPENAI_API_KEY: undefined, MARK: mark, XDG_STATE_HOME: join(folder, 'state') };
  const started = startCommand(['tsx', at('host.mts'), ...args], env, '--import');
  const types = (text: string): void => void started.child.stdin.write(`${text}\n`);
  return { ...started, types };
}

describe('examples/desktop', () => {
  it('imports, asks for an input and for permission, and a model calls', { timeout: 60_000 }, async () => {
    const theirs = join(folder, 'theirs.json');
    const ours = join(folder, 'mcp.json');
    const greeter = { command: process.execPath, args: [at('../greeter.mjs')], env: { T: '${input:token}' } };
    const inputs = [{ type: 'promptString', id: 'token', description: 'Its token', password: true }];
    writeFileSync(theirs, JSON.stringify({ mcpServers: { greeter, broken: {} }, inputs }));
    const { said, told, types, child, exited } = opened(ours, theirs);
    await said(/left out: broken[^]*\[y\/n\] /);
    types('y');
    await said(/Its token \(token\): /);
    types('hunter2');
    await said(/greeter ready/);
    types('greet {"name": "Ada"}');
    await said(/Run greet of greeter with \{"name":"Ada"\}\? \[y\/n\] /);
    types('y');
    await said(/Model: The tool said: Hello, Ada!/);
    types('greet {"name": "Bob"}');
    await said(/with \{"name":"Bob"\}\? \[y\/n\] /);
    types('n');
    await said(/"Bob"\}\? [^]*You: /);
    expect(told.out).not.toContain('Hello, Bob');
    // The config file is changed from outside, and the tray must show the change.
    writeFileSync(ours, readFileSync(ours, 'utf8').replaceAll('"greeter"', '"renamed"'));
    await said(/renamed connecting[^]*Its token \(token\): /);
    types('hunter2');
    await said(/renamed ready/);
    child.stdin.end();
    expect(await exited).toMatchObject({ code: 0 });
    for (const text of [told.out, told.err, readFileSync(ours, 'utf8')])
      expect(text).not.toContain('hunter2');
    await expect.poll(() => pidsOf(mark)).toEqual([]);
  });

  it('takes nothing over and ends well when its input ends at the import', { timeout: 60_000 }, async () => {
    const [ours, theirs] = [join(folder, 'none.json'), join(folder, 'one.json')];
    writeFileSync(theirs, JSON.stringify({ mcpServers: { greeter: { command: 'greeter' } } }));
    const { said, told, child, exited } = opened(ours, theirs);
    await said(/\[y\/n\] /);
    child.stdin.end();
    expect(await exited).toMatchObject({ code: 0 });
    expect(told.out + told.err).not.toContain('Error');
    expect(existsSync(ours) && readFileSync(ours, 'utf8')).not.toContain('greeter');
  });
});
