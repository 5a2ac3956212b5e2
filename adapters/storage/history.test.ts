import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lineHistory } from './user-files.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('history');

// Windows has no modes.
it.skipIf(process.platform === 'win32')(
  'lines that were typed are there in the next run, and only their owner may read them',
  () => {
    const state = join(folder, 'state');
    expect(lineHistory(state).lines).toEqual([]);
    lineHistory(state).keep(['status', 'calls']);
    expect(lineHistory(state).lines).toEqual(['status', 'calls']);
    expect(statSync(join(state, 'history')).mode & 0o777).toBe(0o600);
  },
);

it('a history that cannot be written stops nobody', () => {
  expect(() => lineHistory('/dev/null/x').keep(['a'])).not.toThrow();
});
