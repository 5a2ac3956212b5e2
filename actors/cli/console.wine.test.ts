import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

// The built command in a console of its own (`scenarios/wine/programs/console.c`), with a server behind a shim whose call
// never ends, and which starts a child; neither of them ends by itself.
const folder = testFolder('console');
const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));
const [config, pids, shim] = ['servers.json', 'pids', 'server.cmd'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
const note = `require('node:fs').appendFileSync(${JSON.stringify(pids)}, process.pid + ' '); setInterval(() => {}, 1000);`;
const answers = {
  initialize: `{ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'w', version: '1' } }`,
  'tools/list': `{ tools: [{ name: 'wait', inputSchema: { type: 'object' } }] }`,
};
writeFileSync(join(folder, 'child.cjs'), note);
writeFileSync(
  join(folder, 'server.cjs'),
  `${note}
require('node:child_process').spawn(process.execPath, [__dirname + '/child.cjs'], { stdio: 'ignore' });
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') say({ id, result: ${answers.initialize} });
  if (method === 'tools/list') say({ id, result: ${answers['tools/list']} });
  if (method === 'tools/call')
    say({ method: 'notifications/progress', params: { progressToken: params._meta.progressToken, progress: 1, message: 'waits né' } });
});`,
);
writeFileSync(shim, `@"${process.execPath}" "${join(folder, 'server.cjs')}"\r\n`);
writeFileSync(config, JSON.stringify({ mcpServers: { slow: { command: shim, autoApprove: ['all'] } } }));

let child: ChildProcess | undefined;
const noted = (): number[] =>
  existsSync(pids) ? readFileSync(pids, 'utf8').trim().split(' ').map(Number) : [];
/** Sends a signal to a process, and tells whether there is one; 0 sends nothing. */
const signal = (pid: number, name: 'SIGKILL' | 0): boolean => {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
};
const living = (): number[] => noted().filter((pid) => signal(pid, 0));
afterEach(() => {
  child?.kill();
  for (const pid of living()) signal(pid, 'SIGKILL');
  writeFileSync(pids, '');
});

/** Runs `a2c` in a console, and does what is wanted once each text was seen. */
async function inConsole(
  kind: 'pty' | 'old',
  words: readonly string[],
  steps: readonly (readonly [seen: string, typed: string])[],
): Promise<{ code: unknown; out: string }> {
  const started = spawn('console.exe', [kind, process.execPath, main, ...words, '-c', config], {
    cwd: folder,
    env: { ...process.env, APPDATA: join(folder, 'roaming'), LOCALAPPDATA: join(folder, 'local') },
  });
  child = started;
  const left = [...steps];
  let [out, from] = ['', 0];
  for (const pipe of [started.stdout, started.stderr])
    pipe.setEncoding('utf8').on('data', (text: string) => {
      // Removes what moves the cursor and shows it: a console draws each sign by itself.
      // oxlint-disable-next-line no-control-regex -- such a sequence begins with ESC
      out = (out + text).replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '');
      const [next] = left;
      if (!next || !out.slice(from).includes(next[0])) return;
      left.shift();
      from = out.length;
      started.stdin.write(next[1]);
      if (kind === 'old') started.stdin.end();
    });
  const [code] = (await once(started, 'close')) as unknown[];
  return { code, out };
}

it('Ctrl-C cancels a call, and ends its server with all that it started', async () => {
  const { code, out } = await inConsole('old', ['call', 'wait'], [['waits né', 'C']]);
  expect({ code, out }).toEqual({
    code: 130,
    out: expect.stringContaining('was cancelled: ended by SIGINT'),
  });
  expect(noted()).toHaveLength(2);
  expect(living()).toEqual([]);
});

it('the prompt takes lines that are typed in a pseudo console, and ends in order', async () => {
  const steps = [
    ['a2c>', 'status\r'],
    ['a2c>', 'quit\r'],
  ] as const;
  const { code, out } = await inConsole('pty', ['up', '--port', '0', '--no-inspect'], steps);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/slow +ready[^]*closing …/) });
  expect(living()).toEqual([]);
});
