import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { environmentOf, isPypiReached, sourcesOf } from '../fixtures/python-peers.ts';
import { command } from './pair-peers.ts';

/** Tests that build a computer or an office of the SDK in their own process cannot meet another one. */
const run = promisify(execFile);
const version = '0.4.2';
const packages = ['a2c-smcp[cli,server]==0.4.2', 'pyyaml', 'aiohttp', 'pytest', 'pytest-asyncio', 'werkzeug'];
const chosen = [
  'tests/e2e/test_v02_skill_blob_e2e.py',
  'tests/integration_tests/test_get_resources.py',
  'tests/integration_tests/test_blob_transfer.py::TestRealWireAsync',
  'tests/integration_tests/test_blob_transfer.py::TestRealWireAsyncPutBlob',
];

describe.runIf(await isPypiReached())('the tests of the Python SDK', () => {
  it('pass at our office, those of skills, resources and blobs over the wire', async () => {
    const [python, sources] = [
      await environmentOf(`sdk-tests-${version}`, packages),
      await sourcesOf(version),
    ];
    expect(existsSync(join(sources, 'tests'))).toBe(true);
    const office = [process.execPath, command, 'office', '--open', '--no-inspect'];
    const env = {
      ...process.env,
      PYTHONPATH: fileURLToPath(new URL('.', import.meta.url)),
      A2C_OFFICE: JSON.stringify(office),
    };
    const how = [
      '-m',
      'pytest',
      '-p',
      'our_office',
      '-p',
      'no:cacheprovider',
      '-q',
      '-k',
      'not sync_pagination',
    ];
    const { stdout } = await run(python, [...how, ...chosen], { cwd: sources, env });
    expect(stdout).toMatch(/11 passed/);
  }, 600_000);
});
