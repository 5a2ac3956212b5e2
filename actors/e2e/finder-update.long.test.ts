import { describe, expect, it } from 'vitest';
import { earOf, hostsWith } from '../../scenarios/fixtures/resource-hosts.ts';
import type { A2cError } from '../index.ts';

/** Tests of Finder updates with a real agent, office, computer and server; desktop-update.long.test.ts does the same for windows. */
const plan = 'dpe://h/reports%2F2026%20plan.pdf';
const notes = (day: number) => ({
  ...{ ref: 'notes.md', title: 'Notes', last_modified: `2026-03-0${day}T00:00:00Z`, pages: [] },
});
const listed = (...documents: readonly object[]) => ['--host', 'h', '--documents', JSON.stringify(documents)];
const many = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ref: `d${n}`, title: `document ${n}`, pages: [] }));
const failureOf = (question: Promise<unknown>): Promise<A2cError> =>
  question.then(
    () => Promise.reject(new Error('it was answered')),
    (error: unknown) => error as A2cError,
  );

describe('an agent that listens to a Finder', () => {
  it('is told of all documents, then of each that appears, changes and vanishes, and of nothing else', async () => {
    await using hosts = await hostsWith('documents', listed(notes(1)));
    const { next, told } = earOf(hosts.agent, 'finder.changed');
    const first = await next();
    expect(first).toMatchObject({
      computer: 'desk',
      value: { total_count: 1, left_out: 0, missing: [] },
      ...{ added: [{ uri: 'dpe://h/notes.md', server: 'documents' }], removed: [], changed: [] },
    });
    await hosts.act('put_document', { ...notes(1), ref: 'new.md' });
    expect(await next()).toMatchObject({ added: [{ uri: 'dpe://h/new.md' }], removed: [], changed: [] });
    // The server announces a change of its list although the list is the same.
    await hosts.act('relist_documents');
    await hosts.act('put_document', notes(2));
    const changed = [{ uri: 'dpe://h/notes.md', last_modified: notes(2).last_modified }];
    expect(await next()).toMatchObject({ added: [], removed: [], changed });
    await hosts.act('drop_document', { ref: 'new.md' });
    expect(await next()).toMatchObject({
      value: { total_count: 1 },
      ...{ added: [], removed: [{ uri: 'dpe://h/new.md' }], changed: [] },
    });
    expect(told).toEqual([]);
  });

  it('is told of it again when its computer has left and come back, and of its leaving once', async () => {
    await using hosts = await hostsWith('documents', listed(notes(1)), { follow: ['finder'] });
    const changed = earOf(hosts.agent, 'finder.changed');
    const left = earOf(hosts.agent, 'computer.left');
    await changed.next();
    await hosts.computer.leave();
    expect(await left.next()).toEqual({ computer: 'desk' });
    await hosts.computer.join({ url: hosts.office.url });
    expect((await changed.next()).added).toHaveLength(1);
    expect([changed.told, left.told]).toEqual([[], []]);
  });

  it('is told of more than a page of documents at once', async () => {
    await using hosts = await hostsWith('documents', listed(...many(130)));
    const { added, value } = await earOf(hosts.agent, 'finder.changed').next();
    expect([added.length, value.documents.length, value.total_count]).toEqual([130, 130, 130]);
  });
});

describe('an agent that asks for documents', () => {
  it('finds those that its query speaks of, a part at a time', async () => {
    await using hosts = await hostsWith('documents', ['--host', 'h']);
    const { agent } = hosts;
    const all = await agent.finder('desk');
    expect([all.total_count, all.missing, all.documents.length]).toEqual([2, [], 2]);
    const found = await agent.finder('desk', { keywords: ['BUDGET'], fileType: 'pdf' });
    expect(found).toMatchObject({ documents: [{ uri: plan, server: 'documents' }], total_count: 1 });
    const part = await agent.finder('desk', { offset: 1, limit: 1 });
    expect(part).toMatchObject({ documents: [all.documents[1]], total_count: 2 });
    expect(await agent.finder('desk', { limit: 0 })).toMatchObject({ documents: [], total_count: 2 });
    await expect(agent.finder('desk', { offset: 0.5 })).rejects.toMatchObject({ code: 'BadRequest' });
  });

  it('is told which server is missing, and why', async () => {
    await using hosts = await hostsWith('documents', listed(notes(1), { ...notes(1), ref: 'other.md' }));
    const { next } = earOf(hosts.agent, 'finder.changed');
    await next();
    // The server returns a document with an invalid title.
    await hosts.act('put_document', { ...notes(1), title: 5 });
    expect((await next()).value.missing).toMatchObject([{ server: 'documents' }]);
    expect(await hosts.agent.finder('desk')).toMatchObject({
      documents: [{ doc_ref: 'other.md' }],
      missing: [{ server: 'documents', reason: expect.stringContaining('title') }],
    });
  });

  it('goes from the catalogue of a host down to one element, by what each step names', async () => {
    await using hosts = await hostsWith('documents', ['--host', 'h', '--catalogue']);
    const { agent } = hosts;
    const [level0] = await agent.readResource('desk', 'dpe://h');
    const catalogue = JSON.parse(level0?.text ?? '') as { documents: { uri: string }[] };
    const found = (await agent.finder('desk')).documents.map(({ uri }) => uri);
    expect(found.toSorted()).toEqual(catalogue.documents.map(({ uri }) => uri).toSorted());
    const { uri, page_count } = await agent.documents.metadata('desk', catalogue.documents[0]?.uri ?? '');
    const { pages } = await agent.documents.pages('desk', uri);
    expect([uri, pages.length]).toEqual([plan, page_count]);
    const { elements } = await agent.documents.page('desk', uri, pages[1]?.page_index ?? -1);
    const [first] = elements;
    const detail = await agent.documents.element('desk', uri, first?.element_id ?? '');
    expect(detail).toMatchObject({ page_index: 1, category: 'table', content: first?.content });
  });

  it('reads a document level by level', async () => {
    await using hosts = await hostsWith('documents', ['--host', 'h']);
    const { agent } = hosts;
    expect(await agent.documents.metadata('desk', plan)).toMatchObject({
      title: 'The plan of 2026',
      page_count: 2,
    });
    expect(await agent.documents.pages('desk', plan, { offset: 1, limit: 1 })).toMatchObject({
      ...{ pages: [{ page_index: 1 }], page_offset: 1, page_limit: 1, page_total: 2 },
    });
    expect(await agent.documents.page('desk', plan, 0)).toMatchObject({ title: 'Aims', element_count: 2 });
    const tables = await agent.documents.page('desk', plan, 1, { categories: ['table'] });
    expect(tables.elements.map(({ element_id }) => element_id)).toEqual(['tab-1']);
    const text: string = await agent.documents.page('desk', plan, 1, { format: 'markdown' });
    expect(text).toContain('| month | cost |');
    const element = await agent.documents.element('desk', plan, 'tab-1');
    expect(element).toMatchObject({ category: 'table', content: { columns: ['month', 'cost'] } });
    expect(await agent.documents.element('desk', plan, 't-1', { format: 'text' })).toBe('We want more.');
    expect(await agent.readResource('desk', `${plan}/pages/0?format=text`)).toMatchObject([
      { mimeType: 'text/plain' },
    ]);
  });

  it('is refused with the codes of Finder, their details and the name of its question', async () => {
    await using hosts = await hostsWith('documents', ['--host', 'h']);
    const { agent } = hosts;
    const refused = [
      await failureOf(agent.documents.metadata('desk', 'dpe://h/nothing')),
      await failureOf(agent.documents.metadata('desk', 'dpe://elsewhere/d')),
      await failureOf(agent.documents.page('desk', plan, 9)),
      await failureOf(agent.documents.element('desk', plan, 'x')),
    ];
    expect(refused.map(({ code }) => code)).toEqual([
      'DocumentNotFound',
      'DocumentNotFound',
      'PageOutOfRange',
      'ElementNotFound',
    ]);
    expect(refused.map(({ details: { req_id: _, ...details } }) => details)).toEqual([
      { doc_ref: 'nothing' },
      { host: 'elsewhere' },
      { page_index: 9, page_count: 2 },
      { element_id: 'x' },
    ]);
    const names = refused.map(({ details }) => details['req_id']);
    expect([new Set(names).size, names.every((name) => typeof name === 'string')]).toEqual([4, true]);
    await expect(agent.finder('nobody')).rejects.toMatchObject({
      ...{ code: 'NotFound', details: { req_id: expect.stringMatching(/./) } },
    });
  });
});
