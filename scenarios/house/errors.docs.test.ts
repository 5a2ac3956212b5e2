import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { confirmationTexts } from '../../machines/call/policy/policy.ts';
import { hostFailure, localCodes, wireCodes, type Failure } from '../../machines/protocol/failure.ts';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

it('docs/errors.md has each name of a failure once, with its number on the wire', () => {
  const codes = [...Object.values(wireCodes), ...Object.keys(localCodes)] as Failure['code'][];
  const failures = codes.map((code) => hostFailure({ code, message: '' }));
  const names = new Map(failures.map(({ code, wireCode }) => [code as string, wireCode as number]));
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name = '', code]) => [
    name,
    Number(code),
  ]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(names));
  expect(rows.length).toBe(names.size);
});

it('docs/errors.md has each reason why a call is not confirmed', () => {
  const [, part = ''] = page.split('`NotConfirmed` has the reason');
  const rows = [...(part.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, why]) => why);
  expect(rows).toEqual(Object.keys(confirmationTexts));
});
