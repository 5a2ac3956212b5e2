/** Drives the command of MCP Inspector, which starts a server for each call and ends it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configFile, folder } from './gateways.mjs';
import { drive, told, versionOf } from './lines.mjs';

const modules = join(folder, 'node_modules');
// It needs a later Node than the judge, and is the host, so it is killed with this driver.
const node = join(modules, `node-${process.platform}-${process.arch}`, 'bin/node');
const words = ['--pdeathsig', 'KILL', node, join(modules, '.bin/mcp-inspector'), '--cli', '--format', 'json'];
let file;
let names;

async function inspect(server, more, signal) {
  // Not a pipe: a server that is left holds it, and the command has ended all the same.
  const paths = ['out', 'err'].map((name) => join(mkdtempSync(join(dirname(file), 'call-')), name));
  const files = paths.map((path) => openSync(path, 'w'));
  const command = spawn('setpriv', [...words, '--config', file, '--server', server, ...more], {
    stdio: ['ignore', ...files],
    env: { ...process.env, HOME: dirname(file), MCP_INSPECTOR_SECRET_STORE: 'memory' },
  });
  for (const each of files) closeSync(each);
  // SIGINT is the signal of Ctrl-C.
  signal?.addEventListener('abort', () => command.kill('SIGINT'));
  await once(command, 'exit');
  const [said, error] = paths.map((path) => readFileSync(path, 'utf8'));
  // A tool's own error is a result, too, with another exit code.
  if (said.startsWith('{')) return JSON.parse(said).result;
  throw new Error(error || `it ended with ${command.exitCode ?? command.signalCode}`);
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
      const given = ['--tool-name', tool, '--tool-args-json', JSON.stringify(args)];
      return told(await inspect(server, ['--method', 'tools/call', ...given], signal));
    },
    tools: async () => {
      const lists = await Promise.all(names.map((name) => inspect(name, ['--method', 'tools/list'])));
      return { tools: lists.flatMap(({ tools }) => tools.map(({ name }) => name)) };
    },
    stop: () => {},
  },
);
