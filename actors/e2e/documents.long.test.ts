import { cp, mkdtemp, realpath, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgent, createOffice, type Agent, type Computer, type Office } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Tests of real documents, served by a real process and read through the office by an agent in another host. */
const main = fileURLToPath(new URL('../../dist/actors/main.js', import.meta.url));
const corpus = fileURLToPath(new URL('../../scenarios/corpus/', import.meta.url));
let folder = '';
let office: Office;
let computer: Computer;
let agent: Agent;
/** Documents that the agent knows from the notices that it received. */
let seen: readonly string[] = [];
let told = 0;
const looks = new Set<() => void>();
const until = (holds: () => boolean): Promise<void> =>
  new Promise((done) => {
    const look = (): void => {
      if (!holds()) return;
      looks.delete(look);
      done();
    };
    looks.add(look);
    look();
  });

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'a2c-documents-e2e-')));
  for (const name of ['costs.xlsx', 'chapters.pdf']) await cp(join(corpus, name), join(folder, name));
  office = await createOffice({ port: 0 });
  const documents = { command: process.execPath, args: [main, 'documents', folder] };
  computer = await bootedComputer({
    name: 'c1',
    config: { mcpServers: { documents } },
    office: { url: office.url },
  });
  agent = await createAgent({ url: office.url, follow: ['finder'] });
  agent.on('finder.changed', ({ value }) => {
    told += 1;
    seen = value.documents
      .map(({ uri, title }) => `${uri.slice('dpe://documents/'.length)} ${title}`)
      .toSorted();
    for (const look of [...looks]) look();
  });
  await until(() => seen.length === 2);
});
afterAll(async () => {
  await agent.close();
  await computer.close();
  await office.close();
  await rm(folder, { recursive: true, force: true });
});

describe('an agent and real documents', () => {
  it('walks from the Finder to a cell of a table', async () => {
    const { documents } = await agent.finder('c1', { keywords: ['BUDGET'] });
    expect(documents).toMatchObject([{ title: 'The costs of summer', file_type: 'xlsx', page_count: 2 }]);
    const { pages } = await agent.documents.pages('c1', documents[0]?.uri ?? '');
    expect(pages.map(({ title }) => title)).toEqual(['Costs', 'Notes']);
    const page = await agent.documents.page('c1', documents[0]?.uri ?? '', 0, { categories: ['table'] });
    const element = await agent.documents.element(
      'c1',
      documents[0]?.uri ?? '',
      page.elements[0]?.element_id ?? '',
    );
    const { columns, rows } = element.content as { columns: string[]; rows: string[][] };
    expect(rows.find(([month]) => month === 'June')?.[columns.indexOf('Cost')]).toBe('450');
  });

  it('walks from the Finder to a paragraph of page 7 of a PDF', async () => {
    const { documents } = await agent.finder('c1', { fileType: 'pdf' });
    const { elements } = await agent.documents.page('c1', documents[0]?.uri ?? '', 6);
    const paragraph = elements.find(({ content }) => String(content['text']).includes('treasure'));
    const element = await agent.documents.element('c1', documents[0]?.uri ?? '', paragraph?.element_id ?? '');
    expect(element).toMatchObject({
      ...{ category: 'text', page_index: 6, content: { text: 'The treasure is buried under the old oak.' } },
    });
  });

  it('follows a document that is added, changed and deleted, with one notification each', async () => {
    const [before, others] = [told, seen];
    await writeFile(join(folder, 'new.md'), '# First\n');
    await until(() => seen.includes('new.md First'));
    await writeFile(join(folder, 'new.md'), '# Second title\n');
    await until(() => seen.includes('new.md Second title'));
    await unlink(join(folder, 'new.md'));
    await until(() => JSON.stringify(seen) === JSON.stringify(others));
    expect(told - before).toBe(3);
  });
});
