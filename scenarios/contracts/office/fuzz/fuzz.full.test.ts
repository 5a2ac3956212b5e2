import { expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';
import { testFolder } from '../../../fixtures/test-folder.ts';

const stateDir = testFolder('fuzz');

it('an office that is sent what nobody should send answers each event, and no other room hears of it', async () => {
  const { sent, answered, crossed, exitCode } = await fuzz({ seed: 2, count: 100_000, stateDir });
  expect({ sent, answered, crossed, exitCode }).toEqual({
    sent: 100_000,
    answered: 70_000,
    crossed: [],
    exitCode: 143,
  });
});
