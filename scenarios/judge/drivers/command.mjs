/** Drives `a2c up`, a process of its own, by its prompt and its `@a2c` lines. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { configFile } from './gateways.mjs';
import { drive, ownFile, ownVersion, told } from './lines.mjs';

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
  const [, json = '{}'] = /@a2c (\{.*\})$/.exec(line) ?? [];
  const { type, ...fact } = JSON.parse(json);
  if (type === 'server_status' && fact.state === 'ready') ready.add(fact.name);
  else if (type === 'server_status') ready.delete(fact.name);
  else if (pending.length > 0 && (type === 'tool_call_result' || type === 'error')) settle(fact);
};
drive(
  { name: 'a2c up', version: ownVersion(), can: ['status', 'http', 'outcome'] },
  {
    start: ({ servers }) => {
      const words = `up --config ${configFile(servers)} --confirm allow --port 0 --name judged`.split(' ');
      const stdio = ['pipe', 'pipe', 'ignore'];
      child = spawn(process.execPath, [ownFile('dist/actors/main.js'), ...words], { stdio });
      child.stdin.on('error', () => {});
      child.on('exit', () => {
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
        const list = (line) => /^ {2}\S/.test(line) && resolve({ tools: [line.trim().split(' ')[0]] });
        createInterface({ input: child.stdout }).on('line', list);
        child.stdin.write('tools list\n');
      }),
    status: () => ({ ready: [...ready] }),
    stop: () => {
      child.stdin.write('quit\n');
      return child.exitCode === null ? once(child, 'exit').then(() => {}) : undefined;
    },
  },
);
