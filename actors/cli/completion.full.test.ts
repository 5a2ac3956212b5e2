import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { programAtPty } from '../../scenarios/fixtures/at-pty.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const folder = testFolder('completion');
const starts = join(folder, 'starts');
const env = {
  PATH: `${folder}:${process.env['PATH']}`,
  HOME: folder,
  XDG_STATE_HOME: join(folder, 'state'),
  TERM: 'xterm',
  PS1: '$ ',
};
beforeAll(() => {
  const main = [process.execPath, at('dist/actors/main.js')].map((word) => `'${word}'`).join(' ');
  writeFileSync(join(folder, 'a2c'), `#!/bin/sh\nexec ${main} "$@"\n`, { mode: 0o755 });
  const counted = `require('fs').appendFileSync(process.argv[1], 'x'); import(process.argv[2])`;
  const args = ['-e', counted, starts, at('scenarios/fixtures/typed-server.mjs')];
  const servers = {
    one: { command: process.execPath, args },
    'of two words': { command: 'true', disabled: true },
  };
  writeFileSync(join(folder, 'servers.json'), JSON.stringify({ mcpServers: servers }));
  // Lists the tools once, because Tab completes the last listed ones.
  execFileSync('a2c', ['tools', '-c', 'servers.json'], { cwd: folder, env, stdio: 'pipe' });
});

const shells = [
  ['bash', ['--norc', '--noprofile', '-i'], 'eval "$(a2c completion bash)"'],
  ['zsh', ['-f', '-i'], `PS1='$ '; autoload -U compinit; compinit -u -D; eval "$(a2c completion zsh)"`],
  ['fish', ['--no-config', '-i'], 'a2c completion fish | source; function fish_prompt; echo "> "; end'],
] as const;
const isHere = (shell: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((dir) => existsSync(join(dir, shell)));

for (const [shell, args, load] of shells)
  it.skipIf(!isHere(shell))(`Tab in ${shell} completes a call, and starts no server`, async () => {
    const before = readFileSync(starts, 'utf8').length;
    const person = programAtPty(shell, args, env);
    await person.rows(/[#$>]/);
    person.type(`cd '${folder}'; ${load}; echo lo''aded\r`);
    await person.rows(/^loaded/);
    person.type('a2c cal\t');
    await person.rows(/a2c call$/);
    person.type('-c serv\t');
    await person.rows(/a2c call -c servers\.json/);
    person.type('get_ne\t');
    await person.rows(/servers\.json get_next/);
    person.type('\t');
    await person.rows(/servers\.json get_next n=/);
    expect(readFileSync(starts, 'utf8')).toHaveLength(before);
    person.type('4\r');
    await person.rows(/^5$/);
    expect(readFileSync(starts, 'utf8')).toHaveLength(before + 1);
    person.type('a2c get -c servers.json of\t');
    await person.rows(/'of two words'|of\\ two\\ words/);
  });
