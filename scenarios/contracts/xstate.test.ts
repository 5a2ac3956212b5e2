import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { xstateVersion } from '../../machines/version.ts';

/** Another minor may need charts.ts, trace-lines.ts, assemble.ts, record.ts and inert.ts changed first. */
interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const packageAt = (path: string): Package => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

describe('the minor of XState', () => {
  const [, installed] =
    /^(\d+\.\d+)\./.exec(packageAt('../../node_modules/xstate/package.json').version) ?? [];

  it('is the one that is installed and that recordings name', () => {
    expect(installed).toBe(xstateVersion);
  });

  it('is pinned: no other one is installed unasked', () => {
    const { dependencies } = packageAt('../../package.json');
    expect(dependencies['xstate']).toMatch(new RegExp(`^~${xstateVersion.replace('.', '\\.')}\\.\\d+$`));
  });
});
