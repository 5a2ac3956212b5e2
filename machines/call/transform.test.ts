import { describe, expect, it } from 'vitest';
import { endText, placeOf, syntaxFailure } from './program-mistakes.ts';
import { eventOf } from './transform.ts';

const content = [{ type: 'text', text: 'hi', _meta: { a: 1 } }];
const call = { tool: 'look', parameters: { q: 1 } };

describe('the event of a program', () => {
  it('is the result with the name of its tool and the parameters of the call; what a result left out is there', () => {
    expect(eventOf({ ...call, result: { content } })).toEqual({
      ...{ meta: null, content, structuredContent: null, isError: false },
      ...{ tool_name: 'look', parameters: { q: 1 } },
    });
  });
  it('keeps what else the server gave, and its items as they are', () => {
    const result = { content, structuredContent: { n: 1 }, isError: true, nextCursor: 'c' };
    expect(eventOf({ ...call, result })).toMatchObject(result);
  });
  it('has as meta what the server called _meta or meta', () => {
    const metaOf = (result: object): unknown => eventOf({ ...call, result })['meta'];
    expect(metaOf({ _meta: { a: 1 } })).toEqual({ a: 1 });
    expect(metaOf({ meta: { a: 1 } })).toEqual({ a: 1 });
    expect(metaOf({ _meta: { a: 1, b: 1 }, meta: { a: 2 } })).toEqual({ a: 2, b: 1 });
    expect(metaOf({ _meta: null, meta: 'text' })).toBeNull();
    expect(eventOf({ ...call, result: { _meta: { a: 1 } } })).not.toHaveProperty('_meta');
  });
  it('cannot be taken over by a result that has members of those names', () => {
    const result = { content, tool_name: 'other', parameters: 'none' };
    expect(eventOf({ ...call, result })).toMatchObject({ tool_name: 'look', parameters: { q: 1 } });
  });
  it.each([null, undefined, 'text', 7, [1]])('is an empty one for the result %j', (result) => {
    expect(eventOf({ ...call, result })).toMatchObject({ meta: null, content: [], isError: false });
  });
});

const at = (message: string, from: number, label = message, primary = true) => ({
  message,
  labels: [
    { message: 'beside it', primary: false, span: [0, 0] as const },
    { message: label, primary, span: [from, from + 1] as const },
  ],
});

describe('a place in a program', () => {
  it.each([
    ['abc', 0, [1, 1]],
    ['abc', 3, [1, 4]],
    ['a\nbc', 2, [2, 1]],
    ['a\r\nbc', 4, [2, 2]],
    // Offsets are in bytes, but columns are in characters; these characters have 2, 3 and 4 bytes.
    ['ü=1', 3, [1, 3]],
    ['€=1', 4, [1, 3]],
    ['💧=1', 5, [1, 3]],
    ['ab', 99, [1, 3]],
    ['', 0, [1, 1]],
  ])('is found in %j: byte %i is line and column %j', (source, offset, [line, column]) => {
    expect(placeOf(source, offset)).toEqual({ line, column });
  });
});

describe('a program that cannot be run', () => {
  it('is told by line, column and mistake, where its first label stands', () => {
    expect(syntaxFailure('.a = 1\n.b =', [at('syntax error', 11, 'unexpected end of program')])).toEqual({
      code: 'VrlSyntaxError',
      message: 'line 2, column 5: syntax error: unexpected end of program',
      details: { message: 'syntax error: unexpected end of program', line: 2, column: 5 },
      remedy: expect.any(String) as string,
    });
  });
  it('has all of its mistakes, one line each', () => {
    const failure = syntaxFailure('.a =\n.b =', [at('one', 4), at('two', 9)]);
    expect(failure?.message).toBe('line 1, column 5: one\nline 2, column 5: two');
    expect(failure?.details).toEqual({
      ...{ message: 'one', line: 1, column: 5 },
      more: [{ message: 'two', line: 2, column: 5 }],
    });
  });
  it('is told with what was meant, where the compiler knows', () => {
    const unknown = { ...at('call to undefined function', 0, 'undefined function') };
    const labels = [
      ...unknown.labels,
      { message: 'did you mean "now"?', primary: false, span: [0, 1] as const },
    ];
    expect(syntaxFailure('nou()', [{ ...unknown, labels }])?.details?.message).toBe(
      'call to undefined function; did you mean "now"?',
    );
  });
  it('has a place even where the compiler gives none', () => {
    const failure = syntaxFailure('x', [{ message: 'odd', labels: [] }]);
    expect(failure?.details).toEqual({ message: 'odd', line: 1, column: 1 });
  });
  it('is none without an error', () => {
    expect(syntaxFailure('.', [])).toBeUndefined();
  });
});

describe('the words of a program that ends itself', () => {
  it('are told without the name of their kind, with line and column for bytes', () => {
    const said = 'Termination;\nfunction call error for "to_int" at (10:20): no';
    expect(endText('.a = 1\n.b = to_int!(.x)', said)).toBe(
      'function call error for "to_int" at line 2, column 4: no',
    );
    expect(endText('x', 'Compilation Error;\nmessage: syntax error')).toBe('message: syntax error');
  });
  it('are 500 characters at the most', () => {
    expect(endText('', `Termination;\n${'x'.repeat(9_999)}`)).toHaveLength(500);
  });
});
