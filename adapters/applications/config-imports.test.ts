import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { foundAppFiles, projectOf } from './config-imports.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const home = testFolder('imports');
const local = join(home, 'AppData', 'Local');
const files: readonly (readonly [app: string, file: string])[] = [
  [
    'claude-desktop',
    join(local, 'Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json'),
  ],
  ['claude-desktop', join(home, 'AppData/Roaming/Claude/claude_desktop_config.json')],
  ['copilot', join(local, 'github-copilot/intellij/mcp.json')],
];
for (const [, file] of [...files, ['', join(local, 'Packages/Other_1/LocalCache/x')] as const]) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{}');
}
const at = (platform: NodeJS.Platform, env = {}) => ({ platform, home, folder: join(home, 'none'), env });

it.each([[{}], [{ LOCALAPPDATA: local }]])(
  'the files of packages of the Store are found on Windows, before those of installers: %j',
  async (env) => {
    const found = await foundAppFiles('', at('win32', env));
    expect(found.map(({ app, file }) => [app, file])).toEqual(files);
    for (const [, file] of files)
      expect(projectOf(file, join(home, 'a2c.json'), at('win32', env))).toBeUndefined();
  },
);
it('the files of the Store are looked for on Windows alone', async () => {
  expect(await foundAppFiles('', at('linux'))).toEqual([]);
});
