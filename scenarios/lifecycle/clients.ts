import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Versions of the clients that the suite installs; the SDKs are packages of this project. */
const dependencies = {
  '@ai-sdk/mcp': '1.0.102',
  '@langchain/anthropic': '1.5.11',
  '@langchain/core': '1.4.0',
  '@langchain/mcp-adapters': '1.1.4',
  '@modelcontextprotocol/client': '2.4.0',
  '@modelcontextprotocol/sdk': '1.32.2',
  '@openai/agents': '0.20.0',
  langchain: '1.5.14',
  'mcp-use': '1.34.6',
  zod: '4.6.7',
};
const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'a2c-actors-clients');

/** Installs the clients from npm, once; resolves with their folder, or with the reason why there is none. */
export async function installedClients(): Promise<{ readonly folder: string } | { readonly why: string }> {
  const manifest = JSON.stringify({ private: true, dependencies });
  const here = join(folder, createHash('sha256').update(manifest).digest('hex').slice(0, 12));
  if (existsSync(join(here, 'installed'))) return { folder: here };
  mkdirSync(here, { recursive: true });
  writeFileSync(join(here, 'package.json'), manifest);
  try {
    const options = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
    await promisify(execFile)('npm', options, { cwd: here, timeout: 600_000 });
  } catch (error) {
    return { why: `the clients cannot be installed from npm: ${String(error).slice(0, 200)}` };
  }
  writeFileSync(join(here, 'installed'), '');
  return { folder: here };
}
