import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { hostsWithDoors, lentServer, type DoorVisit, type LentServer } from './caller.ts';
import { identityOf, proofOf } from './identity.ts';
import { createComputer } from '../api/computer.ts';
import { readOrThrow } from '../plans/plan.ts';
import { Inputs } from '../servers/inputs.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const stateDir = testFolder('door');
const envFile = join(stateDir, 'env');
const counting = { command: process.execPath, args: [fixtureFile('counting-server.mjs')], envFile };
/** A host that is busy for a second is not used, so that a busy machine needs a further try. */
const patient = { timeout: 30_000 };

it.skipIf(process.platform === 'win32')(
  'a command that ends while it asks for a kept server is not counted as a user of it',
  async () => {
    await writeFile(envFile, 'A=1');
    const config = readOrThrow({ mcpServers: { counting } });
    const counts: number[] = [];
    const door = { kind: 'keep', onUse: (count: number) => void counts.push(count) } as const;
    const options = { shared: true, stateDir, reaper: false, record: false, autoConnect: false } as const;
    closedAfter(await createComputer(options, { config, door }));
    const around = { inputs: new Inputs({ definitions: [] }), folder: process.cwd(), roots: null };
    const identity = (await identityOf('counting', config, around)) ?? expect.unreachable();
    const found = async (): Promise<DoorVisit> => (await hostsWithDoors(stateDir))[0] ?? expect.unreachable();
    const visit = await vi.waitFor(found, patient);
    const proofs = [proofOf(identity, visit.greeting?.nonce ?? '')];
    await rm(envFile);
    execFileSync('mkfifo', [envFile]);
    visit.ask('use', { server: 'counting', proofs }).catch(() => {});
    visit.close();
    await visit.over.promise;
    // The host reads the file to its end now, after the command has gone.
    await writeFile(envFile, 'A=1');
    await rm(envFile);
    await writeFile(envFile, 'A=1');
    const used = async (): Promise<LentServer> =>
      (await lentServer(stateDir, 'counting', async () => [identity], {})) ?? expect.unreachable();
    const lent = await vi.waitFor(used, patient);
    expect(Math.max(...counts)).toBe(1);
    lent.close();
    await expect.poll(() => counts.at(-1)).toBe(0);
  },
);
