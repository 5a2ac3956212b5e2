import { expect, it } from 'vitest';
import { exitCodeText } from './server-failure.ts';

it.each([
  [0, '0'],
  [255, '255'],
  [3221225477, '0xC0000005 (access violation)'],
  [-1073741510, '0xC000013A (ended by Ctrl-C or the close of its window)'],
  [0xe06d7363, '0xE06D7363'],
])('the exit code %i is shown as %s', (code, text) => {
  expect(exitCodeText(code)).toBe(text);
});
