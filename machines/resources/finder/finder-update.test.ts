import { describe, expect, it } from 'vitest';
import type { DPEDocumentSummary } from '../../protocol/messages/collections.ts';
import { dpeUrisIn, finderDifference, isDpeUri, isFinderChanged, urisOfLevel } from './index.ts';

/**
 * Mirrors `../desktop/desktop-update.test.ts`. F11 and F12 are the cases of a2c-wire §8.9; "Change 1" to "3" the points of
 * seed 000, 测试策略, 变更检测: the same set, another set, only `dpe://`.
 */
const listed = (...uris: readonly string[]) => dpeUrisIn(uris.map((uri) => ({ uri })));

describe('a list of a server', () => {
  it('Change 3: has the documents in it, each once, in their order', () => {
    const uris = ['file:///a', 'dpe://h/b', 'window://h/w', 'dpe://h', 'dpe://h/b', 'dpe://h/d/foo'];
    expect(listed(...uris)).toEqual(['dpe://h/b', 'dpe://h']);
  });
  it('Change 1, F11 with the same documents changes nothing, in whatever order', () => {
    const before = { A: listed('dpe://h/a', 'dpe://h/b'), B: listed() };
    expect(isFinderChanged(before, { A: listed('dpe://h/b', 'file:///new', 'dpe://h/a') })).toBe(false);
  });
  it('Change 2, F11 with another set of documents changes the catalogue, each server for itself', () => {
    const before = { A: listed('dpe://a/1'), B: listed('dpe://b/1') };
    for (const after of [
      { ...before, A: listed('dpe://a/1', 'dpe://a/2') },
      { ...before, B: listed() },
      { A: before.B, B: before.A },
    ])
      expect(isFinderChanged(before, after)).toBe(true);
  });
  it('Change 3, F12 is not needed when one document says that it was updated; what is none says nothing', () => {
    expect([isDpeUri('dpe://h/d'), isDpeUri('window://h/d'), isDpeUri('file:///d')]).toEqual([
      true,
      false,
      false,
    ]);
  });
  it('may hold catalogues, documents and their parts', () => {
    const uris = listed('dpe://h', 'dpe://h/d', 'dpe://h/d/pages/0', 'dpe://h/e', 'dpe://h/d/elements/x');
    expect(([0, 1, 2, 3] as const).map((level) => urisOfLevel(uris, level))).toEqual([
      ['dpe://h'],
      ['dpe://h/d', 'dpe://h/e'],
      ['dpe://h/d/pages/0'],
      ['dpe://h/d/elements/x'],
    ]);
  });
});

describe('what an agent tells of two catalogues', () => {
  const of = (doc: string, more: Partial<DPEDocumentSummary> = {}): DPEDocumentSummary => ({
    ...{ doc_ref: doc, uri: `dpe://h/${doc}`, file_uri: `file:///${doc}`, file_type: 'pdf' },
    ...{ title: doc, page_count: 1, server: 'A' },
    ...more,
  });
  it('is which documents came, which went, and which were modified, as they are now', () => {
    const [old, now] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    const [a, b] = [of('a', { last_modified: old }), of('b')];
    const [changed, c] = [of('a', { last_modified: now, title: 'A' }), of('c')];
    expect(finderDifference([a, b], [c, changed])).toEqual({ added: [c], removed: [b], changed: [changed] });
  });
  it.each([
    { title: 'x' },
    { page_count: 2 },
    { file_type: 'md' },
    { file_uri: 'file:///b' },
    { keywords: ['k'] },
    { summary: 's' },
    { pages_read: 3 },
  ])('has a document as changed of which any field is another, without a new time: %j', (field) => {
    for (const time of [{}, { last_modified: '2026-01-01' }])
      expect(finderDifference([of('a', time)], [of('a', { ...time, ...field })]).changed).toHaveLength(1);
  });
  it('is nothing where only the order of its fields is another', () => {
    const { title, ...rest } = of('a', { last_modified: '2026-01-01' });
    expect(finderDifference([{ title, ...rest }], [{ ...rest, title }])).toEqual({
      ...{ added: [], removed: [], changed: [] },
    });
  });
  it('has a document as changed whose time came or went', () => {
    for (const [before, after] of [
      [null, '2026-01-01'],
      ['2026-01-01', undefined],
      ['never', 'ever'],
    ])
      expect(
        finderDifference([of('a', { last_modified: before })], [of('a', { last_modified: after })]).changed,
      ).toHaveLength(1);
  });
});
