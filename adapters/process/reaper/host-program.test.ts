import { describe, expect, it } from 'vitest';
import { isPlainNode, whyNoReaper, type HostProgram } from './host-program.ts';

const node: HostProgram = {
  env: {},
  versions: { node: '20.19.0' },
  main: '/app/main.js',
  isSingleFile: false,
};
const bun = { node: '24.3.0', bun: '1.4.5' };
const oldBun = { node: '24.3.0', bun: '1.2.15' };
const electron = { node: '22.0.0', electron: '40.0.0' };

describe('the reaper of a host', () => {
  it.each<[string, Partial<HostProgram>, string | undefined]>([
    ['of Node', {}, undefined],
    ['of Bun with a script', { versions: bun }, undefined],
    ['of Bun as one file', { versions: bun, main: '/$bunfs/root/host' }, undefined],
    ['of an old Bun as one file', { versions: oldBun, main: '/$bunfs/root/host' }, 'a single file'],
    ['of an old Bun on Windows', { versions: oldBun, main: 'B:\\~BUN\\root\\app.exe' }, 'a single file'],
    ['of Node SEA or deno compile', { isSingleFile: true }, 'a single file'],
    ['of Electron', { versions: electron }, 'an Electron app'],
    ['of Electron as Node', { versions: electron, env: { ELECTRON_RUN_AS_NODE: '1' } }, undefined],
    ['that was started as a reaper', { env: { A2C_REAPER: '1' } }, 'started as one (A2C_REAPER is set)'],
  ])('is there, or says why not, for a host %s', (_, program, why) => {
    expect(whyNoReaper({ ...node, ...program })).toEqual(why && expect.stringContaining(why));
  });

  it('is there on this host', () => {
    expect(whyNoReaper()).toBeUndefined();
  });

  it.each<[string, Partial<HostProgram>, string, boolean]>([
    ['node', {}, '/usr/bin/node', true],
    ['a node of one version', {}, '/opt/bin/node22', true],
    ['a program of another name', {}, '/opt/bin/my-app', false],
    ['Bun', { versions: bun }, '/usr/bin/node', false],
    ['Electron', { versions: electron }, '/usr/bin/node', false],
    ['one file', { isSingleFile: true }, '/usr/bin/node', false],
  ])('is guarded by a shell only where the host is surely Node: %s', (_, program, path, is) => {
    expect(isPlainNode({ ...node, ...program }, path)).toBe(is);
  });
});
