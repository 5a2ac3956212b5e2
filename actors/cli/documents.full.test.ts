import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCommand } from '../../scenarios/fixtures/command-process.ts';

const corpus = fileURLToPath(new URL('../../scenarios/corpus/', import.meta.url));

const run = async (...args: string[]) => {
  const { told, exited } = startCommand(args);
  return { code: (await exited).code, stdout: told.out, stderr: told.err };
};

describe('a command over the documents of a folder', () => {
  it('takes --folder in finder, read and desktop', async () => {
    // One after the other, since a document has 8 s to be read.
    const finder = await run('finder', '--folder', corpus, '--type', 'pdf', '--json');
    const page = 'dpe://documents/chapters.pdf/pages/6?format=text';
    const read = await run('read', page, '--folder', corpus, '--json');
    const desktop = await run('desktop', '--folder', corpus, '--json');
    const { documents } = JSON.parse(finder.stdout) as { documents: { title: string; page_count: number }[] };
    expect(documents.map(({ title, page_count }) => `${title} ${page_count}`).toSorted()).toEqual([
      ...['Nine chapters 9', 'The costs of summer 3', 'The kettle manual 1', 'untitled 1'],
    ]);
    expect(read.stdout).toContain('buried under the old oak');
    const { desktops } = JSON.parse(desktop.stdout) as { desktops: string[] };
    expect(desktops.map((text) => text.replace(/\?[^]*$/, ''))).toEqual(['window://documents/tree']);
    expect([finder.code, read.code, desktop.code]).toEqual([0, 0, 0]);
  });

  it('refuses --folder beside --config', async () => {
    const { code, stderr } = await run('finder', '--folder', corpus, '--config', 'x.json');
    expect([code, stderr]).toEqual([64, expect.stringContaining('cannot be used with')]);
  });
});

describe('a2c documents', () => {
  it('says why it cannot start', async () => {
    const missing = await run('documents', '/no/such/folder');
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringContaining('/no/such/folder is not a folder'),
    ]);
    const host = await run('documents', corpus, '--host', 'A b');
    expect([host.code, host.stderr]).toEqual([1, expect.stringContaining('cannot be the host')]);
  });
});
