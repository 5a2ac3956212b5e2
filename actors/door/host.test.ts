import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hostsWithDoors, lentServer } from './caller.ts';
import { identityOf, proofOf } from './identity.ts';
import { createComputer } from '../api/computer.ts';
import { readOrThrow } from '../plans/plan.ts';
import { Inputs } from '../servers/inputs.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const stateDir = testFolder('door');
const envFile = join(stateDir, 'env');
const counting = { command: process.execPath, args: [fixtureFile('counting-server.mjs')], envFile };

it.skipIf(process.platform === 'win32')(
  'a command that ends while it asks for a kept server is not counted as a user of it',
  async () => {
    writeFileSync(envFile, 'A=1');
    const config = readOrThrow({ mcpServers: { counting } });
    const counts: number[] = [];
    const door = { kind: 'keep', onUse: (count: number) => void counts.push(count) } as const;
    const options = { shared: true, stateDir, reaper: false, record: false, autoConnect: false } as const;
    closedAfter(await createComputer(options, { config, door }));
    const around = { inputs: new Inputs({ definitions: [] }), folder: process.cwd(), roots: null };
    const identity = (await identityOf('counting', config, around)) ?? expect.unreachable();
    const [visit = expect.unreachable()] = await hostsWithDoors(stateDir);
    const proofs = [proofOf(identity, visit.greeting?.nonce ?? '')];
    rmSync(envFile);
    execFileSync('mkfifo', [envFile]);
    visit.ask('use', { server: 'counting', proofs }).catch(() => {});
    visit.close();
    await visit.over.promise;
    // The host reads the file to its end now, after the command has gone.
    writeFileSync(envFile, 'A=1');
    rmSync(envFile);
    writeFileSync(envFile, 'A=1');
    const lent = await lentServer(stateDir, 'counting', async () => [identity], {});
    expect(counts).toEqual([1]);
    lent?.close();
    await expect.poll(() => counts).toEqual([1, 0]);
  },
);
