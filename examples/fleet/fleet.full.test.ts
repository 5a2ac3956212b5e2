import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = mkdtempSync(join(tmpdir(), 'a2c-fleet-'));
const machine = `${process.platform} ${process.arch}, `;
const mark = crypto.randomUUID();
const env: NodeJS.ProcessEnv = { ...process.env, PORT: '0', MARK: mark, XDG_STATE_HOME: join(here, 'state') };
const living = (): unknown[] =>
  JSON.parse(
    execFileSync(process.execPath, [join(root, 'scenarios/fixtures/living-processes.mjs'), mark, '5000'], {
      encoding: 'utf8',
    }),
  );
const started: { end(): Promise<unknown> }[] = [];
afterAll(async () => {
  await Promise.all(started.map((program) => program.end()));
  rmSync(here, { recursive: true });
});

/** Starts a program of the fleet; `sees` waits for a text in its output. */
function start(args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, args, { cwd: here, env: { ...env, ...more } });
  let shown = '';
  const written = new EventTarget();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      written.dispatchEvent(new Event('text'));
    });
  const ended = once(child, 'close');
  void ended.then(() => written.dispatchEvent(new Event('text')));
  const program = {
    child,
    all: () => shown,
    sees: async (text: string): Promise<string> => {
      while (!shown.includes(text)) {
        if (child.exitCode !== null) throw new Error(`it ended, and had not shown ${text}:\n${shown}`);
        await new Promise((resolve) => written.addEventListener('text', resolve, { once: true }));
      }
      return shown;
    },
    end: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
  started.push(program);
  return program;
}
const member = (name: string, file: string, more?: NodeJS.ProcessEnv) =>
  start([`--env-file=${name}.env`, file], more);

describe('examples/fleet', () => {
  it('shows each agent the computers of its room, also later, until a token is withdrawn', async () => {
    cpSync(join(root, 'examples/fleet'), here, { recursive: true });
    const [sdk, modules] = ['@modelcontextprotocol/sdk', join(here, 'node_modules')];
    mkdirSync(join(modules, '@modelcontextprotocol'), { recursive: true });
    symlinkSync(root, join(modules, 'a2c-actors'), 'dir');
    symlinkSync(join(root, 'node_modules', sdk), join(modules, sdk), 'dir');
    execFileSync(process.execPath, ['tokens.mjs'], { cwd: here });
    const office = start(['office.mjs']);
    env['A2C_URL'] = (await office.sees('\n')).trim();

    const [red, blue] = [member('red-agent', 'agent.mjs'), member('blue-agent', 'agent.mjs')];
    const computers = [member('red-1', 'computer.mjs'), member('blue-1', 'computer.mjs')];
    await Promise.all([red.sees(`red-1: ${machine}`), blue.sees(`blue-1: ${machine}`)]);
    const later = member('red-2', 'computer.mjs');
    await red.sees(`red-2: ${machine}`);

    const stray = member('blue-1', 'computer.mjs', { A2C_ROOM: 'red' });
    await stray.sees("Your credential is not for the office 'red'");
    const file = join(here, 'tokens.json');
    const { tokens } = JSON.parse(readFileSync(file, 'utf8')) as { tokens: { label: string }[] };
    writeFileSync(file, JSON.stringify({ tokens: tokens.filter(({ label }) => label !== 'red-2') }));
    office.child.kill('SIGHUP');
    await Promise.all([red.sees('red-2 left'), later.sees('This office does not know that token')]);
    expect([red.all(), blue.all()]).toEqual([
      expect.not.stringContaining('blue'),
      expect.not.stringContaining('red'),
    ]);

    for (const program of [stray, later, ...computers, red, blue, office])
      expect(await program.end()).toEqual([0, null]);
    expect(living()).toEqual([]);
  });
});
