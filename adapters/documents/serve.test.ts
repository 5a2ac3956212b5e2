import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { buildDpeUri } from '../../machines/resources/dpe-uri.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';
import type { Shared } from './sharing.ts';
import { openDocuments } from './serve.ts';

const names = [
  'a b.txt',
  'a%20b.txt',
  'sub/da ta.txt',
  'sub%2Fda ta.txt',
  '空.txt',
  'größe😀.txt',
  "it's(1).txt",
];
const jsonAt = async ({ documents }: Shared, uri: string): Promise<Record<string, unknown>> =>
  JSON.parse((await documents.read(uri)).text) as Record<string, unknown>;

it('a document is read by its doc_ref, whatever its name', async () => {
  const folder = testFolder('documents-names');
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), name);
  }
  const shared = await openDocuments([folder], 'documents', { isWatching: false });
  try {
    const { documents } = await jsonAt(shared, 'dpe://documents');
    const refs = (documents as { doc_ref: string }[]).map(({ doc_ref }) => doc_ref);
    expect(refs.toSorted()).toEqual(names.toSorted());
    for (const docRef of refs) {
      const built = buildDpeUri({ level: 2, host: 'documents', docRef, pageIndex: 0 });
      const page = await jsonAt(shared, built.ok ? built.uri : '');
      expect(page).toMatchObject({ doc_ref: docRef, elements: [{ content: { text: docRef } }] });
    }
  } finally {
    await shared.close();
  }
});
