/**
 * The driver's half of the line protocol (docs/judge.md): one JSON object a line, on stdin and stdout. Needs nothing but
 * Node, so that a driver of any host can use it.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve as absolute } from 'node:path';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

const textOf = (error) =>
  [error?.name, error?.code, error?.status, error?.message, error?.cause?.message]
    .filter((part) => part !== undefined)
    .join(' ')
    .slice(0, 2_000);

/**
 * Puts `a2c serve` between the host and a server, in a driver that is started with the word `served`. What it remembers of
 * servers goes into a folder of the driver.
 */
const served = process.argv.includes('served')
  ? (server) => {
      const a2c = fileURLToPath(new URL('../../../dist/actors/main.js', import.meta.url));
      const { url, command, args = [], env } = server;
      const mark = { A2C_JUDGE: process.env.A2C_JUDGE ?? '', XDG_STATE_HOME: stateDir };
      const words = url ? [url] : ['--', command, ...args];
      return { command: process.execPath, args: [a2c, 'serve', ...words], env: { ...mark, ...env } };
    }
  : (server) => server;
const stateDir = process.argv.includes('served') ? mkdtempSync(join(tmpdir(), 'served-')) : '';

/**
 * Says hello and answers orders until stdin ends. `hello` is `{name, version, can}`; `host` has a function for each order,
 * and what it throws is an answer, too. A call gets a `signal`, which a cancel aborts.
 */
export function drive(hello, host) {
  const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const running = new Map();
  const orders = {
    ...host,
    start: ({ servers, ...order }) =>
      host.start({
        ...order,
        servers: Object.fromEntries(Object.entries(servers).map(([name, one]) => [name, served(one)])),
      }),
    cancel: ({ of }) => running.get(of)?.abort(),
    call: (order) => {
      const aborter = new AbortController();
      running.set(order.id, aborter);
      return host.call({ ...order, signal: aborter.signal });
    },
  };
  const take = async (line) => {
    const { do: name, ...order } = JSON.parse(line);
    try {
      write({ id: order.id, ok: true, ...(await orders[name](order)) });
    } catch (error) {
      write({ id: order.id, ok: false, error: textOf(error) });
    }
  };
  createInterface({ input: process.stdin })
    .on('line', (line) => void take(line))
    .on('close', () => process.exit());
  write({ hello: { pid: process.pid, ...hello } });
}

/** Drives a library with one client for each server: `open` resolves with its `call`, `tools` and `close`. */
export function driveClients(hello, open) {
  const clients = new Map();
  drive(hello, {
    start: async ({ servers }) => {
      const opened = Object.entries(servers).map(async ([name, server]) =>
        clients.set(name, await open(server, { name, reconnect: { firstMs: 100 } })),
      );
      const failed = (await Promise.allSettled(opened)).find(({ status }) => status === 'rejected');
      if (failed) throw failed.reason;
    },
    call: async (order) => {
      const client = clients.get(order.server);
      if (!client) throw new Error('it has not started');
      return told(await client.call(order));
    },
    tools: async () => ({
      tools: (await Promise.all([...clients.values()].map((client) => client.tools()))).flat(),
    }),
    stop: async () => {
      await Promise.all([...clients.values()].map((client) => client.close()));
      await supervisor?.close();
    },
  });
}

/** Converts a `CallToolResult` to an answer of the line protocol. */
export function told(result) {
  const text = (result?.content ?? []).map((content) => content.text ?? '').join('');
  return { text: text.slice(0, 300), bytes: text.length, isError: result?.isError === true };
}

/** Options of a request of the TypeScript SDKs. */
export const requestOptions = ({ timeoutMs, idleMs, signal }) => ({
  signal,
  ...(timeoutMs && { timeout: timeoutMs }),
  ...(idleMs && { timeout: idleMs, resetTimeoutOnProgress: true, onprogress: () => {} }),
});

/** Folder in which the judge has installed the packages of the host. */
const folder = absolute(process.env.A2C_JUDGE_PACKAGES ?? '.');
/** Imports a package of the host. */
export async function peer(specifier) {
  const { resolve } = createRequire(join(folder, 'package.json'));
  let file;
  try {
    file = resolve(specifier);
  } catch {
    // A package that has no CommonJS form names its file for `import` alone.
    const [name, entry = '.'] = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(specifier).slice(1);
    const { exports, main } = manifestOf(name);
    const found = exports?.[entry === '.' ? '.' : `./${entry}`] ?? exports ?? main;
    const path = [found?.import, found?.default, found].flatMap((each) => [each?.default, each]);
    file = join(
      folder,
      'node_modules',
      name,
      path.find((each) => typeof each === 'string'),
    );
  }
  const found = await import(pathToFileURL(file).href);
  return { ...found.default, ...found };
}
/** Path of a file of a2c-actors, and its version. */
export const ownFile = (path) => fileURLToPath(new URL(path, import.meta.resolve('a2c-actors/package.json')));
export const ownVersion = () => JSON.parse(readFileSync(ownFile('package.json'), 'utf8')).version;
const manifestOf = (name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
export const versionOf = (name) => manifestOf(name).version;

/** Supervisor of a driver that is started with the word `supervised`: its clients have the transports of a2c-actors. */
export const supervisor = process.argv.includes('supervised')
  ? (await import('a2c-actors/transport')).createSupervisor()
  : undefined;
/** Makes a supervised transport for a server of the protocol. */
export const supervised = ({ url, ...command }, options) => supervisor.supervised(url ?? command, options);

/** Drives `Client` of an SDK: `kit` is the class with its two transports, and `call` calls a tool of a client. */
export function driveSdk(name, { Client, StdioClientTransport, StreamableHTTPClientTransport }, call) {
  const bare = (server) =>
    server.url
      ? new StreamableHTTPClientTransport(new URL(server.url))
      : new StdioClientTransport({ ...server, stderr: 'ignore' });
  const can = ['timeout', 'cancel', 'http', 'idle'];
  driveClients({ name, version: versionOf(name), can }, async (server, options) => {
    const client = new Client({ name: 'judged', version: '1.0.0' });
    await client.connect(supervisor ? supervised(server, options) : bare(server));
    return {
      call: (order) => call(client, { name: order.tool, arguments: order.args }, requestOptions(order)),
      tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
      close: () => client.close(),
    };
  });
}
