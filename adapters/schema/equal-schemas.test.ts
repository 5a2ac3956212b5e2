import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createValidate } from './validate.ts';

describe('equal schemas', () => {
  const schema = (type: string, n = 0) => ({ properties: { a: { type } }, $comment: `${n}` });
  const compiling = () => vi.spyOn(Ajv2020.prototype, 'compile');
  afterEach(() => vi.restoreAllMocks());

  it('are compiled once, whatever mistakes they find, and different ones each', () => {
    const compile = compiling();
    const judge = createValidate();
    for (let n = 0; n < 100; n += 1) expect(judge(schema('string'), { a: 'x' })).toEqual({ ok: true });
    expect(compile).toHaveBeenCalledTimes(1);
    // The first mistake compiles the schema a second time, in the form that reports all mistakes.
    for (let n = 0; n < 100; n += 1) expect(judge(schema('string'), { a: 1 }).ok).toBe(false);
    expect(compile).toHaveBeenCalledTimes(2);
    expect(judge(schema('number'), { a: 1 })).toEqual({ ok: true });
    expect(compile).toHaveBeenCalledTimes(3);
  });
  it('are forgotten after many others, and one that is there still is known', () => {
    const compile = compiling();
    const judge = createValidate();
    const kept = schema('string');
    for (let n = 0; n < 600; n += 1) judge(schema('string', n), {});
    judge(kept, {});
    compile.mockClear();
    judge(kept, {});
    expect(compile).not.toHaveBeenCalled();
    judge(schema('string', 1), {});
    expect(compile).toHaveBeenCalledTimes(1);
  });
});
