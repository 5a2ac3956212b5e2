import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localLauncher } from '../../../adapters/process/local-launcher.ts';
import { membersOf } from '../../../adapters/process/reaper/group.ts';
import { ringBytes } from '../../../adapters/process/stderr-ring.ts';
import type { ProcessFact } from '../../../machines/ports/process.ts';
import { processContract } from './process.contract.ts';
import { launcherSubject } from './process.subject.ts';
import { registered } from '../registered.ts';
import { createRealProcessWorld, type RealBehaviour, type RealProcessWorld } from './process.world.ts';
import { testFolder } from '../../fixtures/test-folder.ts';

const folder = testFolder('command');
registered('process port: real children', processContract({ createWorld: createRealProcessWorld }));
registered(
  'process port: shell scripts of this machine',
  processContract(launcherSubject({ launcher: localLauncher })),
);

describe('a real child', () => {
  let world: RealProcessWorld;
  let facts: ProcessFact[];
  beforeEach(() => {
    world = createRealProcessWorld();
    facts = [];
  });
  afterEach(() => world.dispose());
  const open = (behaviour: RealBehaviour) => world.open(behaviour, (fact) => facts.push(fact));
  const end = async () => {
    await world.until(() => facts.some(({ type }) => type === 'child.exited'));
    return facts.find((fact) => fact.type === 'child.exited');
  };

  it('inherits the allow-list and the marker, and nothing else of the host', async () => {
    process.env['SECRET_OF_HOST'] = 'secret';
    open('tellsEnvironment');
    const env: Record<string, string> = JSON.parse((await end())?.stderr ?? '{}');
    expect(env['A2C_INSTANCE']).toBe(world.ledger.instance);
    const folders = [...new Set(process.env['PATH']?.split(':').filter(Boolean))];
    expect(env['PATH']?.split(':').slice(0, folders.length), 'those of the host first').toEqual(folders);
    expect(env).not.toHaveProperty('SECRET_OF_HOST');
    delete process.env['SECRET_OF_HOST'];
  });

  it('is told as exited although a grandchild holds its pipes', async () => {
    const child = open('leavesPipeHolder');
    await child.ready();
    child.tell({ type: 'child.closeStdin' });
    expect(await end()).toMatchObject({ code: 0, left: 1 });
  });

  it('is drained when it says 1 MiB on stderr, and its last words are kept', async () => {
    open('chatty');
    const stderr = (await end())?.stderr ?? '';
    expect(stderr).toHaveLength(ringBytes);
    expect(stderr).toMatch(/last words$/);
  });

  it('does not bring its host down when it closed its stdin', async () => {
    const child = open('deaf');
    const [live] = world.ledger.list();
    await child.ready();
    const broken = new Promise((resolve) => live?.streams.stdin.once('error', resolve));
    live?.streams.stdin.write('hello\n');
    await expect(broken).resolves.toMatchObject({ code: 'EPIPE' });
  });

  it('runs the command of its config, whatever its arguments look like', async () => {
    writeFileSync(join(folder, 'python'), '#!/bin/sh\necho "$0 $*" >&2\n', { mode: 0o755 });
    const spec = { command: 'python', args: ['server.py', '--node-id', '3'], env: { PATH: folder } };
    world.launch(spec, (fact) => facts.push(fact));
    expect(await end()).toMatchObject({ code: 0, stderr: `${folder}/python server.py --node-id 3\n` });
  });

  it('leaves neither a process nor a file descriptor behind, twenty times over', async () => {
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const kinds: readonly RealBehaviour[] = ['good', 'stubborn', 'wrapped', 'leavesGrandchild'];
    const cycle = async (index: number): Promise<number> => {
      const child = open(kinds[index % kinds.length] ?? 'good');
      await child.ready();
      const pid = world.ledger.list()[0]?.pid ?? 0;
      if (index % 2 === 0) child.tell({ type: 'child.closeStdin' });
      child.close();
      await world.ledger.closed();
      return pid;
    };
    await cycle(0);
    const before = descriptors();
    const pids: number[] = [];
    for (let index = 0; index < 20; index += 1) pids.push(await cycle(index));
    expect(new Set(pids).size).toBe(20);
    expect(pids.flatMap(membersOf)).toEqual([]);
    expect(descriptors()).toBeLessThanOrEqual(before);
    expect(process.listeners('exit').filter(({ name }) => name === 'killEverything')).toEqual([]);
  });
});
