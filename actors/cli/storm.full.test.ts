import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { expect, it } from 'vitest';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests that a long line can be typed, edited and completed at a real terminal while servers print ten times a second. */
const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));
const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('storm');

const noisy =
  'setInterval(() => process.stderr.write("storm ".repeat(20) + "\\n"), 50); import(process.argv[1])';
const config = {
  mcpServers: {
    fixture: { command: process.execPath, args: ['-e', noisy, server] },
    flapping: { command: process.execPath, args: ['-e', 'setTimeout(() => process.exit(1), 100)'] },
  },
  a2c: { restartBudget: 1_000 },
};

it('a storm of lines keeps every character of the line that is typed', async () => {
  const file = join(folder, 'storm.json');
  writeFileSync(file, JSON.stringify(config));
  const [columns, rows] = [72, 24];
  const pty = spawn(process.execPath, [main, 'up', '-c', file, '--port', '0', '--facts', '--verbose'], {
    ...{ cols: columns, rows, cwd: folder },
    env: { ...process.env, NO_COLOR: '1', XDG_STATE_HOME: folder },
  });
  const screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  let shown = '';
  let look = (): void => {};
  pty.onData((text) => {
    shown += text;
    screen.write(text, () => look());
  });
  const exited = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (!isSo()) return;
        look = () => {};
        resolve();
      };
      look();
    });
  /** Line of the prompt as a person sees it, with its wrapped rows joined. */
  const line = (): string => {
    const { active } = screen.buffer;
    const texts: string[] = [];
    for (let y = 0; y < active.length; y++) {
      const row = active.getLine(y);
      const text = row?.translateToString(!active.getLine(y + 1)?.isWrapped) ?? '';
      if (row?.isWrapped) texts.push((texts.pop() ?? '') + text);
      else texts.push(text);
    }
    return texts.findLast((text) => text.startsWith('a2c> '))?.slice('a2c> '.length) ?? '';
  };
  const storms = (): number => shown.split('storm ').length;
  /** Types a piece of the line after the next output of the servers, and waits until the line is as expected. */
  const type = async (text: string, expected: string): Promise<void> => {
    const before = storms();
    await until(() => storms() > before);
    pty.write(text);
    await until(() => line() === expected);
  };
  try {
    await until(() => shown.includes('a2c> '));
    await type('tools ca', 'tools ca');
    await type('\t', 'tools call ');
    await type('echo {"text": "Größe 漢字 ', 'tools call echo {"text": "Größe 漢字 ');
    const long = 'x'.repeat(90);
    await type(long, `tools call echo {"text": "Größe 漢字 ${long}`);
    await type('yZ', `tools call echo {"text": "Größe 漢字 ${long}yZ`);
    await type('\u001B[D\u001B[D', `tools call echo {"text": "Größe 漢字 ${long}yZ`);
    await type('\u007F', `tools call echo {"text": "Größe 漢字 ${long.slice(1)}yZ`);
    pty.resize(50, rows);
    screen.resize(50, rows);
    await type('é', `tools call echo {"text": "Größe 漢字 ${long.slice(1)}éyZ`);
    await type('\u0005"}', `tools call echo {"text": "Größe 漢字 ${long.slice(1)}éyZ"}`);
    pty.write('\r');
    const said = `Größe 漢字 ${long.slice(1)}éyZ`;
    await until(() => shown.includes(JSON.stringify({ content: [{ type: 'text', text: said }] })));
    // Ctrl-D ends the program and its noisy servers.
    pty.write('\u0004');
    expect(await exited).toBe(0);
    expect(storms()).toBeGreaterThan(8);
  } finally {
    pty.kill('SIGKILL');
  }
});
