import { describe, expect, it } from 'vitest';
import type { CallPolicy } from './policy.ts';
import {
  withToolMeta,
  finalResult,
  isOverBudget,
  isRefusedByTool,
  nothingFound,
  withMeta,
} from './result.ts';

const policy: CallPolicy = {
  ...{ isConfirmed: false, generation: 1, confirmMs: 1, meta: { auto_apply: true } },
  ...{ isPostProcessed: true, lookMs: 1, resultBytes: 1024 },
};
const call = { server: 'fs', reqId: 'r1', policy };
const hello = { content: [{ type: 'text', text: 'hello' }] };
const long = 'x'.repeat(900);

describe('a result of a call', () => {
  it('is a refusal of the tool only when isError is true', () => {
    const said = [{ isError: true }, { isError: 'true' }, { isError: 1 }, { isError: false }, {}, null];
    expect(said.map(isRefusedByTool)).toEqual([true, false, false, false, false, false]);
  });

  it('carries the meta of its tool, but for an error, and is not changed itself', () => {
    const given = { ...hello, _meta: { a: 1 } };
    expect(withToolMeta(call, given)).toEqual({
      ...hello,
      meta: { a: 1, a2c_tool_meta: { auto_apply: true } },
    });
    expect(given).toEqual({ ...hello, _meta: { a: 1 } });
    const refused = { ...hello, isError: true };
    expect(withToolMeta(call, refused)).toBe(refused);
    expect(withToolMeta({ policy: { ...policy, meta: null } }, given)).toBe(given);
  });

  it('has what our own host adds over what its server said under the same name', () => {
    expect(withMeta({ _meta: { a: 1, b: 1 }, meta: { b: 2, c: 2 } }, { c: 3 })).toEqual({
      meta: { a: 1, b: 2, c: 3 },
    });
    expect(withMeta('no object', { c: 3 })).toBe('no object');
  });

  it('has any number of bytes where nobody sets a limit', () => {
    const large = { content: [{ type: 'text', text: 'x'.repeat(10_000) }] };
    expect(isOverBudget(call, large)).toBe(true);
    expect(isOverBudget({ ...call, policy: { ...policy, resultBytes: 0 } }, large)).toBe(false);
    expect(isOverBudget({ ...call, policy: null }, large)).toBe(false);
  });
});

describe('what was found when a result was post-processed', () => {
  it('stands under its meta, and nothing stands there that was not found', () => {
    expect(finalResult(call, hello, nothingFound)).toBe(hello);
    const finding = { mismatch: ['a: is missing'], transformed: '{"b":1}', warnings: ['slow'] };
    expect(finalResult(call, hello, finding)).toEqual({
      ...hello,
      meta: {
        a2c_vrl_transformed: '{"b":1}',
        a2c_output_mismatch: ['a: is missing'],
        a2c_warnings: ['slow'],
      },
    });
  });

  it('is left out and named when it is what is too large: nobody keeps a whole of which the result would speak', () => {
    const given = finalResult(call, hello, { ...nothingFound, transformed: JSON.stringify(long + long) });
    expect(given).toEqual({ ...hello, meta: { a2c_warnings: [expect.stringContaining('too large')] } });
  });

  it('is left out silently where not even that fits beside the result', () => {
    const nearly = { content: [{ type: 'text', text: 'x'.repeat(960) }] };
    const warnings = ['w'.repeat(100)];
    expect(finalResult(call, nearly, { ...nothingFound, warnings })).toBe(nearly);
  });

  it('goes with the rest when the result is too large itself', () => {
    const large = { content: [{ type: 'text', text: long + long }] };
    const given = finalResult(call, large, { ...nothingFound, warnings: ['slow'] });
    expect(given).toMatchObject({
      meta: { a2c_warnings: ['slow'], a2c_cut: { handle: 'fs/r1', limit_bytes: 1024 } },
    });
  });

  it('changes nothing of a call that has no policy', () => {
    expect(finalResult({ ...call, policy: null }, hello, { ...nothingFound, warnings: ['slow'] })).toBe(
      hello,
    );
  });
});
