import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchTools } from './fetching.ts';
import { publishedServers } from './published-servers.ts';
import { writeToolList } from './tool-lists.ts';

/**
 *   npm run fetch-tool-lists [part of a name …]
 *
 * Installs published MCP servers, starts each, and writes what it lists into `tool-lists/`. Exits with 1 when one failed; its
 * old list stays.
 */
const wanted = process.argv.slice(2);
const limitMs = 300_000;
const say = (text: string): boolean => process.stdout.write(`${text}\n`);

for (const server of publishedServers) {
  if (wanted.length > 0 && !wanted.some((part) => server.package.includes(part))) continue;
  const folder = mkdtempSync(join(tmpdir(), 'a2c-published-'));
  try {
    const list = await fetchTools(server, folder, limitMs);
    writeToolList(list);
    say(`${list.package} ${list.version}: ${list.tools.length} tools`);
  } catch (error) {
    process.exitCode = 1;
    say(String(error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
