import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { desktopDifference, desktopQueryOf, desktopQuestion } from './asked.ts';
import {
  windowUrisIn,
  hasBlob,
  arrangeWindows,
  organizeDesktop,
  renderWindow,
  type Window,
} from './desktop.ts';
import { parseWindowUri } from './window-uri.ts';

const listed = (...uris: readonly string[]) => windowUrisIn(uris.map((uri) => ({ uri })));

describe('a list of a server', () => {
  it('has the windows in it, each once, in their order', () => {
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
});

describe('what an agent tells of two desktops', () => {
  it('tells which windows came, which went, and which show another text', () => {
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
  it('is something that its computer warns of', () => {
    const of = (...contents: readonly object[]) => hasBlob({ server: 'A', uri: 'window://a', contents });
    expect([of({ blob: 'AA' }), of({ text: 't' }, { blob: 'AA' }), of({ text: 't' }), of({}), of()]).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
    expect(hasBlob({ server: 'A', uri: 'window://a', contents: null })).toBe(false);
  });
});

const said = (text: string) => ({ uri: 'x', text });
const blob = { uri: 'x', blob: 'AAAA' };
const windowOf = (server: string, uri: string, contents: Window['contents'] = [said('')]): Window => ({
  server,
  uri: `window://${uri}`,
  contents,
});
const urisOf = (windows: readonly Window[], size: number | null = null, called: readonly string[] = []) =>
  organizeDesktop(
    windows,
    size,
    called.map((server) => ({ server })),
  ).map((text) => text.replace('window://', ''));

describe('what is no window', () => {
  it.each([
    ['one without contents', windowOf('A', 'a', [])],
    ['one that could not be read', windowOf('A', 'a', null)],
    ['one of blobs only', windowOf('A', 'a', [blob, blob])],
    ['one of nothing that is known', windowOf('A', 'a', [{}])],
    ['another scheme', { ...windowOf('A', 'a'), uri: 'http://a' }],
    ['a priority of 101', windowOf('A', 'a?priority=101')],
    ['a fullscreen of maybe', windowOf('A', 'a?fullscreen=maybe')],
  ])('is left out: %s, and its neighbour stays', (_, wrong) => {
    expect(urisOf([wrong, windowOf('A', 'b')])).toEqual(['b']);
  });
  it('a window with an empty text is shown as its bare URI; one of blanks shows them', () => {
    expect(urisOf([windowOf('A', 'a', [said('')]), windowOf('A', 'b', [said(' \n'), blob])])).toEqual([
      'a',
      'b\n\n \n',
    ]);
  });
  it('two servers with one URI have a window each', () => {
    expect(urisOf([windowOf('A', 'same'), windowOf('B', 'same')])).toEqual(['same', 'same']);
  });
});

describe('the servers of a desktop', () => {
  it('come by their last call, the latest first, then by name', () => {
    const windows = ['A', 'B', 'C', 'D'].map((server) => windowOf(server, server.toLowerCase()));
    expect(urisOf(windows, null, ['D', 'A', 'gone', 'C', 'A', 'C'])).toEqual(['c', 'a', 'd', 'b']);
    expect(urisOf(windows.toReversed())).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('a window for the whole screen', () => {
  it('counts only if it is shown, and only if it says so', () => {
    const windows = [
      windowOf('A', 'blob?fullscreen=true', [blob]),
      windowOf('A', 'a'),
      windowOf('A', 'b?fullscreen=false'),
    ];
    expect(urisOf(windows)).toEqual(['a', 'b?fullscreen=false']);
  });
});

describe('a rendered window', () => {
  const render = (...contents: readonly object[]): string => renderWindow(windowOf('A', 'a?x=1', contents));
  it('is its URI as listed, an empty line, and its texts with empty lines between them', () => {
    expect(render(said('one'))).toBe('window://a?x=1\n\none');
    expect(render(said('one'), said('two\n\nthree'))).toBe('window://a?x=1\n\none\n\ntwo\n\nthree');
  });
  it('passes over blobs and what is neither; an empty text counts like any other', () => {
    expect(render(said('a'), blob, {}, said('b'))).toBe('window://a?x=1\n\na\n\nb');
    expect(render(said('a'), said(''), said('b'))).toBe('window://a?x=1\n\na\n\n\n\nb');
    expect(render(said(''), said('a'))).toBe('window://a?x=1\n\n\n\na');
  });
  it('is not trimmed: code keeps its first indentation and its last line end', () => {
    expect(render(said('    if (a)\n      b();\n'))).toBe('window://a?x=1\n\n    if (a)\n      b();\n');
    expect(render(said(' \n\t'))).toBe('window://a?x=1\n\n \n\t');
  });
});

const servers = ['A', 'B', 'C', '__proto__'];
const uri = fc.oneof(
  fc.constantFrom('http://x', 'window://', 'window://h?priority=101'),
  fc
    .record({ page: fc.nat(5), priority: fc.option(fc.constantFrom(0, 9, 10, 90)), isFull: fc.boolean() })
    .map(({ page, priority, isFull }) => {
      const keys = [
        ...(priority === null ? [] : [`priority=${priority}`]),
        ...(isFull ? ['fullscreen=1'] : []),
      ];
      return `window://h/${page}?${keys.join('&')}`;
    }),
);
const contents = fc.option(fc.array(fc.constantFrom(said('t'), said(''), blob, {}), { maxLength: 3 }));
const windows = fc.array(fc.record({ server: fc.constantFrom(...servers), uri, contents }), {
  maxLength: 30,
});
const history = fc.array(
  fc.constantFrom(...servers, 'gone').map((server) => ({ server })),
  { maxLength: 6 },
);
const size = fc.option(fc.oneof(fc.integer({ min: -1, max: 12 }), fc.double()));

describe('a desktop', () => {
  it('is the beginning of the desktop without a size', () => {
    fc.assert(
      fc.property(windows, size, history, (all, most, called) => {
        const whole = organizeDesktop(all, null, called);
        expect(organizeDesktop(all, most, called)).toEqual(whole.slice(0, Math.max(0, most ?? 99)));
      }),
    );
  });
  it('has of each server either its first full screen or all its windows, by priority and then as listed', () => {
    fc.assert(
      fc.property(windows, history, (all, called) => {
        const arranged = arrangeWindows(all, null, called);
        for (const server of servers) {
          const shown = all.filter((each) => {
            const texts = each.contents?.filter((item) => 'text' in item) ?? [];
            return each.server === server && texts.length > 0 && parseWindowUri(each.uri).ok;
          });
          const full = shown.filter((each) => each.uri.includes('fullscreen'));
          const priority = (each: Window): number => Number(/priority=(\d+)/.exec(each.uri)?.[1] ?? 0);
          const sorted = [90, 10, 9, 0].flatMap((level) => shown.filter((each) => priority(each) === level));
          const own = arranged.filter((each) => each.server === server);
          expect(own).toEqual(full.length > 0 ? full.slice(0, 1) : sorted);
        }
        const order = arranged.map((each) => each.server);
        expect(order.filter((server, at) => server !== order[at - 1])).toHaveLength(new Set(order).size);
      }),
    );
  });
  it('leaves what it was made of as it was', () => {
    fc.assert(
      fc.property(windows, history, (all, called) => {
        const before = structuredClone([all, called]);
        organizeDesktop(all, null, called);
        expect([all, called]).toEqual(before);
      }),
    );
  });
});
