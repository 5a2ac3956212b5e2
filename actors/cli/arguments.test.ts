import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentsFor, isArgument, readArguments, typed, typesOf, targetIn } from './arguments.ts';

const files = { '-': '{"from": "stdin"}', 'a.json': '{from: "file",}', 'a.txt': 'the\ntext' };
const read = async (name: string): Promise<string> => files[name as keyof typeof files];
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
    [['f@=x/../a.pdf', 'to=@a.txt'], { f: resolve('a.pdf'), to: 'the\ntext' }],
    [['to=@-', 'at=@'], { to: { from: 'stdin' }, at: '@' }],
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
  ])('have the type that the schema says as key=value: %s', async (_what, key, text, schema, value) => {
    const tool = schemaWith(key === 'a' ? { a: schema } : {});
    expect(await given([`${key}=${text}`], tool)).toEqual({ [key]: value });
  });

  it('make a list of a key that repeats where the schema wants one, and else the last one counts', async () => {
    const tags = { type: 'array', items: { type: 'integer' } };
    const schema = schemaWith({ tags, one: { type: 'string' } });
    expect(await given(['tags=1', 'tags=2', 'one=a', 'one=b'], schema)).toEqual({ tags: [1, 2], one: 'b' });
  });

  const add = schemaWith({ a: { type: 'number' }, b: { type: 'number' }, tags: { type: 'array' } });
  const text = { type: 'string' };
  const user = schemaWith({
    maxResults: { type: 'integer' },
    dry_run: { type: 'boolean' },
    url: text,
    'a.b': text,
  });
  const open = { ...user, additionalProperties: true };
  it.each([
    ['in the order of the schema', ['1', '2'], add, { a: 1, b: 2 }],
    ['in order, where one has its name', ['2', 'a=1'], add, { a: 1, b: 2 }],
    ['in order, the rest in a list at the end', ['1', '2', 'x', '3'], add, { a: 1, b: 2, tags: ['x', 3] }],
    ['negative', ['-1', '-.5'], add, { a: -1, b: -0.5 }],
    ['lists', ['a=1', 'b=2', '[1, 2]'], add, { a: 1, b: 2, tags: [1, 2] }],
    ['a list of files', ['a=1', 'tags@=x', 'tags@=y'], add, { a: 1, tags: [resolve('x'), resolve('y')] }],
    ['options', ['--a', '1', '--b=2'], add, { a: 1, b: 2 }],
    ['options that begin with a minus', ['--a', '-1', '--b', '--2'], add, { a: -1, b: '--2' }],
    [
      'options as shells spell them',
      ['--max-results', '3', '--dry-run'],
      user,
      { maxResults: 3, dry_run: true },
    ],
    ['options that are off', ['--no-dry-run', '--url', 'b=2'], user, { dry_run: false, url: 'b=2' }],
    ['options with a value of their own', ['--dry-run', 'false'], user, { dry_run: false }],
    ['with a dot in their name', ['a.b=x', 'c.d=1'], open, { 'a.b': 'x', 'c.d': 1 }],
    ['that would change the prototype', ['user.__proto__=x'], {}, { 'user.__proto__': 'x' }],
  ])('have the type that the schema says: %s', async (_what, words, schema, value) => {
    expect(await given(words, schema)).toEqual(value);
  });

  it.each([
    [['{"a": '], 'not JSON'],
    [['a:=x y'], 'not JSON'],
    [['-x'], "unknown option '-x'"],
    [['1', '2', '3', '4'], undefined],
    [['--c', '1'], "unknown option '--c'"],
    [['a=1', 'c=1'], "'c' is not an argument of the tool"],
    [['a=1', 'c:=1'], "'c' is not an argument of the tool"],
    [['--a'], '--a needs a value'],
  ])('are told with what is written instead where there is a mistake: %j', async (words, message) => {
    const read = given(words, add);
    if (message === undefined) await expect(read).resolves.toEqual({ a: 1, b: 2, tags: [3, 4] });
    else
      await expect(read).rejects.toMatchObject({
        code: 'BadRequest',
        message: expect.stringContaining(message),
        remedy: expect.stringMatching(/=|--/),
      });
  });
  it('refuse a key that the tool does not name with the nearest, unless the tool takes any, or it is JSON', async () => {
    const schema = schemaWith({ path: {}, head: {} });
    await expect(given(['pth=a'], schema)).rejects.toMatchObject({
      message: "'pth' is not an argument of the tool",
      remedy: 'Did you mean path=…?',
    });
    expect(await given(['{"pth": "a"}'], schema)).toEqual({ pth: 'a' });
    for (const open of [{ additionalProperties: true }, { anyOf: [{}] }, { properties: {} }])
      expect(await given(['pth=a'], { ...schema, ...open })).toEqual({ pth: 'a' });
  });
  it('refuse one value too many', async () => {
    await expect(given(['x', 'y'], schemaWith({ a: {} }))).rejects.toMatchObject({
      message: "'y' is not an argument: the tool has no parameter left for it",
    });
  });

  it('are told from names', () => {
    for (const word of ['{}', '[1]', '-', '@f', 'a=b', 'a:=1', '--a', '-1'])
      expect(isArgument(word)).toBe(true);
    for (const word of ['read_file', 'files.read', 'a:b', '=b', '1']) expect(isArgument(word)).toBe(false);
  });
});

describe('types of a schema', () => {
  it('are those of all its alternatives', () => {
    const all = ['string', 'number', 'null'];
    expect(typesOf({ anyOf: [{ type: 'string' }, { enum: [1, null] }] })).toEqual(all);
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
    [['files/read'], { server: 'files', tool: 'read' }, []],
    [['other.read'], { tool: 'other.read' }, []],
    [['files.'], { tool: 'files.' }, []],
    [['other', 'read'], { tool: 'other' }, ['read']],
    [['add', '1', '2'], { tool: 'add' }, ['1', '2']],
  ])('say which tool of which server it is, and the rest: %j', (words, target, rest) => {
    expect(targetIn(words, servers)).toEqual({ target, rest });
  });
});
