import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand } from '../fixtures/command-process.ts';
import { pidsOf } from '../fixtures/hosted.ts';
import { linkedProject } from '../fixtures/linked-project.ts';
import { readingModel } from '../fixtures/reading-model.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { installedClients } from './clients.ts';
import { root } from './hosts.ts';

const here = testFolder('langchain');
const installed = await installedClients();
if ('why' in installed) process.stderr.write(`examples/langchain is left out: ${installed.why}\n`);

it.runIf('folder' in installed)('examples/langchain answers from a file and leaves no process', async () => {
  cpSync(join(root, 'examples/langchain'), here, { recursive: true });
  linkedProject(here);
  const clients = 'folder' in installed ? installed.folder : '';
  for (const name of ['@langchain', '@modelcontextprotocol', 'langchain'])
    symlinkSync(join(clients, 'node_modules', name), join(here, 'node_modules', name), 'dir');
  writeFileSync(join(here, 'tea.md'), '# Tea\n\nIt is green.\n');
  const model = await readingModel();
  const mark = crypto.randomUUID();
  const env = { ...model.env, MARK: mark, XDG_STATE_HOME: join(here, 'state') };
  const { told, exited } = startCommand(['tea.md'], env, 'ask.mjs', here);
  expect(await exited).toMatchObject({ code: 0 });
  expect(told).toEqual({ out: expect.stringContaining('It is green.'), err: '' });
  expect(model.asked[0]?.tools.map(({ name }) => name)).toContain('read');
  expect(pidsOf(mark)).toEqual([]);
  model.close();
});
