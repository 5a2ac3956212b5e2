/** Drives a host of `createComputer`, as an embedder would write it. */
import { createComputer } from 'a2c-actors';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drive, told } from './lines.mjs';

const manifest = fileURLToPath(import.meta.resolve('a2c-actors/package.json'));
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));

let computer;
drive(
  {
    name: 'a2c-actors',
    version,
    can: ['status', 'timeout', 'cancel', 'http', 'idle', 'outcome'],
  },
  {
    start: async ({ servers, idleMs }) => {
      const config = { mcpServers: servers, ...(idleMs && { a2c: { timeouts: { callIdleMs: idleMs } } }) };
      computer = await createComputer({ name: 'judged', confirm: 'allow', config });
    },
    call: async ({ tool, args, timeoutMs, signal }) => {
      if (!computer) throw new Error('it has not started');
      const { outcome, result, failure } = await computer.callTool(tool, args, { timeoutMs, signal });
      if (!failure) return { ...told(result), outcome };
      const error = `${failure.code} ${failure.message} ${JSON.stringify(failure.details ?? {})}`;
      return { ...told(result), ok: Boolean(result?.isError), outcome, error };
    },
    tools: async () => ({ tools: (await computer.tools()).tools.map(({ name }) => name) }),
    status: () => ({ ready: computer.servers().flatMap((s) => (s.state === 'ready' ? [s.name] : [])) }),
    stop: () => computer.close(),
  },
);
