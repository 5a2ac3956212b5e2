import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { openHouse, type House } from '../../scenarios/fixtures/full-system.ts';

/** Tests that an agent of another host sees documents of real processes right after each change, and hears of each change once. */
const mark = crypto.randomUUID();
let house: House;
beforeAll(async () => {
  house = await openHouse(mark);
});
afterAll(async () => {
  await house.close();
  expect(pidsOf(mark)).toEqual([]);
});
const notices = (): number => house.notices('notify:update_finder');
const first = '2026-01-01T00:00:00Z';
const [a, b, old] = [`papers/a.md ${first}`, `papers/b.md ${first}`, `archive/old.md ${first}`];
/** Waits until the Finder of the agent shows exactly these documents. */
async function sees(...documents: readonly string[]): Promise<void> {
  const wanted = JSON.stringify(documents.toSorted());
  const shown = (): string[] =>
    house.seen.finder.map(({ uri, last_modified }) => `${uri.slice('dpe://'.length)} ${last_modified ?? ''}`);
  await house.until(() => JSON.stringify(shown().toSorted()) === wanted);
}
const call = async (tool: string, params: object): Promise<void> => {
  expect((await house.agent.callTool('c1', tool, { ...params })).outcome).toBe('succeeded');
};
const document = (ref: string, last_modified: string) => ({ ref, title: ref, last_modified, pages: [] });

describe('the Finder of an agent', () => {
  it('has the documents of all servers, and after each change what is there then; of each it is told once', async () => {
    await sees(a, b, old);
    // The first change comes after all notices of the start, so later counts are exact.
    const [one, two] = ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'];
    await call('put_document', document('mark.md', one));
    await sees(a, b, old, `papers/mark.md ${one}`);
    const [before, told] = [notices(), house.seen.told.finder];

    await call('put_document', document('new.md', one));
    await sees(a, b, old, `papers/mark.md ${one}`, `papers/new.md ${one}`);
    await call('put_document', document('new.md', two));
    await sees(a, b, old, `papers/mark.md ${one}`, `papers/new.md ${two}`);
    await call('drop_document', { ref: 'new.md' });
    await sees(a, b, old, `papers/mark.md ${one}`);
    // An announcement of an unchanged list causes no notice.
    await call('relist_documents', {});
    house.kill('archive');
    await sees(a, b, `papers/mark.md ${one}`);
    await house.computer.servers.start('archive');
    await sees(a, b, old, `papers/mark.md ${one}`);
    house.kill('papers');
    await sees(old);
    await house.computer.servers.start('papers');
    await sees(a, b, old);
    await call('drop_document', { ref: 'b.md' });
    await sees(a, old);
    expect([notices() - before, house.seen.told.finder - told]).toEqual([8, 8]);
  });

  it('reads documents where they are listed, also of a server that was killed and is back', async () => {
    const { title, doc_ref } = await house.agent.documents.metadata('c1', 'dpe://archive/old.md');
    expect([title, doc_ref]).toEqual(['old.md', 'old.md']);
    await expect(house.agent.documents.page('c1', 'dpe://archive/old.md', 3)).rejects.toMatchObject({
      code: 'PageOutOfRange',
      details: { page_index: 3, page_count: 0, req_id: expect.any(String) },
    });
  });
});
