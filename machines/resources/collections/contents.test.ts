import { describe, expect, it } from 'vitest';
import { contentsIn } from './contents.ts';

describe('what a read of a resource gave', () => {
  it('is passed on as it came', () => {
    const contents = [
      { uri: 'window://h/a', mimeType: 'text/plain', text: 'x', extra: [1] },
      { uri: 'window://h/a', blob: 'AAAA' },
    ];
    expect(contentsIn({ contents, _meta: {} })).toEqual({ ok: true, body: contents });
    expect(contentsIn({ contents: [] })).toEqual({ ok: true, body: [] });
  });
  it.each([
    [undefined],
    [null],
    ['x'],
    [{}],
    [{ contents: 'x' }],
    [{ contents: [null] }],
    [{ contents: [{}] }],
  ])('is a failure with a sentence where it is no contents: %j', (result) => {
    expect(contentsIn(result)).toEqual({
      ok: false,
      failure: { code: 500, message: expect.stringMatching(/^The server did not answer with contents: ./) },
    });
  });
});
