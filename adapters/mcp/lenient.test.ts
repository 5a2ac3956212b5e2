import { describe, expect, it } from 'vitest';
import { readElicitation, withDefaults, readSampling } from './lenient.ts';

const nobody = (): void => {};
const colours = [
  { const: 'r', title: 'Red' },
  { const: 'g', title: 'Green' },
];
const pydantic = { Colour: { title: 'Colour', type: 'string', enum: ['r', 'g'] } };
const fieldOf = (field: unknown, more: object = {}, tell: (what: string) => void = nobody): unknown => {
  const requestedSchema = { type: 'object', properties: { a: field }, ...more };
  const params = readElicitation({ message: 'm', requestedSchema }, tell);
  return (params as unknown as { requestedSchema: { properties: { a: unknown } } }).requestedSchema.properties
    .a;
};

describe('a field of a form', () => {
  const text = { type: 'string' };
  it.each<readonly [what: string, field: unknown, read: object]>([
    ['choices without a type', { oneOf: colours }, { type: 'string', oneOf: colours }],
    ['choices as anyOf', { type: 'string', anyOf: colours }, { type: 'string', oneOf: colours }],
    [
      'a choice without a title',
      { oneOf: [{ const: 'r' }] },
      { type: 'string', oneOf: [{ const: 'r', title: 'r' }] },
    ],
    [
      'choices that are numbers',
      { oneOf: [{ const: 1 }] },
      { type: 'number', oneOf: [{ const: 1, title: '1' }] },
    ],
    ['an enum without a type', { enum: ['r', null] }, { type: 'string', enum: ['r'] }],
    ['one constant', { const: 'r' }, { const: 'r', type: 'string', enum: ['r'] }],
    [
      'null as a branch',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null },
      { type: 'integer' },
    ],
    ['null as a choice', { oneOf: [...colours, { const: null }] }, { type: 'string', oneOf: colours }],
    ['null as a type', { type: ['string', 'null'] }, text],
    ['a type in capitals', { type: 'String' }, text],
    ['a reference', { $ref: '#/$defs/Colour' }, { title: 'Colour', type: 'string', enum: ['r', 'g'] }],
    [
      'a reference that may be null',
      { anyOf: [{ $ref: '#/$defs/Colour' }, { type: 'null' }] },
      { title: 'Colour', type: 'string', enum: ['r', 'g'] },
    ],
    [
      'a reference as allOf',
      { allOf: [{ $ref: '#/$defs/Colour' }], title: 'Mine' },
      { title: 'Mine', type: 'string', enum: ['r', 'g'] },
    ],
    ['a reference to nothing', { $ref: '#/$defs/None' }, text],
    [
      'null for what it lacks',
      { ...text, title: null, description: null, format: null, minLength: null },
      text,
    ],
    ['a format that nobody knows', { ...text, format: 'phone' }, text],
    ['a title that is no text', { ...text, title: 5 }, text],
    [
      'a limit that is no number',
      { type: 'integer', minimum: '1', maximum: 5 },
      { type: 'integer', maximum: 5 },
    ],
    ['a default of another type', { type: 'integer', default: 'x' }, { type: 'integer' }],
    ['a type that nobody knows', { type: 'phone' }, text],
    ['no type', {}, text],
    ['no object', true, text],
    [
      'items without a type',
      { type: 'array', items: { enum: ['r'] } },
      { type: 'array', items: { type: 'string', enum: ['r'] } },
    ],
    [
      'titled items',
      { type: 'array', items: { oneOf: colours } },
      { type: 'array', items: { anyOf: colours } },
    ],
    ['fields of its own', { properties: { b: text } }, { type: 'object', properties: { b: text } }],
  ])('is asked for as well as can be, with %s', (_what, field, read) => {
    expect(fieldOf(field, { $defs: pydantic })).toEqual(read);
  });
  it.each([
    { type: 'string', title: 'A', minLength: 1, format: 'email', default: 'a@b.c' },
    { type: 'integer', minimum: 0, exclusiveMinimum: 0 },
    { type: 'boolean', default: true },
    { type: 'string', enum: ['x'], enumNames: ['X'] },
    { type: 'string', oneOf: colours, default: 'r' },
    { type: 'array', items: { type: 'string', enum: ['x'] }, default: ['x'] },
    { type: 'array', items: { anyOf: colours } },
  ])('stays as it is where it is right: %j', (field) => {
    const told: string[] = [];
    expect(fieldOf(field, {}, (what) => told.push(what))).toEqual(field);
    expect(told).toEqual([]);
  });
  it('is told by its name when it is guessed', () => {
    const told: string[] = [];
    fieldOf({ type: 'phone' }, {}, (what) => told.push(what));
    expect(told).toEqual(['elicitation/create: field "a" has no type of a field, and is read as string']);
  });
});

describe('a form', () => {
  it.each<readonly [what: string, params: unknown, read: object]>([
    ['no schema', { message: 'm' }, { message: 'm', requestedSchema: { properties: {} } }],
    [
      'no properties',
      { message: 'm', requestedSchema: { type: 'object' } },
      { requestedSchema: { properties: {} } },
    ],
    [
      'an empty list of properties',
      { message: 'm', requestedSchema: { properties: [] } },
      { requestedSchema: { properties: {} } },
    ],
    [
      'required null',
      { message: 'm', requestedSchema: { properties: {}, required: null } },
      { requestedSchema: { properties: {} } },
    ],
    ['no message', { requestedSchema: { properties: {} } }, { message: '' }],
    ['no params', null, { message: '', requestedSchema: { properties: {} } }],
    [
      'a URL and no mode',
      { message: 'm', url: 'https://a.example/' },
      { mode: 'url', url: 'https://a.example/' },
    ],
  ])('is shown to a person, with %s', (_what, params, read) => {
    expect(readElicitation(params, nobody)).toMatchObject(read);
  });
  it('has defaults for what a person left out', () => {
    const requestedSchema = {
      type: 'object',
      properties: { a: { type: 'string', default: 'x' }, b: { type: 'string' } },
    };
    const params = readElicitation({ message: 'm', requestedSchema }, nobody);
    expect(withDefaults({}, params)).toEqual({ a: 'x' });
    expect(withDefaults({ a: 'y' }, params)).toEqual({ a: 'y' });
  });
});

describe('a question for a model', () => {
  const said = { type: 'text', text: 'hi' };
  const messages = [{ role: 'user', content: said }];
  it.each<readonly [what: string, params: object, read: object]>([
    [
      'null for what it lacks',
      {
        messages,
        maxTokens: 1,
        systemPrompt: null,
        temperature: null,
        stopSequences: null,
        metadata: null,
        modelPreferences: null,
        includeContext: null,
        tools: null,
        toolChoice: null,
        _meta: null,
        task: null,
      },
      { messages, maxTokens: 1 },
    ],
    [
      'null within a message',
      {
        messages: [{ role: 'user', content: { ...said, annotations: null, _meta: null }, _meta: null }],
        maxTokens: 1,
      },
      { messages, maxTokens: 1 },
    ],
    [
      'text for a content',
      { messages: [{ role: 'user', content: 'hi' }], maxTokens: 1 },
      { messages, maxTokens: 1 },
    ],
    [
      'text within a list',
      { messages: [{ role: 'user', content: ['hi'] }], maxTokens: 1 },
      { messages: [{ role: 'user', content: [said] }], maxTokens: 1 },
    ],
    ['text for a message', { messages: ['hi'], maxTokens: 1 }, { messages, maxTokens: 1 }],
    [
      'a role that is none',
      { messages: [{ role: 'human', content: said }], maxTokens: 1 },
      { messages, maxTokens: 1 },
    ],
    [
      'a message of the system',
      {
        messages: [{ role: 'system', content: 'be kind' }, ...messages],
        maxTokens: 1,
        systemPrompt: 'be short',
      },
      { messages, maxTokens: 1, systemPrompt: 'be short\n\nbe kind' },
    ],
    ['no maxTokens', { messages }, { messages, maxTokens: 4_096 }],
    ['maxTokens as text', { messages, maxTokens: '10' }, { messages, maxTokens: 10 }],
    [
      'preferences with null',
      { messages, maxTokens: 1, modelPreferences: { hints: [{ name: 'x' }], costPriority: null } },
      { messages, maxTokens: 1, modelPreferences: { hints: [{ name: 'x' }] } },
    ],
    [
      'what is not as MCP has it',
      { messages, maxTokens: 1, temperature: 'hot', stopSequences: 'x', tools: {} },
      { messages, maxTokens: 1 },
    ],
  ])('is asked, with %s', (_what, params, read) => {
    expect(readSampling(params, nobody)).toEqual(read);
  });
  it('is refused without messages, by their name', () => {
    expect(() => readSampling({ maxTokens: 1 }, nobody)).toThrow('messages is missing');
  });
});
