import assert from 'node:assert/strict';

type Keyed = Readonly<Record<string, unknown>>;

/** All keys of an object, each item of a list, a match of a pattern; `Number` and `String` accept any such value. */
export function fits(actual: unknown, expected: unknown, at = 'it'): void {
  if (expected instanceof RegExp) assert.match(String(actual), expected, at);
  else if (expected === Number || expected === String)
    assert.equal(typeof actual, expected === Number ? 'number' : 'string', at);
  else if (typeof expected !== 'object' || expected === null) assert.deepEqual(actual, expected, at);
  else {
    assert.ok(typeof actual === 'object' && actual !== null, `${at} is ${String(actual)}`);
    assert.equal(Array.isArray(actual), Array.isArray(expected), at);
    if (Array.isArray(expected)) assert.equal((actual as unknown[]).length, expected.length, `${at}.length`);
    for (const [key, part] of Object.entries(expected)) fits((actual as Keyed)[key], part, `${at}.${key}`);
  }
}
