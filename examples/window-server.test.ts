import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commandLine } from '../scenarios/fixtures/command-line.ts';
import { bootedComputer } from '../scenarios/fixtures/booted.ts';

const server = fileURLToPath(new URL('window-server.mjs', import.meta.url));

it('the server with windows and documents shows both, and what changes about them', async () => {
  const looks = new Set<() => void>();
  await using computer = await bootedComputer({
    config: { mcpServers: { notebook: { command: process.execPath, args: [server], autoApprove: ['all'] } } },
    onEvent: (name) => {
      if (name === 'finder.changed' || name === 'desktop.changed') for (const look of [...looks]) look();
    },
  });
  const until = (holds: () => Promise<boolean>): Promise<void> =>
    new Promise((done) => {
      const look = (): void =>
        void holds().then((isSo) => {
          if (!isSo) return;
          looks.delete(look);
          done();
        });
      looks.add(look);
      look();
    });
  const titles = async (): Promise<string[]> => (await computer.finder()).documents.map(({ title }) => title);
  const shown = async (): Promise<string> => (await computer.desktop()).desktops.join();
  await until(async () => (await titles()).join() === 'tea');
  expect(await shown()).toContain('Boil water and wait.');
  await computer.callTool('write_note', { name: 'oak', text: 'Dig here.' });
  await until(async () => (await titles()).length === 2 && (await shown()).includes('Dig here.'));
  expect((await computer.finder()).missing).toEqual([]);
  await expect(computer.readResource('dpe://notebook/oak/pages/1')).rejects.toMatchObject({ code: 4202 });
  await expect(computer.readResource('dpe://notebook/elm')).rejects.toMatchObject({ code: 4201 });
});

it('a2c check finds nothing wrong with it', async () => {
  const { code, out } = await commandLine(['check', '--wait', '0', '--', process.execPath, server]);
  expect(out).toBe('nothing breaks a rule; read: windows 1, documents 1, pages 1, elements 1\n');
  expect(code).toBe(0);
});
