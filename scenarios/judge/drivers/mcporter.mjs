/** Drives a runtime of mcporter, which has all servers. */
import { drive, peer, told, versionOf } from './lines.mjs';

const { createRuntime } = await peer('mcporter');
const logger = { debug() {}, info() {}, warn() {}, error() {} };
let runtime;
let names;

drive(
  { name: 'mcporter', version: versionOf('mcporter'), can: ['timeout', 'http'] },
  {
    start: async ({ servers: given }) => {
      names = Object.keys(given);
      const commandOf = ({ url, command, args }) =>
        url ? { kind: 'http', url: new URL(url) } : { kind: 'stdio', command, args, cwd: process.cwd() };
      const servers = Object.entries(given).map(([name, server]) => ({
        name,
        command: commandOf(server),
        env: server.env,
      }));
      runtime = await createRuntime({ logger, servers });
    },
    call: async ({ server, tool, args, timeoutMs }) =>
      told(await runtime.callTool(server, tool, { args, timeoutMs })),
    tools: async () => {
      const lists = await Promise.all(names.map((name) => runtime.listTools(name)));
      return { tools: lists.flat().map((tool) => tool.name) };
    },
    stop: () => runtime.close(),
  },
);
