import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'a2c-fuzz-'));
afterAll(() => rmSync(stateDir, { recursive: true }));

it('an office that is sent what nobody should send answers each event, and no other room hears of it', async () => {
  const { sent, answered, crossed, exitCode } = await fuzz({ seed: 2, count: 100_000, stateDir });
  expect({ sent, answered, crossed, exitCode }).toEqual({
    sent: 100_000,
    answered: 70_000,
    crossed: [],
    exitCode: 143,
  });
});
