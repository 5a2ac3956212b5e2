import assert from 'node:assert/strict';
import type { JsonObject } from '../../machines/catalog/entries.ts';
import type { Validate, Validity } from '../../machines/call/policy/judge.ts';
import { casesOf, type ContractCase, type Rule } from './contract.ts';
import { fits } from './fits.ts';

interface Harness {
  judge(schema: unknown, value: unknown): Validity;
}

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    home: { type: 'object', required: ['zip'] },
  },
  required: ['name'],
};
const secret = 'hunter2';

const judging: readonly Rule<Harness>[] = [
  {
    title: 'is satisfied by a value that fits, and by properties of which it knows nothing',
    holds: async ({ judge }) => {
      assert.deepEqual(judge(person, { name: 'a', age: 3, more: [] }), { ok: true });
      assert.deepEqual(judge({}, secret), { ok: true });
    },
  },
  {
    title: 'names the place of what is wrong, and never the value',
    holds: async ({ judge }) => {
      const validity = judge(person, { name: 'a', age: secret, home: {} });
      fits(validity, { ok: false, problems: [/^age: must be integer$/, /^home\.zip: is missing$/] });
      assert.doesNotMatch(JSON.stringify(validity), /hunter2/);
      fits(judge(person, secret), { ok: false, problems: [/^must be object$/] });
      fits(judge(person, undefined), { ok: false });
    },
  },
  {
    title: 'tells of one field in one line, and of five at the most',
    holds: async ({ judge }) => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
      const properties = Object.fromEntries(names.map((name) => [name, { type: 'null' }]));
      const validity = judge({ properties }, Object.fromEntries(names.map((name) => [name, 1])));
      const lines = 'problems' in validity ? validity.problems : [];
      assert.equal(lines.length, 5);
      assert.equal(new Set(lines).size, 5);
    },
  },
  {
    title: 'takes for a property only what the value itself has',
    holds: async ({ judge }) => {
      const schema = { properties: { constructor: { type: 'string' } }, required: ['toString'] };
      fits(judge(schema, {}), { ok: false, problems: [/^toString: is missing$/] });
      assert.deepEqual(judge({ properties: schema.properties }, {}), { ok: true });
    },
  },
  {
    title: 'leaves a value unchecked when its schema cannot be used, with the reason',
    holds: async ({ judge }) => {
      const unusable = [
        { type: 'strng' },
        { required: 7 },
        { $ref: 'https://h.example/s.json' },
        null,
        7,
        'x',
        [],
      ];
      for (const schema of unusable) fits(judge(schema, secret), { ok: 'unchecked', reason: /\w/ });
    },
  },
  {
    title: 'says the same of the same again',
    holds: async ({ judge }) => {
      const wrong = { age: 'x' };
      assert.deepEqual(judge(person, wrong), judge(person, wrong));
      assert.deepEqual(judge(person, { name: 'a' }), { ok: true });
    },
  },
];

export const validateContract = (validate: Validate): readonly ContractCase[] => {
  const judge: Harness['judge'] = (schema, value) => validate(schema as JsonObject, value);
  return casesOf({ 'a schema': judging }, (rule) => rule.holds({ judge }));
};
