import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { builtModule } from '../../../scenarios/fixtures/built-module.ts';
import { testFolder } from '../../../scenarios/fixtures/test-folder.ts';
import { groupsOfTests, lives } from '../../../scenarios/contracts/process/strangers.ts';
import { membersOf, startTimeOf } from './group.ts';
import { fileNameOf, hostsDir, placeHere, sweepLeftovers } from './state-file.ts';

let stateDir: string;
const { born, stranger } = groupsOfTests();
beforeEach(() => void (stateDir = testFolder('sweep')));
const files = (): string[] => readdirSync(hostsDir(stateDir));

describe.skipIf(process.platform !== 'linux')('the sweep at the next start', () => {
  const write = (name: string, ...lines: unknown[]): void => {
    mkdirSync(hostsDir(stateDir), { recursive: true });
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    writeFileSync(join(hostsDir(stateDir), fileNameOf(name)), text);
  };
  const head = (name: string, host: object, place: object = {}): object => ({
    a2c: 1,
    instance: name,
    host,
    place: { ...placeHere(), ...place },
  });
  const dead = { pid: process.pid, startTime: '1' };
  const entered = async () => {
    const pgid = await stranger();
    return { pgid, group: { entered: { pgid, startTime: startTimeOf(pgid) } } };
  };

  it('ends groups of a dead host only while their leader has the age that was noted', async () => {
    const [ours, theirs, ended] = [await stranger(), await stranger(), await stranger()];
    // The leader of this group has ended, so the group number no longer proves to whom the group belongs.
    const leaderless = spawn('sh', ['-c', 'sleep 100 & true'], { detached: true, stdio: 'ignore' });
    const pgid = leaderless.pid ?? 0;
    born.push(pgid);
    await once(leaderless, 'exit');
    write(
      'dead',
      head('dead', dead),
      { entered: { pgid: ours, startTime: startTimeOf(ours) } },
      { entered: { pgid: theirs, startTime: '1' } },
      { entered: { pgid, startTime: '1' } },
      { entered: { pgid: ended, startTime: startTimeOf(ended) } },
      { left: { pgid: ended, startTime: startTimeOf(ended) } },
      '{"entered":{"pgid":',
    );
    expect(await sweepLeftovers({ stateDir })).toEqual([{ instance: 'dead', pid: ours, command: 'sleep' }]);
    expect([ours, theirs, ended].map(lives)).toEqual([false, true, true]);
    expect(membersOf(pgid)).toHaveLength(1);
    expect(files()).toEqual([]);
  });

  it('leaves alone what lives, what it cannot judge, and what it runs in itself', async () => {
    const { pgid, group } = await entered();
    write('living', head('living', { pid: process.pid, startTime: startTimeOf(process.pid) }), group);
    write('elsewhere', head('elsewhere', dead, { machine: 'another' }), group);
    write('container', head('container', dead, { pids: 'pid:[1]' }), group);
    const before = files();
    expect(await sweepLeftovers({ stateDir })).toEqual([]);
    expect(files()).toEqual(before);

    const instance = `sweep-test-${process.pid}`;
    write(instance, head(instance, dead), group);
    const built = builtModule('adapters/process/reaper/state-file.ts');
    const script = `import(${JSON.stringify(built)})
      .then(({ sweepLeftovers }) => sweepLeftovers({ stateDir: ${JSON.stringify(stateDir)} }))
      .then((ended) => console.log(JSON.stringify(ended)))`;
    const inside = await promisify(execFile)(process.execPath, ['-e', script], {
      env: { ...process.env, A2C_INSTANCE: instance },
    });
    expect(JSON.parse(inside.stdout)).toEqual([]);
    expect(lives(pgid)).toBe(true);
  });

  it('removes what is garbled, forgotten, or from before the last boot, and ends nothing for it', async () => {
    const { pgid, group } = await entered();
    write('empty');
    write('garbled', '{"a2c":1,"inst', group);
    write('old', head('old', dead, { boot: 'another' }), group);
    write('renamed', head('another', dead), group);
    const long = new Date(Date.now() - 40 * 86_400_000);
    write('elsewhere', head('elsewhere', dead, { machine: 'another' }), group);
    utimesSync(join(hostsDir(stateDir), fileNameOf('elsewhere')), long, long);
    writeFileSync(join(hostsDir(stateDir), 'half.ndjson.new'), '');
    utimesSync(join(hostsDir(stateDir), 'half.ndjson.new'), long, long);
    expect(files()).toHaveLength(6);
    expect(await sweepLeftovers({ stateDir })).toEqual([]);
    expect(files()).toEqual([]);
    expect(lives(pgid)).toBe(true);
  });

  it('sweeps nothing where nobody wrote, and nothing when it is off', async () => {
    expect(await sweepLeftovers({ stateDir: join(stateDir, 'no', 'such') })).toEqual([]);
    write('dead', head('dead', dead), (await entered()).group);
    expect(await sweepLeftovers({ stateDir: false })).toEqual([]);
    expect(files()).toHaveLength(1);
  });
});
