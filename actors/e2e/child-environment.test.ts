import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { endingComputer } from '../../scenarios/fixtures/ending-computer.ts';

const mark = crypto.randomUUID();
const passed = 'A2C_TEST_PASSED';
afterEach(() => void delete process.env[passed]);
const environment = (): Record<string, string> => {
  const [pid] = pidsOf(mark);
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').matchAll(/([^=\0]+)=([^\0]*)/g);
  return Object.fromEntries(Array.from(entries, ([, name, value]) => [name, value]));
};
const config = (a2c: object) => ({ mcpServers: { a: launched(mark) }, a2c });

it('a setting of what is inherited restarts who runs', async () => {
  process.env[passed] = 'yes';
  const { computer, ear } = await endingComputer(mark, { config: config({}) });
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
  await endingComputer(mark, { config: config({ baseEnv: 'full' }) });
  expect(environment()).toMatchObject({ [passed]: 'all', MARK: mark });
});
