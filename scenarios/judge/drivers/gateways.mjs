/** Part that drivers of programs share: those that run the servers of a config file, and gateways, which answer over HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Folder in which the judge has installed the gateway. */
export const folder = process.env.A2C_JUDGE_PACKAGES ?? '.';
/** Finds the version of a package that pip has installed. */
export function pipVersion(name) {
  const [python] = readdirSync(join(folder, 'lib'));
  const packages = readdirSync(join(folder, 'lib', python, 'site-packages'));
  const beginning = `${name.replaceAll('-', '_')}-`;
  return packages
    .find((each) => each.startsWith(beginning) && each.endsWith('.dist-info'))
    .slice(beginning.length, -'.dist-info'.length);
}
/** Writes the config of a host into a folder of its own; the judge deletes it. */
export function configFile(servers) {
  const file = join(mkdtempSync(join(tmpdir(), 'driver-')), 'servers.json');
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a gateway with a config file of these servers, and resolves once the answer at `path` is ready. `wordsOf(file, port)` is its command;
 * `stop` ends it with SIGTERM, as a service manager does.
 */
export async function startGateway({ servers, wordsOf, path, isReady = () => true }) {
  const file = configFile(servers);
  const home = dirname(file);
  const port = await freePort();
  const [command, ...args] = wordsOf(file, port);
  const child = spawn(command, args, { cwd: home, stdio: 'ignore', env: { ...process.env, HOME: home } });
  const ended = once(child, 'exit').then(([code, signal]) => `the gateway ended with ${code ?? signal}`);
  const base = `http://127.0.0.1:${port}`;
  for (;;) {
    const answer = await Promise.race([ended, fetch(base + path).catch(() => undefined)]);
    if (typeof answer === 'string') throw new Error(answer);
    const said = await answer?.json().catch(() => undefined);
    if (answer?.ok && isReady(said)) break;
    await sleep(100);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid, base, stop };
}
/** Posts JSON and returns the JSON of the answer; throws its status and text when it is none of success. */
export async function post(url, body, signal) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`HTTP ${answer.status} ${text}`);
  return JSON.parse(text);
}
