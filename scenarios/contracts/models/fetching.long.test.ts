import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fetchTools } from './fetching.ts';
import { publishedServers } from './published-servers.ts';
import { toolLists } from './tool-lists.ts';

/** Small ones, so that a slow registry is no reason. */
const fetched = ['@modelcontextprotocol/server-memory', '@modelcontextprotocol/server-sequential-thinking'];
const limitMs = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'a2c-published-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a published server, fetched and started', () => {
  it.each(publishedServers.filter((one) => fetched.includes(one.package)))(
    'lists today what is committed of it: $package $version',
    async (server) => {
      // Rejects with a sentence that names the registry when it cannot be reached: then this fails, as it should.
      const list = await fetchTools(server, mkdtempSync(join(folder, 'one-')), limitMs);
      expect(list).toEqual(toolLists.find((one) => one.package === server.package));
    },
    2 * limitMs,
  );
});
