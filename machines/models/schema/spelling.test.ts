import { describe, expect, it } from 'vitest';
import { parametersOf } from '../index.ts';
import { geminiOf, openaiOf, withProperty } from './converted.given.ts';

const $defs = { A: { type: 'object', properties: { a: { type: 'string' } } } };
const A = { type: 'OBJECT', properties: { a: { type: 'STRING' } }, nullable: true };
const defined = (p: object) => parametersOf(withProperty(p, { $defs })).properties['p'];

describe('nullable, as OpenAPI has it', () => {
  it('case 43: is an alternative to what is said by reference', () => {
    for (const p of [{ $ref: '#/$defs/A' }, { allOf: [{ $ref: '#/$defs/A' }] }]) {
      const found = defined({ ...p, nullable: true, description: 'd' });
      expect(found).toMatchObject({ description: 'd', anyOf: [{}, { type: 'null' }] });
      expect(geminiOf(found)).toEqual({ ...A, description: 'd' });
    }
    // With its type beside it, too.
    expect(geminiOf(defined({ type: 'object', nullable: true, allOf: [{ $ref: '#/$defs/A' }] }))).toEqual(A);
  });

  it.each(['anyOf', 'oneOf'])('case 43: is one more alternative of %s', (key) => {
    const kinds = [{ type: 'string' }, { type: 'number' }];
    expect(openaiOf({ nullable: true, [key]: kinds })).toEqual({ anyOf: [...kinds, { type: 'null' }] });
    const orNull = kinds.map(({ type }) => ({ type: type.toUpperCase(), nullable: true }));
    expect(geminiOf({ nullable: true, [key]: kinds })).toEqual({ anyOf: orNull });
  });

  it('case 43: is one more of the values that are told by heart', () => {
    const p = { type: 'string', nullable: true, enum: ['a', 'b'] };
    expect(openaiOf(p)).toEqual({ type: ['string', 'null'], enum: ['a', 'b', null] });
    expect(geminiOf(p)).toEqual({ type: 'STRING', enum: ['a', 'b'], nullable: true });
    expect(openaiOf({ nullable: true, enum: ['a', null] })).toEqual({ enum: ['a', null] });
    expect(openaiOf({ type: 'string', nullable: true, const: 'a' })).toEqual({
      type: ['string', 'null'],
      enum: ['a', null],
    });
  });

  it('says nothing of what may be anything', () => {
    expect(openaiOf({ nullable: true, description: 'd', 'x-own': 1 })).toEqual({ description: 'd' });
    expect(openaiOf({ nullable: false, type: 'string' })).toEqual({ type: 'string' });
  });
});
