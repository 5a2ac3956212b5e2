import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stringify } from 'smol-toml';
import type { Players } from './judge.ts';

export type Packages =
  | { readonly npm: Readonly<Record<string, string>> }
  | { readonly pip: Readonly<Record<string, string>> };
interface Crate {
  readonly name: string;
  readonly version: string;
  readonly features: readonly string[];
}
export interface KnownHost {
  readonly driver: string;
  readonly packages?: Packages;
  readonly crate?: Crate;
  /** The same host without `a2c serve` between it and its servers. */
  readonly bare?: string;
}

const npm = (packages: Readonly<Record<string, string>>): Packages => ({ npm: packages });
const pip = (packages: Readonly<Record<string, string>>): Packages => ({ pip: packages });
const sdk = { '@modelcontextprotocol/sdk': '1.32.2' };

export const hosts: Record<string, KnownHost> = {
  ours: { driver: 'create-computer.mjs' },
  sdk1: { driver: 'sdk1.mjs', packages: npm({ ...sdk, zod: '4.6.7' }) },
  sdk2: { driver: 'sdk2.mjs', packages: npm({ '@modelcontextprotocol/client': '2.4.0' }) },
  mcporter: { driver: 'mcporter.mjs', packages: npm({ mcporter: '0.12.3' }) },
  'mcp-use': {
    driver: 'mcp-use.mjs',
    packages: npm({
      'mcp-use': '1.34.6',
      '@langchain/core': '1.4.0',
      langchain: '1.5.14',
      ...sdk,
      zod: '4.6.7',
    }),
  },
  'ai-sdk': { driver: 'ai-sdk.mjs', packages: npm({ '@ai-sdk/mcp': '1.0.102', zod: '4.6.7' }) },
  langchain: {
    driver: 'langchain.mjs',
    packages: npm({ '@langchain/mcp-adapters': '1.1.4', '@langchain/core': '1.4.0', ...sdk, zod: '4.6.7' }),
  },
  'openai-agents': {
    driver: 'openai-agents.mjs',
    packages: npm({ '@openai/agents': '0.20.0', zod: '4.6.7' }),
  },
  'mcp-py': { driver: 'mcp-client.py', packages: pip({ mcp: '2.3.0' }) },
  'fastmcp-py': { driver: 'fastmcp-client.py', packages: pip({ fastmcp: '4.2.3', mcp: '2.3.0' }) },
  'langchain-py': {
    driver: 'langchain-client.py',
    packages: pip({ 'langchain-mcp-adapters': '0.3.2', mcp: '1.30.0' }),
  },
  'openai-agents-py': {
    driver: 'openai-agents.py',
    packages: pip({ 'openai-agents': '0.24.0', mcp: '2.3.0' }),
  },
  'a2c-smcp-py': { driver: 'a2c-smcp.py', packages: pip({ 'a2c-smcp[cli]': '0.4.2', mcp: '1.30.0' }) },
  rmcp: {
    driver: 'rmcp.rs',
    crate: {
      name: 'rmcp',
      version: '3.11.0',
      features: ['client', 'transport-child-process', 'transport-streamable-http-client-reqwest'],
    },
  },
  'mcp-hub': { driver: 'mcp-hub.mjs', packages: npm({ 'mcp-hub': '4.2.1' }) },
  mcpo: { driver: 'mcpo.mjs', packages: pip({ mcpo: '0.0.20', mcp: '1.30.0', fastapi: '0.118.3' }) },
  'mcp-proxy': { driver: 'mcp-proxy.mjs', packages: pip({ 'mcp-proxy': '0.13.0', mcp: '1.30.0' }) },
  inspector: {
    driver: 'inspector-cli.mjs',
    packages: npm({
      '@modelcontextprotocol/inspector': '2.12.0',
      [`node-${process.platform}-${process.arch}`]: '22.23.3',
    }),
  },
};

const twice = ['sdk1', 'sdk2', 'mcporter', 'mcp-py', 'fastmcp-py'];
for (const bare of twice) {
  const host = hosts[bare];
  if (host) hosts[`${bare}+serve`] = { ...host, bare };
}

const run = promisify(execFile);
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'a2c-actors-judge');
const installMs = 600_000;
const buildMs = 1_800_000;

async function install(packages: Packages, folder: string): Promise<void> {
  if ('npm' in packages) {
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, dependencies: packages.npm }),
    );
    const options = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
    await run('npm', options, { cwd: folder, timeout: installMs });
    return;
  }
  await run('python3', ['-m', 'venv', folder], { timeout: installMs });
  const pins = Object.entries(packages.pip).map(([name, version]) => `${name}==${version}`);
  const options = ['install', '--quiet', '--disable-pip-version-check', ...pins];
  await run(join(folder, 'bin/pip'), options, { timeout: installMs });
}

const folderOf = (packages: Packages | Crate): string =>
  join(cache, createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12));

/** Once; rejects when npm or PyPI is not reached. */
export async function installed(packages: Packages): Promise<string> {
  const folder = folderOf(packages);
  if (existsSync(join(folder, 'installed'))) return folder;
  // The rest of an installation that was ended.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await install(packages, folder);
  writeFileSync(join(folder, 'installed'), '');
  return folder;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
export const root: string = here('../../');
const faultServer = [process.execPath, here('../../dist/scenarios/fault-server/fault-server.mjs')];

export const playersWith = (driver: string, folder: string, ...words: readonly string[]): Players => {
  const program = driver.endsWith('.py') ? join(folder, 'bin/python3') : process.execPath;
  const env = ['env', `A2C_JUDGE_PACKAGES=${folder}`];
  return { driver: [...env, program, here(`drivers/${driver}`), ...words], faultServer };
};
/** Only where it has changed; rejects without cargo. */
async function built(driver: string, crate: Crate): Promise<string> {
  const folder = folderOf(crate);
  mkdirSync(folder, { recursive: true });
  const { name, version, features } = crate;
  const manifest = {
    package: { name: 'driver', version, edition: '2024' },
    bin: [{ name: 'driver', path: here(`drivers/${driver}`) }],
    dependencies: {
      [name]: { version: `=${version}`, features, 'default-features': false },
      anyhow: '1',
      serde_json: '1',
      tokio: { version: '1', features: ['full'] },
    },
  };
  writeFileSync(join(folder, 'Cargo.toml'), stringify(manifest));
  await run('cargo', ['build', '--release', '--quiet'], { cwd: folder, timeout: buildMs });
  return join(folder, 'target/release/driver');
}
export async function playersOf({ driver, packages, crate, bare }: KnownHost): Promise<Players> {
  if (crate) return { driver: [await built(driver, crate)], faultServer };
  return playersWith(driver, packages ? await installed(packages) : root, ...(bare ? ['served'] : []));
}
