/**
 * Drives `a2c up` by its prompt and its `@a2c` lines: the host is that process, and the driver a program that uses
 * it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { drive, told } from './lines.mjs';

const manifest = new URL(import.meta.resolve('a2c-actors/package.json'));
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
const command = fileURLToPath(new URL('dist/actors/main.js', manifest));
const ready = new Set();
/** Calls without an answer, the oldest first: the prompt runs one after the other. */
const pending = [];
let child;

/** Settles a call: its first fact is the result, the second, when that is null, the error. */
const settle = ({ outcome, result, ...error }) => {
  const [first] = pending;
  if (result === null) return void (first.outcome = outcome);
  pending.shift();
  if (result) return first.resolve({ ...told(result), outcome });
  const words = `${error.code} ${error.message} ${JSON.stringify(error.details)}`;
  first.resolve({ ok: false, outcome: first.outcome, error: words });
};
const hear = (line) => {
  const found = /@a2c (\{.*\})$/.exec(line);
  if (!found) return;
  const { type, ...fact } = JSON.parse(found[1]);
  if (type === 'server_status' && fact.state === 'ready') ready.add(fact.name);
  else if (type === 'server_status') ready.delete(fact.name);
  else if (pending.length > 0 && (type === 'tool_call_result' || type === 'error')) settle(fact);
};
drive(
  { name: 'a2c up', version, can: ['status', 'http', 'outcome'] },
  {
    start: ({ servers }) => {
      const folder = mkdtempSync(join(tmpdir(), 'a2c-command-'));
      const file = join(folder, 'servers.json');
      writeFileSync(file, JSON.stringify({ mcpServers: servers }));
      const words = ['up', '--config', file, '--confirm', 'allow', '--port', '0', '--name', 'judged'];
      child = spawn(process.execPath, [command, ...words], { stdio: ['pipe', 'pipe', 'ignore'] });
      child.stdin.on('error', () => {});
      child.on('exit', () => {
        rmSync(folder, { recursive: true, force: true });
        for (const { reject } of pending.splice(0)) reject(new Error('the command has ended'));
      });
      createInterface({ input: child.stdout }).on('line', hear);
      return { pid: child.pid };
    },
    call: ({ tool, args }) =>
      new Promise((resolve, reject) => {
        pending.push({ resolve, reject });
        child.stdin.write(`tools call ${tool} ${JSON.stringify(args)}\n`);
      }),
    tools: () =>
      new Promise((resolve) => {
        createInterface({ input: child.stdout }).on('line', (line) => {
          const found = /^ {2}(\S+)/.exec(line);
          if (found) resolve({ tools: [found[1]] });
        });
        child.stdin.write('tools list\n');
      }),
    status: () => ({ ready: [...ready] }),
    stop: async () => {
      child.stdin.write('quit\n');
      if (child.exitCode === null) await once(child, 'exit');
    },
  },
);
