// Wine prefix of the tests: its folders, its environment, and how a program runs there. `run.mjs` makes it.
import { spawnSync } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const cache = process.env.A2C_WINE_CACHE ?? join(homedir(), '.cache', 'a2c-wine');
export const prefix = join(cache, 'prefix');
/** Copy of the repository, with packages for Windows. */
export const tree = join(cache, 'tree');
/** Node for Windows. */
export const node = 'C:\\nodejs\\node.exe';
/** Path of a file of this machine as Windows has it. */
export const onZ = (path) => `Z:${path.replaceAll('/', '\\')}`;

/** Published servers that `npx` and `uvx` run there; `run.mjs` fills their caches. */
const at = '2026.8.31';
export const published = {
  everything: `@modelcontextprotocol/server-everything@${at}`,
  filesystem: `@modelcontextprotocol/server-filesystem@${at}`,
  memory: `@modelcontextprotocol/server-memory@${at}`,
  time: 'mcp-server-time@2026.10.19',
  fetch: 'mcp-server-fetch@2026.10.24',
};

export const env = {
  ...process.env,
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  // Prefers the programs of ours to those of Wine.
  WINEDLLOVERRIDES: 'taskkill.exe=n;wmic.exe=n;bcryptprimitives=n,b;mscoree=;mshtml=',
  WINEPATH: 'C:\\nodejs',
  NODE_OPTIONS: `--require Z:${fileURLToPath(new URL('keep-alive.cjs', import.meta.url))}`,
  // Caches of `npx`, which does not reach its registry under Wine, and of `uvx`, which does.
  npm_config_cache: onZ(join(cache, 'npm')),
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  UV_CACHE_DIR: onZ(join(cache, 'uv')),
  UV_OFFLINE: '1',
  UV_PYTHON: 'C:\\python\\python.exe',
  UV_PYTHON_DOWNLOADS: 'never',
};
for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']) if (env[name]) env[name] = onZ(env[name]);
delete env.SSL_CERT_DIR;
/** Runs a program of Windows. Node cannot write into a pipe of this machine there, so it is given files. */
export function wine(words, { cwd, out, more } = {}) {
  const files = ['out', 'err'].map((name) => join(cache, `${name}.txt`));
  const { status } = spawnSync('wine', words, {
    cwd,
    env: { ...env, ...more },
    stdio: ['ignore', ...(out ?? files.map((file) => openSync(file, 'w')))],
  });
  return { status, said: () => files.map((file) => readFileSync(file, 'utf8')).join('') };
}
