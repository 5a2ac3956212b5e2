import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { testFolder } from '../scenarios/fixtures/test-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const mark = crypto.randomUUID();
const checkout = testFolder('examples');
const state = join(checkout, 'state');

// The copied folder has the same files as a checkout after `npm ci`.
beforeAll(() => {
  for (const part of ['package.json', 'examples', 'dist'])
    cpSync(join(root, part), join(checkout, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'dir');
});

async function run() {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/embed.ts'], {
    cwd: checkout,
    env: { ...process.env, MARK: mark, XDG_STATE_HOME: state },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], out, err] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { pid: child.pid, code: code as number | null, out, err };
}
/** Lists the living processes of the host and its servers. */
const look = (): unknown[] =>
  JSON.parse(
    execFileSync(process.execPath, [join(root, 'scenarios/fixtures/living-processes.mjs'), mark, '0'], {
      encoding: 'utf8',
    }),
  );
/** Command lines of the reapers of this host, which would end its servers if it were killed. */
const reapersOf = (host: number | undefined): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(`host=${host}`);
    } catch {
      return false;
    }
  });

describe('examples/embed.ts', () => {
  it('prints what the tool said, ends well, and leaves neither a process nor a note of one', async () => {
    const { pid, ...said } = await run();
    expect(said).toEqual({
      code: 0,
      out: 'the computer has 1 tool\nlaptop offers: greet\ngreet said: Hello, world!\n',
      err: '',
    });
    expect([look(), reapersOf(pid)]).toEqual([[], []]);
    const notes = readdirSync(state, { recursive: true, withFileTypes: true });
    const isNote = (entry: (typeof notes)[number]): boolean =>
      !entry.isDirectory() && !entry.parentPath.endsWith('catalogs');
    expect(notes.filter(isNote)).toEqual([]);
  });
});
