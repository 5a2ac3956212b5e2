import { describe, expect, it } from 'vitest';
import { readElicitation, withDefaults, readSampling } from './lenient.ts';

const nobody = (): void => {};
const fieldOf = (field: unknown): unknown => {
  const requestedSchema = { type: 'object', properties: { a: field } };
  const params = readElicitation({ message: 'm', requestedSchema }, nobody);
  return (params as unknown as { requestedSchema: { properties: { a: unknown } } }).requestedSchema.properties
    .a;
};

describe('a field of a form', () => {
  const orNull = { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null };
  it.each<readonly [what: string, field: unknown, read: object]>([
    ['null as a branch', orNull, { type: 'integer' }],
    ['null for what it lacks', { type: 'string', title: null, minLength: null }, { type: 'string' }],
    ['no object', true, {}],
  ])('is asked for as well as can be, with %s', (_what, field, read) => {
    expect(fieldOf(field)).toEqual(read);
  });
  it.each([
    { type: 'string', title: 'A', minLength: 1, format: 'email', default: 'a@b.c' },
    { type: 'string', anyOf: [{ const: 'r' }, { const: 'g' }] },
    { type: 'array', items: { anyOf: [{ const: 'r', title: 'Red' }] } },
  ])('stays as its server wrote it: %j', (field) => {
    expect(fieldOf(field)).toEqual(field);
  });
});

describe('a form', () => {
  const of = (requestedSchema: unknown) => ({ message: 'm', requestedSchema });
  const empty = { requestedSchema: { properties: {} } };
  const url = 'https://a.example/';
  it.each<readonly [what: string, params: unknown, read: object]>([
    ['no schema', { message: 'm' }, { message: 'm', ...empty }],
    ['no properties', of({ type: 'object' }), empty],
    ['an empty list of properties', of({ properties: [] }), empty],
    ['required null', of({ properties: {}, required: null }), empty],
    ['no message', { requestedSchema: { properties: {} } }, { message: '' }],
    ['no params', null, { message: '', ...empty }],
    ['a URL and no mode', { message: 'm', url }, { mode: 'url', url }],
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
  const messages = [{ role: 'user', content: { type: 'text', text: 'hi' } }];
  it('a question for a model is passed on as its server wrote it, without null for what it lacks and without a task', () => {
    const asked = { messages, maxTokens: 1, temperature: 0.5, systemPrompt: null, task: { ttl: 1 } };
    expect(readSampling(asked)).toEqual({ messages, maxTokens: 1, temperature: 0.5 });
  });
  it('is refused without messages, by their name', () => {
    expect(() => readSampling({ maxTokens: 1 })).toThrow('messages is missing');
  });
});
