import { describe, expect, it } from 'vitest';
import { errorDataBytes, rpcErrorDetails } from './failure.ts';
import { mostLevels } from './json.ts';

describe('the details of a failure that a JSON-RPC error became', () => {
  it('are its code, and its data where it has any', () => {
    expect(rpcErrorDetails({ code: 4201, data: { doc_ref: 'd' } })).toEqual({
      code: 4201,
      data: { doc_ref: 'd' },
    });
    expect(rpcErrorDetails({ code: 7, data: 0 })).toEqual({ code: 7, data: 0 });
    expect(rpcErrorDetails({ code: 7, data: null })).toEqual({ code: 7 });
    expect(rpcErrorDetails({ code: 7 })).toEqual({ code: 7 });
  });
  it('say so when the data is too large to be carried on, and have none of it', () => {
    // The two quotation marks of JSON count towards the limit of the data.
    const most = 'x'.repeat(errorDataBytes - 2);
    expect(rpcErrorDetails({ code: 7, data: most })).toEqual({ code: 7, data: most });
    expect(rpcErrorDetails({ code: 7, data: `${most}x` })).toEqual({
      code: 7,
      data_dropped: 'it has 4097 bytes, the limit is 4096',
    });
    const deep = Array.from({ length: mostLevels + 1 }).reduce<unknown>((inner) => [inner], 1);
    expect(rpcErrorDetails({ code: 7, data: deep })).toEqual({
      code: 7,
      data_dropped: 'it is nested too deep, the limit is 500 levels',
    });
  });
});
