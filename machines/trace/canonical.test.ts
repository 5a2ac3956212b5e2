import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, revived, textOfRecord, Texts } from './canonical.ts';
import { redactorOf } from '../secrets/redaction.ts';
import { SecretIndex } from '../secrets/secret-index.ts';

const read = (text: string): unknown => revived(JSON.parse(text));
const again = (value: unknown): string => canonical(read(canonical(value)));

const letter = fc.constantFrom('a', 'b', '$', '0', ' ', '"', '\\', '\n', '\0', 'é', '😀', '\ud800');
/** Random field names, some of which are names that the text format uses itself. */
const name = fc.oneof(
  fc.string(),
  fc.constantFrom(...'$num $big $err $map $set $bytes $lost $list $esc __proto__ toString'.split(' ')),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, undefined, NaN, Infinity, -Infinity, -0, 0),
    fc.string({ unit: letter }),
    fc.double(),
    fc.bigInt(),
    fc.uint8Array({ maxLength: 8 }),
    fc
      .record({ message: fc.string(), code: fc.option(tie('tree'), { nil: undefined }) })
      .map(({ message, code }) => Object.assign(new TypeError(message), code === undefined ? {} : { code })),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 4 }),
    fc.array(fc.tuple(tie('tree'), tie('tree')), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc.array(tie('tree'), { maxLength: 3 }).map((values) => new Set(values)),
  ),
}));
const withoutUndefined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(fields.map(([key, inner]) => [key, withoutUndefined(inner)]));
};

describe('canonical text', () => {
  it('is valid JSON that says the same value, and is the same text when written again', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const text = canonical(value);
        expect(canonical(read(text))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives back every number, text, list and object as it was', () => {
    const plain = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, undefined, NaN, Infinity, -0),
        fc.string({ unit: letter }),
        fc.double(),
        fc.bigInt(),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(name, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).tree;
    fc.assert(
      fc.property(plain, (value) => {
        expect(read(canonical(value))).toEqual(withoutUndefined(value));
      }),
    );
  });

  it('does not depend on the order of keys', () => {
    const pairs = fc.uniqueArray(fc.tuple(name, fc.jsonValue()), { selector: ([key]) => key, maxLength: 6 });
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (entries, chance) => {
        const other = entries
          .map((entry) => ({ entry, at: chance.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at);
        const shuffled = other.map(({ entry }) => entry);
        expect(canonical(Object.fromEntries(shuffled))).toBe(canonical(Object.fromEntries(entries)));
      }),
    );
  });

  it.each([
    [{ b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
    [{ gone: undefined, there: 1 }, '{"there":1}'],
    [[undefined], '[{"$lost":"undefined"}]'],
    [[NaN, -0, Infinity], '[{"$num":"NaN"},{"$num":"-0"},{"$num":"Infinity"}]'],
    [10n, '{"$big":"10"}'],
    [new RangeError('far'), '{"$err":{"message":"far","name":"RangeError"}}'],
    [
      Object.assign(new Error('no'), { code: 'ENOENT' }),
      '{"$err":{"code":"ENOENT","message":"no","name":"Error"}}',
    ],
    [new Map([['a', 1]]), '{"$map":[["a",1]]}'],
    [new Set([1]), '{"$set":[1]}'],
    [Uint8Array.of(0, 255), '{"$bytes":"00ff"}'],
    [Object.assign(Uint8Array.of(1), { toJSON: () => 'as a Buffer has it' }), '{"$bytes":"01"}'],
    [() => {}, '{"$lost":"function"}'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [{ $num: 'mine' }, '{"$esc":{"$num":"mine"}}'],
    [{ $num: 1, other: 2 }, '{"$num":1,"other":2}'],
  ])('is for %o the text %s', (value, text) => {
    expect(canonical(value)).toBe(text);
    expect(again(value)).toBe(text);
  });

  it('takes a field that is undefined for one that is not there, also beside a word of its own', () => {
    expect(canonical({ $num: 'mine', other: undefined })).toBe('{"$esc":{"$num":"mine"}}');
    expect(read(canonical({ $num: 'mine', other: undefined }))).toEqual({ $num: 'mine' });
  });

  it('says where an object holds itself, and shows one that is only there twice', () => {
    const ring: Record<string, unknown> = { name: 'ring' };
    ring['self'] = ring;
    expect(canonical(ring)).toBe('{"name":"ring","self":{"$lost":"cycle"}}');
    expect(again(ring)).toBe(canonical(ring));
    const twice = { a: 1 };
    expect(canonical([twice, twice])).toBe('[{"a":1},{"a":1}]');
  });

  it('comes to an end, however deep a value is nested', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(canonical(deep)).toContain('{"$lost":"depth"}');
    expect(again(deep)).toBe(canonical(deep));
  });

  it('says what could not be read, and loses nothing beside it', () => {
    const hostile = {
      fine: 1,
      wild: {
        toJSON(): never {
          throw new Error('not with me');
        },
      },
    };
    expect(canonical(hostile)).toBe('{"fine":1,"wild":{"$lost":"unreadable"}}');
    const odd = Object.assign(new Error('x'), { name: undefined, message: 7 });
    expect(JSON.parse(canonical(odd))).toEqual({ $err: { message: '7', name: 'undefined' } });
  });

  it('keeps what was lost: a replay must not take a function for a field that was never there', () => {
    const text = canonical({ onDone: () => {} });
    expect(read(text)).toHaveProperty('onDone');
    expect(canonical(read(text))).toBe(text);
  });

  it('is refused when it is no value', () => {
    for (const wrong of ['{"$big":"many"}', '{"$map":3}', '{"$err":null}'])
      expect(() => read(wrong)).toThrow(Error);
  });
});

describe('a list that stands elsewhere', () => {
  const long = ['one', 'two'];
  const h = 'aa11';
  const texts = (): Texts => new Texts((text) => (text === '["one","two"]' ? h : undefined));

  it('is written by its hash wherever it is, in fields, lists, maps and deeper', () => {
    const ev = { long, in: [long, ['one']], map: new Map([['a', long]]) };
    expect(canonical({ ev }, undefined, texts())).toBe(
      '{"ev":{"in":[{"$list":"aa11"},["one"]],"long":{"$list":"aa11"},"map":{"$map":[["a",{"$list":"aa11"}]]}}}',
    );
    // A field of the record itself is never replaced by a reference to a list.
    expect(canonical({ roots: long }, undefined, texts())).toBe('{"roots":["one","two"]}');
  });
  it('is read as it was, and is the same one wherever it is', () => {
    const written: unknown = JSON.parse(canonical({ ev: { a: long, b: [long] } }, undefined, texts()));
    const { ev } = revived(written, new Map([[h, long]])) as { ev: { a: unknown; b: unknown[] } };
    expect(ev).toEqual({ a: long, b: [long] });
    expect(ev.a).toBe(ev.b[0]);
    expect(() => revived(written, new Map())).toThrow('the list aa11 is missing');
  });
  it('is told from an object that looks like a reference', () => {
    const odd = { $list: h };
    expect(canonical(odd)).toBe('{"$esc":{"$list":"aa11"}}');
    expect(revived(JSON.parse(canonical(odd)), new Map([[h, long]]))).toEqual(odd);
  });
});

describe('remembered texts', () => {
  it('change nothing of what is written, wherever an object stands', () => {
    fc.assert(
      fc.property(tree, tree, fc.boolean(), (a, b, isGiven) => {
        const record = { k: isGiven ? 'in' : 'post', a, b, again: { value: a, list: [b, a] }, token: [a] };
        const texts = new Texts();
        const redactor = () => redactorOf((text) => String(text.length));
        const [plain, remembering] = [redactor(), redactor()];
        for (let times = 0; times < 2; times++)
          expect(textOfRecord(record, remembering, texts)).toBe(textOfRecord(record, plain));
      }),
    );
  });
  it('are written again once another secret is known', () => {
    const texts = new Texts();
    const secrets = new SecretIndex();
    const redactor = redactorOf(() => 'x', secrets);
    const inner = { note: 'the word is hunter22' };
    expect(canonical({ inner }, redactor, texts)).toContain('hunter22');
    secrets.add('hunter22');
    expect(canonical({ inner }, redactor, texts)).not.toContain('hunter22');
    expect(canonical({ password: 'swordfish' }, redactor, texts)).not.toContain('swordfish');
  });
});
