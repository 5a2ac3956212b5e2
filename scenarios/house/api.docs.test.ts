import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { apiFile, apiText } from './api-text.ts';

it('docs/api.txt has the exported names, signatures and docstrings of today', () => {
  const [made, kept] = [apiText(), readFileSync(apiFile, 'utf8')].map((text) => text.split('\n'));
  const differs = made?.findIndex((line, n) => line !== kept?.[n]) ?? 0;
  // One line of the difference says enough: `npm run api` writes the file anew.
  expect([differs, kept?.[differs], kept?.length]).toEqual([-1, undefined, made?.length]);
  expect(made?.slice(3, 7).map((line) => line.replace(/\d.*/, 'N'))).toEqual([
    'Members of a computer: N',
    'Members of an agent: N',
    'Members of an office: N',
    'Options of createComputer: N',
  ]);
});
