/** Drives a host of `createComputer`, as an embedder would write it. */
import { createComputer } from 'a2c-actors';
import { drive, ownVersion, told } from './lines.mjs';

let computer;
drive(
  {
    name: 'a2c-actors',
    version: ownVersion(),
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
    status: () => ({
      ready: computer.status().servers.flatMap((s) => (s.state === 'ready' ? [s.name] : [])),
    }),
    stop: () => computer.close(),
  },
);
