import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { startCommand } from '../scenarios/fixtures/command-process.ts';
import { pidsOf } from '../scenarios/fixtures/hosted.ts';
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
    const env = { MARK: mark, XDG_STATE_HOME: state };
    const { child, told, exited } = startCommand(['tsx', 'examples/embed.ts'], env, '--import', checkout);
    expect(await exited).toMatchObject({ code: 0 });
    expect(told).toEqual({
      out: 'the computer has 1 tool\nlaptop offers: greet\ngreet said: Hello, world!\n',
      err: '',
    });
    expect([pidsOf(mark), reapersOf(child.pid)]).toEqual([[], []]);
    const notes = readdirSync(state, { recursive: true, withFileTypes: true });
    const isNote = (entry: (typeof notes)[number]): boolean =>
      !entry.isDirectory() && !entry.parentPath.endsWith('catalogs');
    expect(notes.filter(isNote)).toEqual([]);
  });
});
