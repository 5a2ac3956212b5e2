import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildWindowUri, isWindowUri, parseWindowUri, type WindowUri } from './window-uri.ts';

const read = (raw: string): WindowUri | undefined => {
  const parsed = parseWindowUri(raw);
  return parsed.ok ? parsed.uri : undefined;
};
const ruleOf = (raw: string): unknown => {
  const parsed = parseWindowUri(raw);
  return parsed.ok ? 'none' : parsed.failure.details?.['rule'];
};

describe('the scheme of a window URI', () => {
  it.each(['window://h', 'WINDOW://h'])('is window in %s', (raw) => expect(read(raw)?.host).toBe('h'));
  it.each(['http://h', 'windows://h', 'dpe://h', 'window:h', 'window:/h', 'window', '', ' window://h'])(
    'is not window in %j',
    (raw) => expect(ruleOf(raw)).toBe('scheme'),
  );
});

describe('the host of a window URI', () => {
  it.each([
    ['window://com.example.mcp', 'com.example.mcp'],
    ['window://Com.Example.MCP/a', 'com.example.mcp'],
    ['window://h:80', 'h:80'],
    ['window://a%2Fb', 'a/b'],
  ])('is read from %s as %s', (raw, host) => expect(read(raw)?.host).toBe(host));
  it.each(['window://', 'window:///a', 'window://?priority=1', 'window://#h'])('is missing in %s', (raw) =>
    expect(ruleOf(raw)).toBe('host'),
  );
});

describe('the priority of a window', () => {
  it.each([
    ['priority=0', 0],
    ['priority=100', 100],
    ['a=1&priority=7', 7],
    ['priority=%205', 5],
    ['priority=50&priority=999', 50],
  ])('is read from %s', (query, priority) => expect(read(`window://x?${query}`)).toMatchObject({ priority }));
  it.each(['-1', '101', 'abc', '', '1.5', '1_0', '1e1', '%zz', '%2B5', '٣', '99999999999999999999'])(
    'is refused when it is %j, no whole number from 0 to 100',
    (text) => expect(ruleOf(`window://x?priority=${text}`)).toBe('priority'),
  );
  it('is not there where nobody gave it', () => {
    expect(read('window://x?other=1')).toEqual({ host: 'x', path: [] });
  });
});

describe('fullscreen of a window', () => {
  it.each(['true', '1', 'yes', 'on', 'TRUE', '%20yes%20', '+Yes+'])('is yes for %s', (text) =>
    expect(read(`window://x?fullscreen=${text}`)?.fullscreen).toBe(true),
  );
  it.each(['false', '0', 'no', 'off', 'Off'])('is no for %s', (text) =>
    expect(read(`window://x?fullscreen=${text}`)?.fullscreen).toBe(false),
  );
  it.each(['maybe', '', '2', 'y', 'constructor'])('is refused when it is %j', (text) =>
    expect(ruleOf(`window://x?fullscreen=${text}`)).toBe('fullscreen'),
  );
});

describe('the segments of a window URI', () => {
  it.each([
    ['window://com.example.logger', []],
    ['window://h/', []],
    ['window://h/dashboard/main', ['dashboard', 'main']],
    ['window://com.example.editor/src%2Fmain/file%20name', ['src/main', 'file name']],
    ['window://h/A%20B/c%2Fd', ['A B', 'c/d']],
    ['window://h/a//b', ['a', '', 'b']],
    ['window://h/a/', ['a', '']],
    ['window://h//a', ['a']],
    ['window://h/a+b', ['a+b']],
    ['window://h/%E4%BD%A0', ['你']],
    ['window://h/你', ['你']],
    ['window://h/a#b/c', ['a']],
  ])('are read percent-decoded from %s', (raw, path) => expect(read(raw)?.path).toEqual(path));
  it.each(['window://h/%', 'window://h/a/%zz', 'window://h/%ff', 'window://%e4'])(
    'are refused in %s',
    (raw) => expect(ruleOf(raw)).toBe('encoding'),
  );
  it('are read whole in the examples of the protocol', () => {
    expect(read('window://com.example.browser/main/tab1?priority=80&fullscreen=true')).toEqual({
      host: 'com.example.browser',
      path: ['main', 'tab1'],
      priority: 80,
      fullscreen: true,
    });
  });
});

describe('a refused window', () => {
  it('says which URI broke which rule, in a sentence', () => {
    expect(parseWindowUri('window://x?priority=101')).toEqual({
      ok: false,
      failure: {
        code: 400,
        message: 'Invalid window URI: priority must be a whole number from 0 to 100',
        details: { uri: 'window://x?priority=101', rule: 'priority' },
      },
    });
  });
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((each) => !/\p{Surrogate}/u.test(each));
const host = text.filter((each) => each !== '').map((each) => each.toLowerCase());
const path = fc.array(text, { maxLength: 4 }).filter(([first]) => first !== '');
const windowUri: fc.Arbitrary<WindowUri> = fc.record(
  { host, path, priority: fc.nat(100), fullscreen: fc.boolean() },
  { requiredKeys: ['host', 'path'] },
);

describe('a built window', () => {
  it('is spelled in one way', () => {
    expect([
      buildWindowUri({ host: 'h', path: [] }),
      buildWindowUri({ host: 'H', path: ['A B', 'c/d', ''], priority: 0 }),
      buildWindowUri({ host: 'h', path: [], fullscreen: false, priority: 9 }),
      buildWindowUri({ host: 'h', path: ["it's(!)*"], fullscreen: true }),
    ]).toEqual([
      { ok: true, uri: 'window://h' },
      { ok: true, uri: 'window://h/A%20B/c%2Fd/?priority=0' },
      { ok: true, uri: 'window://h?priority=9&fullscreen=false' },
      { ok: true, uri: 'window://h/it%27s%28%21%29%2A?fullscreen=true' },
    ]);
  });
  it('is read as what it was built from', () => {
    fc.assert(
      fc.property(windowUri, (uri) => {
        const built = buildWindowUri(uri);
        expect(built.ok && parseWindowUri(built.uri)).toEqual({ ok: true, uri });
      }),
      { numRuns: 500 },
    );
  });
  it('is refused where no URI could say it', () => {
    const fine: WindowUri = { host: 'h', path: [] };
    const wrong: readonly [Partial<WindowUri>, string][] = [
      [{ host: '' }, 'host'],
      [{ priority: 101 }, 'priority'],
      [{ priority: -1 }, 'priority'],
      [{ priority: 1.5 }, 'priority'],
      [{ path: ['', 'a'] }, 'encoding'],
      [{ path: ['\ud800'] }, 'encoding'],
      [{ host: '\ud800' }, 'encoding'],
      [{ host: 7 as never }, 'host'],
      [{ host: undefined as never }, 'host'],
      [{ path: 'a' as never }, 'encoding'],
      [{ path: [1] as never }, 'encoding'],
      [{ priority: '5' as never }, 'priority'],
      [{ fullscreen: 'maybe' as never }, 'fullscreen'],
    ];
    expect(buildWindowUri(null as never)).toMatchObject({
      ok: false,
      failure: { details: { rule: 'host' } },
    });
    for (const [more, rule] of wrong)
      expect(buildWindowUri({ ...fine, ...more })).toMatchObject({
        ok: false,
        failure: { details: { rule } },
      });
  });
});

describe('any text', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((rest) => `window://${rest}`),
    fc.string().map((rest) => `window://h?priority=${rest}`),
    windowUri.map((uri) => {
      const built = buildWindowUri(uri);
      return built.ok ? built.uri : '';
    }),
  );
  it('is a window or has one reason why not; a window can be spelled and stays what it is', () => {
    fc.assert(
      fc.property(anything, (raw) => {
        const parsed = parseWindowUri(raw);
        expect(isWindowUri(raw)).toBe(parsed.ok);
        if (!parsed.ok) {
          expect(parsed.failure.message).toMatch(/^Invalid window URI: \w/);
          return;
        }
        const built = buildWindowUri(parsed.uri);
        expect(built.ok && parseWindowUri(built.uri)).toEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });
});
