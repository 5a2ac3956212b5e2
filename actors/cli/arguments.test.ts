import { describe, expect, it } from 'vitest';
import { argumentsFor, isArgument, readArguments, typed, typesOf, targetIn } from './arguments.ts';

const files: Readonly<Record<string, string>> = { '-': '{"from": "stdin"}', 'a.json': '{from: "file",}' };
const read = (name: string): Promise<string> => Promise.resolve(files[name] ?? '');
const given = async (words: readonly string[], schema: object = {}): Promise<object> =>
  argumentsFor(await readArguments(words, read), schema);
const schemaWith = (properties: object): object => ({ type: 'object', properties });

describe('arguments on the command line', () => {
  it.each([
    [['{"a": 1}'], { a: 1 }],
    [["{a: 'x',}"], { a: 'x' }],
    [['a=x', 'b:=[1]', '{"c": true}'], { a: 'x', b: [1], c: true }],
    [['@a.json', 'to=me'], { from: 'file', to: 'me' }],
    [['-'], { from: 'stdin' }],
    [['q=a=b', 'e='], { q: 'a=b', e: '' }],
    [['{"a": 1}', 'a=2'], { a: 2 }],
    [[], {}],
    [['__proto__=x'], JSON.parse('{"__proto__": "x"}')],
  ])('%j are one object; a later word wins', async (words, value) => {
    expect(await given(words)).toEqual(value);
  });

  it.each([
    ['text', 'a', '12', { type: 'string' }, '12'],
    ['number', 'a', '1.5', { type: 'number' }, 1.5],
    ['one of two types', 'a', '7', { type: ['string', 'integer'] }, '7'],
    ['a union', 'a', '7', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 7],
    ['nothing', 'a', 'null', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, null],
    ['boolean', 'a', 'True', { type: 'boolean' }, true],
    ['an option', 'a', '2', { enum: [1, 2] }, 2],
    ['a list of one', 'a', 'x', { type: 'array', items: { type: 'string' } }, ['x']],
    ['a list', 'a', '[1, 2]', { type: 'array' }, [1, 2]],
    ['an object', 'a', '{b: 1}', { type: 'object' }, { b: 1 }],
    ['no known type', 'a', '12', {}, 12],
    ['text where a number is wanted', 'a', 'soon', { type: 'number' }, 'soon'],
    ['a name that every object has', 'constructor', 'x', {}, 'x'],
  ])('%s: key=value has the type that the schema says', async (_what, key, text, schema, value) => {
    expect(await given([`${key}=${text}`], schemaWith(key === 'a' ? { a: schema } : {}))).toEqual({
      [key]: value,
    });
  });

  it('that repeat a key make a list where the schema wants one, and else the last one counts', async () => {
    const schema = schemaWith({
      tags: { type: 'array', items: { type: 'integer' } },
      one: { type: 'string' },
    });
    expect(await given(['tags=1', 'tags=2', 'one=a', 'one=b'], schema)).toEqual({ tags: [1, 2], one: 'b' });
  });

  it.each([['{"a": '], ['[1]'], ['"x"'], ['a:=x y'], ['hello'], ['null']])(
    '%s is none, and the error says how one is written',
    async (word) => {
      await expect(readArguments([word], read)).rejects.toMatchObject({
        code: 400,
        remedy: expect.stringContaining('='),
      });
    },
  );

  it('are told from names', () => {
    for (const word of ['{}', '[1]', '-', '@f', 'a=b', 'a:=1']) expect(isArgument(word)).toBe(true);
    for (const word of ['read_file', 'files.read', '--', 'a:b', '=b']) expect(isArgument(word)).toBe(false);
  });
});

describe('types of a schema', () => {
  it('are those of all its alternatives', () => {
    expect(typesOf({ anyOf: [{ type: 'string' }, { enum: [1, null] }] })).toEqual([
      'string',
      'number',
      'null',
    ]);
    expect(typesOf({ const: 'x' })).toEqual(['string']);
    expect(typesOf({})).toEqual([]);
    expect(typed('{broken', { type: 'object' })).toBe('{broken');
  });
});

describe('the words of a call', () => {
  const servers = ['files', 'a.b', 'a'];
  it.each([
    [['read', 'x=1'], { tool: 'read' }, ['x=1']],
    [['files.read'], { server: 'files', tool: 'read' }, []],
    [['files', 'read', '{}'], { server: 'files', tool: 'read' }, ['{}']],
    [['files', 'x=1'], { tool: 'files' }, ['x=1']],
    [['a.b.c'], { server: 'a.b', tool: 'c' }, []],
    [['other.read'], { tool: 'other.read' }, []],
    [['files.'], { tool: 'files.' }, []],
    [['other', 'read'], { tool: 'other' }, ['read']],
  ])('%j: which tool of which server, and the rest', (words, target, rest) => {
    expect(targetIn(words, servers)).toEqual({ target, rest });
  });
});
