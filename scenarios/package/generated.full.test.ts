import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { installed } from '../fixtures/installed.ts';
import { compiled, linkedProject } from '../fixtures/linked-project.ts';
import { environmentOf } from '../fixtures/python-peers.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const run = promisify(execFile);
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const folder = testFolder('generated');

interface Published {
  readonly from: string;
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}
const ofNpm: readonly Published[] = [
  { from: '@modelcontextprotocol/server-everything@2026.8.31', program: 'mcp-server-everything' },
  {
    from: '@modelcontextprotocol/server-filesystem@2026.8.31',
    program: 'mcp-server-filesystem',
    args: ['.'],
  },
  { from: '@modelcontextprotocol/server-memory@2026.8.31', program: 'mcp-server-memory' },
  {
    from: '@modelcontextprotocol/server-sequential-thinking@2026.8.31',
    program: 'mcp-server-sequential-thinking',
  },
  { from: '@modelcontextprotocol/server-pdf@2.0.4', program: 'mcp-pdf-server', args: ['--stdio'] },
  { from: '@playwright/mcp@0.0.83', program: 'playwright-mcp' },
  { from: 'chrome-devtools-mcp@1.11.0', program: 'chrome-devtools-mcp' },
  { from: '@upstash/context7-mcp@4.1.1', program: 'context7-mcp' },
  { from: '@notionhq/notion-mcp-server@2.5.2', program: 'notion-mcp-server', env: { NOTION_TOKEN: 'none' } },
  { from: 'tavily-mcp@0.2.22', program: 'tavily-mcp', env: { TAVILY_API_KEY: 'none' } },
  {
    from: '@brave/brave-search-mcp-server@2.1.4',
    program: 'brave-search-mcp-server',
    env: { BRAVE_API_KEY: 'none', BRAVE_MCP_TRANSPORT: 'stdio' },
  },
  { from: 'exa-mcp-server@3.4.1', program: 'exa-mcp-server', env: { EXA_API_KEY: 'none' } },
];
const ofPyPi: Readonly<Record<string, readonly Published[]>> = {
  'servers-mcp-2': [
    { from: 'mcp-server-time==2026.10.19', program: 'mcp-server-time' },
    { from: 'mcp-server-git==2026.10.19', program: 'mcp-server-git' },
    { from: 'mcp-server-fetch==2026.10.24', program: 'mcp-server-fetch' },
    { from: 'duckduckgo-mcp-server==0.7.0', program: 'duckduckgo-mcp-server' },
  ],
  // These import what version 2 of the Python SDK has no longer.
  'servers-mcp-1': [
    { from: 'mcp-server-sqlite==2025.4.25', program: 'mcp-server-sqlite', args: ['--db-path', 'x.db'] },
    { from: 'mcp-server-calculator==0.2.1', program: 'mcp-server-calculator' },
  ],
};
const all = [...ofNpm, ...Object.values(ofPyPi).flat()];

const entryOf = (bin: string, { program, args = [], env = {} }: Published): readonly [string, object] => [
  program,
  { command: join(bin, program), args, env },
];
beforeAll(async () => {
  const npm = await installed(
    'published-servers',
    ofNpm.map(({ from }) => from),
  );
  const entries = ofNpm.map((server) => entryOf(join(npm, 'node_modules/.bin'), server));
  for (const [name, servers] of Object.entries(ofPyPi)) {
    const sdk = name === 'servers-mcp-1' ? ['mcp<2'] : [];
    const python = await environmentOf(name, [...sdk, ...servers.map(({ from }) => from)]);
    entries.push(...servers.map((server) => entryOf(dirname(python), server)));
  }
  writeFileSync(join(folder, 'a2c.json'), JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  linkedProject(folder);
}, 600_000);

it('types for eighteen published servers compile', async () => {
  expect(all).toHaveLength(18);
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };
  const files: string[] = [];
  for (const { program } of all) {
    const argv = [at('dist/actors/main.js'), 'generate', 'types', program, '-c', 'a2c.json'];
    const { stdout } = await run(process.execPath, argv, { cwd: folder, env, maxBuffer: 2 ** 24 });
    const file = `${program}.ts`;
    writeFileSync(join(folder, file), stdout);
    files.push(file);
  }
  const strict = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--types', ''];
  expect(compiled(folder, files, ...strict)).toBe('');
}, 600_000);
