import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = testFolder('desktop');
const mark = crypto.randomUUID();
const living = (): unknown[] =>
  JSON.parse(
    execFileSync(process.execPath, [at('../../scenarios/fixtures/living-processes.mjs'), mark, '5000'], {
      encoding: 'utf8',
    }),
  );

/** Starts the application and simulates a person who reads its output and types. */
function opened(...args: readonly string[]) {
  const { OPENAI_API_KEY: _none, ...env } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/desktop/host.mts', ...args], {
    cwd: at('../..'),
    env: { ...env, MARK: mark, XDG_STATE_HOME: join(folder, 'state') },
  });
  let shown = '';
  let seen = 0;
  const written = new EventTarget();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      written.dispatchEvent(new Event('text'));
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  void ended.then(() => written.dispatchEvent(new Event('text')));
  /** Resolves with the new output since the last call, once it contains `text`. */
  const sees = async (text: string): Promise<string> => {
    for (;;) {
      const end = shown.indexOf(text, seen);
      const since = shown.slice(seen, end + text.length);
      if (end >= 0) return ((seen = end + text.length), since);
      if (child.exitCode !== null) throw new Error(`it ended, and had not shown ${text}:\n${shown}`);
      await new Promise((resolve) => written.addEventListener('text', resolve, { once: true }));
    }
  };
  return {
    child,
    sees,
    all: () => shown,
    ended,
    types: (text: string) => void child.stdin.write(`${text}\n`),
  };
}

describe('examples/desktop', () => {
  it('imports, asks for an input and for permission, and a model calls', { timeout: 60_000 }, async () => {
    const theirs = join(folder, 'theirs.json');
    const ours = join(folder, 'mcp.json');
    const greeter = { command: process.execPath, args: [at('../greeter.mjs')], env: { T: '${input:token}' } };
    const inputs = [{ type: 'promptString', id: 'token', description: 'Its token', password: true }];
    writeFileSync(theirs, JSON.stringify({ mcpServers: { greeter, broken: {} }, inputs }));
    const { sees, all, types, child, ended } = opened(ours, theirs);
    expect(await sees('[y/n] ')).toContain('left out: broken');
    types('y');
    await sees('Its token (token): ');
    types('hunter2');
    await sees('greeter ready');
    types('greet {"name": "Ada"}');
    await sees('Run greet of greeter with {"name":"Ada"}? [y/n] ');
    types('y');
    await sees('Model: The tool said: Hello, Ada!');
    types('greet {"name": "Bob"}');
    await sees('with {"name":"Bob"}? [y/n] ');
    types('n');
    expect(await sees('\n')).not.toContain('Hello');
    await sees('You: ');
    // The config file is changed from outside, and the tray must show the change.
    writeFileSync(ours, readFileSync(ours, 'utf8').replaceAll('"greeter"', '"renamed"'));
    await sees('renamed connecting');
    await sees('Its token (token): ');
    types('hunter2');
    await sees('renamed ready');
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(all()).not.toContain('hunter2');
    expect(readFileSync(ours, 'utf8')).not.toContain('hunter2');
    expect(living()).toEqual([]);
  });

  it('takes nothing over and ends well when its input ends at the import', { timeout: 60_000 }, async () => {
    const [ours, theirs] = [join(folder, 'none.json'), join(folder, 'one.json')];
    writeFileSync(theirs, JSON.stringify({ mcpServers: { greeter: { command: 'greeter' } } }));
    const { sees, all, child, ended } = opened(ours, theirs);
    await sees('[y/n] ');
    child.stdin.end();
    expect([await ended, all()]).toEqual([0, expect.not.stringContaining('Error')]);
    expect(existsSync(ours) && readFileSync(ours, 'utf8')).not.toContain('greeter');
  });
});
