import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { installed } from '../../fixtures/installed.ts';
import { pairs, ratio, type Pair } from '../measure.ts';
import { atMost, type Row } from '../row.ts';

/** Packages that also connect to MCP servers, in the versions that were newest when they were entered. */
const packages = [
  ...['@modelcontextprotocol/client@2.4.0', '@modelcontextprotocol/sdk@1.32.2', '@ai-sdk/mcp@2.0.99'],
  ...['mcporter@0.12.3', 'mcp-use@2.5.2', '@langchain/mcp-adapters@1.1.4', '@langchain/core@1.4.0'],
];
const bare = ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'];
/** Modules that a host imports in order to call a server over stdio. */
const peers: Readonly<Record<string, readonly string[]>> = {
  'SDK 1.x': ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/stdio.js'],
  '@ai-sdk/mcp': ['@ai-sdk/mcp', '@ai-sdk/mcp/mcp-stdio'],
  mcporter: ['mcporter'],
  'mcp-use': ['mcp-use'],
  '@langchain/mcp-adapters': ['@langchain/mcp-adapters'],
};
const own: Readonly<Record<string, readonly string[]>> = {
  'a2c-actors': ['a2c-actors'],
  'a2c-actors/computer': ['a2c-actors/computer'],
};

interface Cost {
  readonly cpuMs: number;
  readonly mb: number;
}
/** Imports modules in a new process, as found from a folder; returns what that costs. */
async function costOf(folder: string, modules: readonly string[]): Promise<Cost> {
  const code = `const [cpu, rss] = [process.cpuUsage(), process.memoryUsage.rss()];
    for (const name of ${JSON.stringify(modules)}) await import(name);
    const { user, system } = process.cpuUsage(cpu);
    const cost = { cpuMs: (user + system) / 1_000, mb: (process.memoryUsage.rss() - rss) / 2 ** 20 };
    process.stdout.write('\\n' + JSON.stringify(cost), () => process.exit());`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
  });
  return JSON.parse(stdout.split('\n').at(-1) ?? '') as Cost;
}

export const measureImport: Row['measure'] = async ({ rounds }, tell) => {
  const home = await installed('bench-import', packages);
  const checkout = dirname(createRequire(import.meta.url).resolve('a2c-actors/package.json'));
  const rows = [
    ...Object.entries(own).map(([name, modules]) => ({ name, modules, folder: checkout })),
    ...Object.entries(peers).map(([name, modules]) => ({ name, modules, folder: home })),
  ];
  for (const { name, modules, folder } of rows) {
    const found = await pairs(
      rounds,
      () => costOf(home, bare),
      () => costOf(folder, modules),
    );
    const of = (key: keyof Cost): Pair[] =>
      found.map(({ yardstick, ours }) => ({ yardstick: yardstick[key], ours: ours[key] }));
    const aim = name === 'a2c-actors' ? atMost(1.5) : undefined;
    tell(ratio(`import of ${name}, CPU`, of('cpuMs'), 'ms', aim));
    tell(ratio(`import of ${name}, memory`, of('mb'), 'MB', aim));
  }
};
