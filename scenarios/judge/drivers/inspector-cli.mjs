/** Drives the command of MCP Inspector, which starts a server for each call and ends it. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { configFile, folder } from './gateways.mjs';
import { drive, told, versionOf } from './lines.mjs';

const modules = join(folder, 'node_modules');
// It needs a later Node than the judge.
const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin/node');
let file;
let names;

async function inspect(server, words, signal) {
  const argv = [join(modules, '.bin/mcp-inspector'), '--cli', '--config', file, '--server', server];
  const options = { signal, maxBuffer: 2 ** 26, env: { ...process.env, HOME: dirname(file) } };
  const ran = await promisify(execFile)(node, [...argv, ...words], options).catch((error) => error);
  // A tool's own error is a result, too, with another exit code.
  if (ran.stdout?.startsWith('{')) return JSON.parse(ran.stdout);
  throw new Error(ran.stderr || ran.message);
}

drive(
  {
    name: "MCP Inspector's command",
    version: versionOf('@modelcontextprotocol/inspector'),
    can: ['http', 'cancel'],
  },
  {
    start: ({ servers }) => {
      names = Object.keys(servers);
      const entries = Object.entries(servers).map(([name, server]) => [
        name,
        { type: server.url ? 'streamable-http' : 'stdio', ...server },
      ]);
      file = configFile(Object.fromEntries(entries));
    },
    call: async ({ server, tool, args, signal }) => {
      const given = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
      return told(await inspect(server, ['--method', 'tools/call', '--tool-name', tool, ...given], signal));
    },
    tools: async () => {
      const lists = await Promise.all(names.map((name) => inspect(name, ['--method', 'tools/list'])));
      return { tools: lists.flatMap(({ tools }) => tools.map(({ name }) => name)) };
    },
    stop: () => {},
  },
);
