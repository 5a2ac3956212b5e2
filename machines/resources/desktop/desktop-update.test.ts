import { describe, expect, it } from 'vitest';
import {
  desktopDifference,
  desktopQueryOf,
  desktopQuestion,
  hasBlob,
  isDesktopChanged,
  isWindowUri,
  windowUrisIn,
} from './index.ts';

/** Mirrors `../finder/finder-update.test.ts`. N02 and N03 are the cases of a2c-wire §8.6. */
const listed = (...uris: readonly string[]) => windowUrisIn(uris.map((uri) => ({ uri })));

describe('a list of a server', () => {
  it('D18 has the windows in it, each once, in their order', () => {
    const uris = [
      'file:///a',
      'window://h/b',
      'dpe://h/d',
      'window://h/a',
      'window://h/b',
      'window://h?priority=x',
    ];
    expect(listed(...uris)).toEqual(['window://h/b', 'window://h/a']);
  });
  it('N02 with the same windows changes nothing, in whatever order', () => {
    const before = { A: listed('window://h/a', 'window://h/b'), B: listed() };
    expect(isDesktopChanged(before, { A: listed('window://h/b', 'file:///new', 'window://h/a') })).toBe(
      false,
    );
  });
  it('N02 with another set of windows changes the desktop, also when only the server is another', () => {
    const before = { A: listed('window://h/a') };
    for (const after of [
      { A: listed('window://h/a', 'window://h/b') },
      { A: listed() },
      { A: listed('window://h/a?priority=1') },
      { B: listed('window://h/a') },
    ])
      expect(isDesktopChanged(before, after)).toBe(true);
  });
  it('N03 is not needed when one window says that it was updated; what is no window says nothing', () => {
    expect([isWindowUri('window://y'), isWindowUri('file://y'), isWindowUri('dpe://h/d')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('what an agent tells of two desktops', () => {
  it('is which windows came, which went, and which show another text', () => {
    const before = ['window://a\n\nold', 'window://b', 'window://c\n\nsame\n\ntext'];
    const after = ['window://c\n\nsame\n\ntext', 'window://d', 'window://a\n\nnew'];
    expect(desktopDifference(before, after)).toEqual({
      added: [{ uri: 'window://d', text: '' }],
      removed: [{ uri: 'window://b', text: '' }],
      changed: [{ uri: 'window://a', text: 'new' }],
    });
  });
  it('is nothing where only the order is another', () => {
    const desktop = ['window://a\n\nx', 'window://a\n\ny', 'window://b'];
    expect(desktopDifference(desktop, desktop.toReversed())).toEqual({ added: [], removed: [], changed: [] });
  });
});

describe('the query on the wire', () => {
  it('lacks what is not wanted, and has a size of 0', () => {
    expect(desktopQuestion({})).toEqual({});
    expect(desktopQuestion({ size: 0, window: 'window://a' })).toEqual({
      desktop_size: 0,
      window: 'window://a',
    });
  });
  it('is read as it was asked, null like nothing', () => {
    const asked = { agent: 'a', req_id: 'r', computer: 'c' };
    const query = { size: 0, window: 'window://a' };
    expect(desktopQueryOf({ ...asked, ...desktopQuestion(query) })).toEqual(query);
    expect(desktopQueryOf({ ...asked, desktop_size: null })).toEqual({ size: null, window: null });
  });
});

describe('a blob in a window', () => {
  it('is what its computer warns of', () => {
    const of = (...contents: readonly object[]) => hasBlob({ server: 'A', uri: 'window://a', contents });
    expect([of({ blob: 'AA' }), of({ text: 't' }, { blob: 'AA' }), of({ text: 't' }), of({}), of()]).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
    expect(hasBlob({ server: 'A', uri: 'window://a', contents: null })).toBe(false);
  });
});
