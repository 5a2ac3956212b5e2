import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cases } from './cases/index.ts';
import { installedClients } from './clients.ts';
import { judge, type Verdict } from './judge.ts';
import { playersWith, root } from './hosts.ts';
import { blocksOf } from '../replay/report/page.ts';
import { linkedProject, saidByCompiler } from '../fixtures/linked-project.ts';
import { testFolder } from '../fixtures/test-folder.ts';

const clients = ['sdk1', 'sdk2', 'ai-sdk', 'langchain', 'mcp-use', 'openai-agents'] as const;
const needsInstall = new Set<string>(['ai-sdk', 'langchain', 'mcp-use', 'openai-agents']);
const ends = [
  ...['clean', 'wrapped', 'grandchild', 'stopWorst', 'hostKilledWorst', 'hostTerm'],
  ...['exitMidCall', 'idleKill', 'stdoutClosed'],
];
const installed = await installedClients();
if ('why' in installed) process.stderr.write(`some clients are left out: ${installed.why}\n`);
const folder = 'folder' in installed ? installed.folder : root;
const play = (client: string, how: 'bare' | 'supervised', name: string): Promise<Verdict> => {
  const one = cases[name];
  if (!one) throw new Error(`there is no case ${name}`);
  return judge(playersWith(`${client}.mjs`, folder, how), one);
};

for (const client of clients) {
  const isThere = 'folder' in installed || !needsInstall.has(client);
  // What is not about ends is the same for each client.
  const names = client === 'sdk2' ? Object.keys(cases) : ends;
  describe.runIf(isThere).concurrent(`the client ${client}`, () => {
    it.concurrent.each(names)('is right with a supervised transport in %s', async (name) => {
      const { verdict, facts } = await play(client, 'supervised', name);
      expect({ verdict, facts }).toEqual({ verdict: 'right', facts });
    });
    it.concurrent('leaves a server behind a shell when it is alone', async () => {
      const { verdict, facts } = await play(client, 'bare', 'wrapped');
      expect({ verdict, facts }).toEqual({ verdict: 'wrong', facts });
    });
  });
}

const around = `
  declare const client: import('@modelcontextprotocol/client').Client;
  declare const supervisor: import('a2c-actors/transport').Supervisor;
  declare const createSupervisor: typeof import('a2c-actors/transport').createSupervisor;
  declare const token: string;
  declare const model: unknown;
  declare const createAgent: (options: object) => unknown;
  declare module 'ai' { export const generateText: (options: object) => Promise<{ text: string }>; }
`;
const compilerOptions = {
  ...{ module: 'nodenext', target: 'es2024', lib: ['es2024', 'esnext.disposable', 'dom'] },
  ...{ strict: true, noEmit: true, skipLibCheck: true, preserveSymlinks: true, types: ['node'] },
};
it.runIf('folder' in installed)('examples of docs/any-client.md compile with these clients', () => {
  const here = testFolder('any-client');
  linkedProject(here, '@types/node');
  for (const name of ['@ai-sdk', '@langchain', '@modelcontextprotocol', '@openai', 'mcp-use', 'zod'])
    symlinkSync(join(folder, 'node_modules', name), join(here, 'node_modules', name), 'dir');
  writeFileSync(join(here, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  writeFileSync(join(here, 'around.d.ts'), around);
  const page = readFileSync(join(root, 'docs/any-client.md'), 'utf8');
  const blocks = blocksOf(page).filter(({ language }) => language === 'ts');
  for (const [n, { text }] of blocks.entries())
    writeFileSync(join(here, `block-${n}.ts`), `${text}\nexport {};\n`);
  expect(blocks.length).toBeGreaterThan(7);
  expect(saidByCompiler(here, '-p', '.')).toBe('');
});
