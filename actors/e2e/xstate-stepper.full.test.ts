import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
/** Test file that runs a whole system, from the agent to the process of a server. */
const whole = 'actors/e2e/first-light.test.ts';

const played = (stepper: string): Promise<string> =>
  promisify(execFile)(process.execPath, [vitest, 'run', whole], {
    cwd: root,
    env: { ...process.env, A2C_STEPPER: stepper, NO_COLOR: '1' },
  }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );

it('a whole system steps with the interpreter of XState when A2C_STEPPER asks for it', async () => {
  expect(await played('xstate')).toMatch(/Tests +1 passed/);
});

it('A2C_STEPPER is refused with the steppers that there are when it asks for another', async () => {
  expect(await played('handmade')).toContain("A2C_STEPPER is 'handmade': it can be compiled or xstate");
});
