import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excessBytes, mostLevels } from '../../protocol/json.ts';
import { excessOf, truncateTo } from './truncate.ts';

type Json = Readonly<Record<string, unknown>>;
interface Truncated {
  readonly content: readonly Json[];
  readonly isError?: true;
  readonly meta: Json & { readonly a2c_cut: Json };
}
const truncate = (result: unknown, limit = 1024, handle = 'fs/r1'): Truncated =>
  truncateTo(result, limit, handle) as Truncated;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const texts = ({ content }: Truncated): unknown[] => content.map(({ text }) => text);
const long = 'x'.repeat(5_000);

const text = fc
  .array(fc.constantFrom('a', '"', '\u0000', 'é', '工', '😀'), { maxLength: 40 })
  .chain((some) => fc.integer({ min: 0, max: 60 }).map((times) => some.join('').repeat(times)));
const small = fc.jsonValue({ maxDepth: 2 });
const item = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({ type: fc.constant('text'), text, annotations: fc.dictionary(fc.string(), text) }),
  fc.record({ type: fc.constant('image'), data: text, mimeType: text }),
  fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: text, text }) }),
  fc.record({
    type: fc.constant('resource'),
    resource: fc.record({ uri: text, blob: text, mimeType: small }),
  }),
  fc.record({ type: text, uri: text }),
  small,
);
const result = fc.record(
  {
    content: fc.array(item, { maxLength: 60 }),
    isError: fc.boolean(),
    structuredContent: small,
    meta: fc.dictionary(fc.string(), text),
  },
  { requiredKeys: [] },
);

describe('a result that is too large', () => {
  it('has at most as many bytes as it may have, whatever is in it', () => {
    fc.assert(
      fc.property(fc.oneof(result, small), fc.integer({ min: 1024, max: 9_000 }), (given, limit) => {
        const cached = truncateTo(given, limit, 'server/req-1');
        expect(bytesOf(cached)).toBeLessThanOrEqual(limit);
        // The size check that all other code uses must agree.
        expect(excessBytes(cached, limit)).toBeUndefined();
      }),
    );
  });

  it('keeps the beginning of what its server said, item by item, in its order', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 60 }), (content) => {
        const whole = { content };
        const cached = truncate(whole);
        if ((cached as unknown) === whole) return;
        for (const [n, said] of texts(cached).slice(1).entries()) {
          const beginning = String(said).replace(/… \[\d+ characters cut\]$/, '');
          const isRest = /^\[a2c\] \d+ more items were cut$/.test(beginning) || beginning === '[text: cut]';
          expect(isRest || content[n]?.text.startsWith(beginning)).toBe(true);
        }
      }),
    );
  });

  it('says so to the model first, and to programs under meta.a2c_cut, with the name of the whole', () => {
    const whole = { content: [{ type: 'text', text: long }], isError: true, structuredContent: { long } };
    const cached = truncate(whole);
    const bytes = bytesOf(whole);
    expect(cached.content[0]?.['text']).toContain(`has ${bytes} bytes; at most 1024`);
    expect(cached.content[0]?.['text']).toContain(`'fs/r1'`);
    expect(cached.meta.a2c_cut).toEqual({ bytes, limit_bytes: 1024, handle: 'fs/r1' });
    expect([cached.isError, Object.hasOwn(cached, 'structuredContent')]).toEqual([true, false]);
    expect(texts(cached)[1]).toMatch(/^x{200,}… \[\d+ characters cut\]$/);
  });

  it('names an image or a blob instead of cutting it in half, and keeps what is small behind it', () => {
    const content = [
      { type: 'image', data: long, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'note://1', blob: long } },
      { type: 'text', text: 'small' },
    ];
    expect(texts(truncate({ content })).slice(1)).toEqual([
      '[image image/png: cut]',
      '[resource note://1: cut]',
      'small',
    ]);
  });

  it('shortens the text of a resource, which keeps its URI', () => {
    const content = [{ type: 'resource', resource: { uri: 'note://1', text: long } }];
    const [, cached] = truncate({ content }).content;
    expect(cached?.['resource']).toMatchObject({
      uri: 'note://1',
      text: expect.stringMatching(/^x+… \[\d+ char/),
    });
  });

  it('is looked at once, with what is made of it', () => {
    const content = [{ type: 'text', text: 'ä'.repeat(1_000_000) }];
    let reads = 0;
    for (const item of content) {
      const { text } = item;
      Object.defineProperty(item, 'text', { enumerable: true, get: () => ((reads += 1), text) });
    }
    const whole = { content };
    expect(excessOf(whole, 1024)).toBe(bytesOf(whole));
    reads = 0;
    expect(excessOf({ ...whole, meta: {} }, 1024)).toBe(bytesOf(whole) + ',"meta":{}'.length);
    expect(reads).toBeLessThan(3);
  });

  it('never cuts a character in two', () => {
    for (let n = 0; n < 8; n += 1) {
      const content = [{ type: 'text', text: `${'a'.repeat(n)}${'😀'.repeat(2_000)}` }];
      const [, said] = texts(truncate({ content }));
      // `encodeURIComponent` throws if a character was cut in two.
      expect(() => encodeURIComponent(String(said))).not.toThrow();
    }
  });

  it('says how many items are missing when not even their names fit', () => {
    const content = Array.from({ length: 500 }, () => ({ type: 'text', text: 'twenty characters, so' }));
    const cached = texts(truncate({ content }));
    expect(cached.at(-1)).toBe(`[a2c] ${500 - (cached.length - 2)} more items were cut`);
  });

  it('keeps meta that is small, wherever its server put it, and of the rest drops the largest first', () => {
    const content = [{ type: 'text', text: long }];
    expect(truncate({ content, _meta: { a: 1 }, meta: { b: 2 } }).meta).toMatchObject({ a: 1, b: 2 });
    const { a2c_cut, ...rest } = truncate({
      content,
      meta: { long, a: 1, longer: [long], b: { c: 2 } },
    }).meta;
    expect(rest).toEqual({ a: 1, b: { c: 2 }, a2c_warnings: ['Cut from meta: 2 of 4 members'] });
    expect(a2c_cut).toHaveProperty('handle');
  });

  it('keeps the warnings that stood there, unless it is they that are large', () => {
    const content = [{ type: 'text', text: long }];
    const warningsIn = (meta: Json): unknown => truncate({ content, meta }).meta['a2c_warnings'];
    expect(warningsIn({ long, a2c_warnings: ['slow'] })).toEqual(['slow', 'Cut from meta: 1 of 2 members']);
    expect(warningsIn({ a2c_warnings: [long], a: 1 })).toEqual(['Cut from meta: 1 of 2 members']);
    expect(warningsIn({ a2c_warnings: ['slow'] })).toEqual(['slow']);
  });

  it('has none of what is nested too deep, and names no whole, for nobody can keep it', () => {
    const deep = Array.from({ length: mostLevels + 1 }).reduce<unknown>((inner) => [inner], 1);
    const hello = { type: 'text', text: 'hello' };
    const given = {
      content: [hello, { type: 'resource', resource: { uri: 'u://1', deep } }],
      meta: { a: 1, deep },
    };
    for (const whole of [given, { ...given, structuredContent: { deep } }]) {
      const cached = truncate(whole, 4096);
      expect(texts(cached)).toEqual([
        '[a2c] This result is nested too deep; at most 500 levels are passed on. What is missing was cut, and nobody keeps the whole.',
        'hello',
        '[resource u://1: cut]',
      ]);
      expect(cached.meta).toEqual({
        a: 1,
        a2c_warnings: ['Cut from meta: 1 of 2 members'],
        a2c_cut: { limit_levels: mostLevels },
      });
    }
  });

  it('takes no more than its notice when nothing else fits: a name that long is not cut', () => {
    const handle = `fs/${'r'.repeat(2_000)}`;
    const cached = truncate({ content: [{ type: 'text', text: long }] }, 1024, handle);
    expect([cached.content.length, cached.meta.a2c_cut['handle']]).toEqual([1, handle]);
  });
});

describe('a result that is small enough', () => {
  it('stays the same object', () => {
    const whole = { content: [{ type: 'text', text: 'x' }], structuredContent: {} };
    expect(truncateTo(whole, 1024, 'fs/r1')).toBe(whole);
  });
});
