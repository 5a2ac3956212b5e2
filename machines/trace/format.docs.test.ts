import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { canonical, Later, revived, textOfRecord, Texts } from './canonical.ts';
import { headSchema, recordSchema, tailSchema, traceFormat } from './format.ts';
import { readTrace } from './reading.ts';

const page = readFileSync(new URL('../../docs/trace-format.md', import.meta.url), 'utf8');

type Shape = Readonly<Record<string, z.ZodType>>;
const schemas: readonly z.ZodObject[] = [headSchema, ...recordSchema.options, tailSchema];
const kindOf = ({ shape }: z.ZodObject): string => String((shape['k'] as z.ZodLiteral).value);
const kinds = new Map(schemas.map((schema) => [kindOf(schema), schema]));
const schemaOf = (kind: string): z.ZodObject => kinds.get(kind) as z.ZodObject;
/** Fields in the tables for all lines and for all crossings, which other tables do not repeat. */
const placed = new Set(['s', 't', 'k']);
const crossing = new Set(['w', 'ch', 'a', 'req']);
const isCrossing = (kind: string): boolean => 'ch' in schemaOf(kind).shape;
/** Kinds of lines that a replay ignores; each has a row in one table instead of a heading of its own. */
const explanation = ['post', 'open', 'end', 'timer', 'step'];
const promised = [...kinds.keys()].filter((kind) => !explanation.includes(kind));

const code = (word: string): string => `\`${word}\``;
/** Type of a field in the words of docs/trace-format.md. */
function typeOf(schema: z.ZodType): string {
  const { type } = schema.def;
  if (type === 'optional' || type === 'nullable') {
    const inner = typeOf((schema as z.ZodOptional<z.ZodType>).unwrap());
    return type === 'nullable' ? `${inner} or null` : inner;
  }
  if (type === 'enum') return (schema as z.ZodEnum).options.map((word) => code(String(word))).join(' ');
  if (type === 'number') return (schema as z.ZodNumber).isInt ? 'integer' : 'number';
  if (type === 'object') return shapeWord(Object.keys((schema as z.ZodObject).shape));
  const words: Readonly<Record<string, string>> = {
    ...{ string: 'text', array: 'list', record: 'object', boolean: 'boolean' },
    // A custom type is a number that may be infinite.
    custom: 'number',
  };
  return words[type] ?? 'value';
}
const shapes: Readonly<Record<string, readonly string[]>> = {
  event: ['type'],
  letter: ['to', 'event'],
  thrown: ['name', 'message'],
};
const shapeWord = (keys: readonly string[]): string =>
  Object.keys(shapes).find((word) => shapes[word]?.join() === keys.join()) ?? 'object';

const sectionOf = (heading: string): string => {
  const [, after = ''] = page.split(`\n${heading}`);
  return after.split(/\n##/)[0] as string;
};
const rowsOf = (section: string, first: string): string[][] =>
  section
    .split('\n\n')
    .filter((block) => block.startsWith(`| ${first} |`))
    .flatMap((table) =>
      table
        .split('\n')
        .slice(2)
        .filter((row) => row.startsWith('|'))
        .map((row) => row.split('|').map((cell) => cell.trim()))
        .map((cells) => cells.slice(1, -1)),
    );
const blocksOf = (section: string, language: string): string[] =>
  [...section.matchAll(new RegExp(`\n\`\`\`${language}\n(.*?)\n\`\`\``, 'gs'))].map(([, text = '']) => text);

const rowOf = ([name, schema]: [string, z.ZodType]): string[] => {
  const isOptional = schema.safeParse(undefined).success;
  return [code(name), typeOf(schema), isOptional ? 'no' : 'yes'];
};

describe('docs/trace-format.md', () => {
  it('names the format, and each kind under a heading of its own', () => {
    expect(page.split('\n')[0]).toBe(`# The trace format: \`${traceFormat}\``);
    const told = [
      ...sectionOf('## Kinds')
        .concat(page)
        .matchAll(/\n### `(\w+)`/g),
    ].map(([, kind]) => kind);
    expect(told).toEqual(promised);
  });

  it('has the fields of each kind of the explanation', () => {
    const fieldsOf = (kind: string): string =>
      Object.entries(schemaOf(kind).shape as Shape)
        .filter(([name]) => !placed.has(name))
        .map(([name, schema]) => code(schema.safeParse(undefined).success ? `${name}?` : name))
        .join(' ');
    const rows = rowsOf(sectionOf('## Explanation'), 'kind').map((row) => row.slice(0, 2));
    expect(rows).toEqual(explanation.map((kind) => [code(kind), fieldsOf(kind)]));
  });

  it.each(promised)('has a row for every field of %s, and no other', (kind) => {
    const { shape } = schemaOf(kind);
    const fields = Object.entries(shape as Shape).filter(
      ([name]) => !placed.has(name) && !(isCrossing(kind) && crossing.has(name)),
    );
    const rows = rowsOf(sectionOf(`### \`${kind}\``), 'field').map((row) => row.slice(0, 3).join(' | '));
    expect(rows.toSorted()).toEqual(fields.map((field) => rowOf(field).join(' | ')).toSorted());
  });

  it('tells what every line begins with', () => {
    const rows = rowsOf(sectionOf('## Container'), 'field').map(([name, type]) => [name, type]);
    const of = (name: string) => typeOf(recordSchema.options[0].shape[name as 's']);
    expect(rows).toEqual([
      ['`s`', of('s')],
      ['`t`', of('t')],
      ['`w`', of('w')],
      ['`k`', 'text'],
    ]);
  });

  it('tells the shapes that several kinds use, and every door of an input', () => {
    const rows = rowsOf(sectionOf('## Kinds'), 'shape');
    expect(rows.map(([shape]) => shape)).toEqual(Object.keys(shapes));
    for (const [shape = '', has = ''] of rows)
      for (const key of shapes[shape] ?? []) expect(has).toContain(code(key));
    const doors = rowsOf(sectionOf('### `in`'), '`via`').map(([via]) => via);
    const via = (schemaOf('in').shape as Shape)['via'] as z.ZodType;
    expect(doors.join(' ')).toBe(typeOf(via));
    const shared = Object.entries(schemaOf('in').shape as Shape).filter(([name]) => crossing.has(name));
    expect(rowsOf(sectionOf('## Kinds'), 'of a crossing').map((row) => row.slice(0, 3))).toEqual(
      shared.map(rowOf),
    );
  });

  it('tells the profiles', () => {
    const told = rowsOf(sectionOf('## Profiles'), 'profile').map(([profile]) => profile);
    expect(told.join(' ')).toBe(typeOf(headSchema.shape.profile));
  });

  it('shows a real line of every record, and each of them reads', () => {
    for (const kind of promised) {
      const examples = blocksOf(sectionOf(`### \`${kind}\``), 'json').flatMap((block) => block.split('\n'));
      if (kind !== 'head') expect(examples.length, kind).toBeGreaterThan(0);
      for (const line of examples) {
        const value: unknown = JSON.parse(line);
        expect(schemaOf(kind).safeParse(value).error).toBeUndefined();
        // The schema knows every field of the example, and a recorder would write the same text.
        expect(Object.keys(value as object).filter((key) => !(key in schemaOf(kind).shape))).toEqual([]);
        const {
          s: _s,
          t: _t,
          w,
          ch,
          ...rest
        } = value as { s: number; t: number; k: string; ch?: string; w?: number };
        // A reference to a list must not be escaped like an object that looks like one.
        const text = textOfRecord(rest).replaceAll(/\{"\$esc":(\{"\$list":"\w+"\})\}/g, '$1');
        const named = ch === undefined ? text : `{"ch":${JSON.stringify(ch)},${text.slice(1)}`;
        expect(line.endsWith(w === undefined ? named.slice(1) : `"w":${w},${named.slice(1)}`), line).toBe(
          true,
        );
      }
    }
  });

  it('shows a whole trace that reads', () => {
    const [whole = ''] = blocksOf(sectionOf('## Container'), 'json trace');
    const read = readTrace(`${whole}\n`);
    expect(read).toMatchObject({
      ok: true,
      trace: { isTorn: false, tail: { reason: 'closed', records: 7 } },
    });
    // A host that is killed leaves a torn last line.
    expect(readTrace(whole.slice(0, -9))).toMatchObject({
      ok: true,
      trace: { isTorn: true, tail: undefined, lines: { length: 7 } },
    });
  });

  it('shows each word of canonical values as it is written and read', () => {
    const values: Readonly<Record<string, unknown>> = {
      $num: -0,
      $big: 12_345_678_901_234_567_890n,
      $err: new TypeError('no'),
      $map: new Map([['a', 1]]),
      $set: new Set([1, 2]),
      $bytes: Uint8Array.of(0, 255),
      $lost: () => {},
      $later: new Later(7, 200),
      $esc: { $num: 'mine' },
    };
    const rows = rowsOf(sectionOf('## Canonical values'), 'key').map(([key, , example]) => [key, example]);
    const h = '214b9ad32c4e8fd6';
    const { ev } = JSON.parse(canonical({ ev: { list: ['x'] } }, undefined, new Texts(() => h))) as {
      ev: { list: object };
    };
    const list = code(JSON.stringify(ev.list));
    expect(rows.filter(([key]) => key === code('$list'))).toEqual([[code('$list'), list]]);
    expect(rows.filter(([key]) => key !== code('$list'))).toEqual(
      Object.entries(values).map(([key, value]) => [code(key), code(canonical(value))]),
    );
    // A value has the same text after it was read and written again.
    for (const value of Object.values(values))
      expect(canonical(revived(JSON.parse(canonical(value))))).toBe(canonical(value));
  });
});
