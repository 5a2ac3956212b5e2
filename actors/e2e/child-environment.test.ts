import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

const mark = crypto.randomUUID();
const passed = 'A2C_TEST_PASSED';
let computer: Computer;
afterEach(async () => {
  delete process.env[passed];
  await computer.close();
  expect(pidsOf(mark)).toEqual([]);
});
const environment = (): Record<string, string> => {
  const [pid] = pidsOf(mark);
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
};
const config = (a2c: object) => ({ mcpServers: { a: launched(mark) }, a2c });

it('a setting of what is inherited restarts who runs', async () => {
  process.env[passed] = 'yes';
  const ear = createEar();
  computer = await bootedComputer({ config: config({}), stateDir: false, onEvent: ear.onEvent });
  expect(environment()).not.toHaveProperty(passed);
  const [first] = pidsOf(mark);
  const wanted = config({ passEnv: [passed], path: ['~/own'], runtimes: ['/opt/runtime'] });
  await computer.servers.set(wanted);
  await ear.until(
    () => computer.status().servers[0]?.state === 'ready' && !pidsOf(mark).includes(Number(first)),
  );
  expect(environment()).toMatchObject({
    [passed]: 'yes',
    PATH: expect.stringMatching(new RegExp(`^${homedir()}/own:/opt/runtime:`)) as string,
  });
});
it('the whole environment of the host is inherited where the config asks for it', async () => {
  process.env[passed] = 'all';
  computer = await bootedComputer({ config: config({ baseEnv: 'full' }), stateDir: false });
  expect(environment()).toMatchObject({ [passed]: 'all', MARK: mark });
});
