import { expect, it } from 'vitest';
import { meeting } from '../../scenarios/fixtures/from-python.ts';

// `npm test -- --project interop` plays the Python halves.
it('a computer and an agent that moved over from Python meet', async () => {
  const said = await meeting([process.execPath, 'computer.mjs'], [process.execPath, 'agent.mjs']);
  expect(said).toEqual(['laptop is in the office', 'Hello, world!', 'ended with 0']);
});
