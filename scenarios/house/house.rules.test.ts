import { describe, expect, it } from 'vitest';
import { banViolations, general, purity } from './bans.ts';
import { cycleViolations } from './cycles.ts';
import { foldersInCircles } from './folder-circles.ts';
import { edgesOf } from './imports.ts';
import { nameViolations, placeViolations } from './names.ts';
import { packageViolations, roomViolations, type Rules } from './rooms.ts';
import { medianLength, sizeViolations } from './sizes.ts';
import { told, type Violation, type Source } from './source.ts';
import { syntaxViolations } from './syntax.ts';

// Each check is shown red once: a check that cannot fail is worse than none.

const file = (path: string, text: string): Source => ({ path, text });
const lines = (n: number): string => 'x;\n'.repeat(n);
const whats = (violations: readonly Violation[]): string[] =>
  violations.map(({ line, what }) => `${line}: ${what}`);

const rules: Rules = { machines: ['computer', 'client'], adapters: [['mcp', 'process']] };
const rooms = (from: string, text: string): string[] =>
  whats(roomViolations(edgesOf(file(from, text)), rules));

describe('rooms', () => {
  it.each([
    ['machines/protocol/a.ts', `import { m } from '../client/client.machine.ts';`],
    ['machines/kernel/address.ts', `export type { M } from '../client/client.machine.ts';`],
    ['machines/client/client.machine.ts', `import { c } from '../computer/computer.machine.ts';`],
    ['machines/client/client.machine.ts', `import type { C } from './nameless.machine.ts';`],
    ['machines/client/client.setup.ts', `import type { C } from '../computer/computer.machine.ts';`],
    ['machines/client/client.machine.ts', `import { a } from '../../adapters/index.ts';`],
    ['machines/office/relay.ts', `import { d } from '../../adapters/connections/desk.ts';`],
    ['adapters/connections/desk.ts', `import { s } from '../socket/office.ts';`],
    ['adapters/mcp/session.ts', `import { m } from '../../machines/client/client.machine.ts';`],
    ['adapters/mcp/session.ts', `import { type M } from '../../machines/client/client.machine.ts';`],
    ['adapters/process/launch.ts', `import { s } from '../mcp/session.ts';`],
    ['adapters/mcp/session.ts', `import { a } from '../../actors/index.ts';`],
    ['adapters/index.ts', `import { a } from '../actors/index.ts';`],
    ['actors/computer.ts', `import { s } from '../adapters/mcp/session.ts';`],
    ['actors/computer.ts', `type S = import('../adapters/mcp/session.ts').S;`],
    ['actors/computer.ts', `await import('../scenarios/sim.ts');`],
    ['actors/main.ts', `import { sim } from '../scenarios/sim.ts';`],
    ['actors/servers.ts', `import { hosted } from '../scenarios/fixtures/hosted.ts';`],
    ['actors/servers.test.ts', `import { sim } from '../scenarios/sim.ts';`],
    ['scenarios/sim.ts', `import { a } from '../adapters/index.ts';`],
    ['scenarios/sim.ts', `export { t } from './house.test.ts';`],
    ['scenarios/sim.ts', `await import(name);`],
    ['scenarios/sim.ts', `import { e } from '../examples/embed.ts';`],
  ])('are closed to %s: %s', (from, text) => {
    expect(rooms(from, text)).toHaveLength(1);
  });

  it.each([
    ['machines/protocol/a.ts', `import { m } from '../kernel/address.ts';`],
    ['machines/computer/computer.machine.ts', `import { c } from '../client/client.machine.ts';`],
    ['machines/client/client.machine.ts', `import { c } from './client.setup.ts';`],
    ['adapters/mcp/session.ts', `import type { M } from '../../machines/client/client.machine.ts';`],
    ['adapters/socket/office.ts', `import { d } from '../connections/desk.ts';`],
    ['scenarios/stage/network.ts', `import { d } from '../../adapters/connections/desk.ts';`],
    ['adapters/mcp/session.ts', `import { p } from '../process/streams.ts';`],
    ['adapters/index.ts', `import { p } from './process/streams.ts';`],
    ['actors/computer.ts', `import { a } from '../adapters/index.ts';`],
    ['actors/main.ts', `await import('../scenarios/sim.ts');`],
    ['actors/servers.test.ts', `import { hosted } from '../scenarios/fixtures/hosted.ts';`],
    ['scenarios/contracts/process.test.ts', `import { p } from '../../adapters/process/launch.ts';`],
    ['scenarios/house.test.ts', `import { p } from '../actors/directory.ts'; import z from 'zod';`],
  ])('are open to %s: %s', (from, text) => {
    expect(rooms(from, text)).toEqual([]);
  });
});

describe('packages', () => {
  const table = [
    { where: /^adapters\//, may: ['node:*', 'sdk/*'], types: ['xstate'] },
    { where: /\.test\.ts$/, may: ['vitest'] },
  ];
  const taken = (path: string, text: string): string[] =>
    whats(packageViolations(edgesOf(file(path, text)), table));

  it('are refused when no row of the table names them', () => {
    expect(taken('adapters/a.ts', `import c from 'chalk';`)).toEqual(['1: imports chalk']);
    expect(taken('adapters/a.ts', `\nimport { fromCallback } from 'xstate';`)).toEqual(['2: imports xstate']);
    expect(taken('adapters/a.ts', `import { it } from 'vitest';`)).toEqual(['1: imports vitest']);
  });

  it('are taken when a row names them', () => {
    const text = `import fs from 'node:fs'; import type { S } from 'xstate'; import { c } from 'sdk/client.js';`;
    expect(taken('adapters/a.ts', text)).toEqual([]);
    expect(taken('adapters/a.test.ts', `import { it } from 'vitest';`)).toEqual([]);
  });
});

describe('circles', () => {
  it('are found among files, whatever their folders', () => {
    const files = [
      file('machines/client/a.ts', `import { b } from './b.ts';`),
      file('machines/client/b.ts', `import type { C } from '../uri/c.ts';`),
      file('machines/uri/c.ts', `import type { A } from '../client/a.ts';`),
    ];
    expect(cycleViolations(files.flatMap(edgesOf)).map(({ what }) => what)).toEqual([
      'a circle of imports: machines/client/a.ts → machines/client/b.ts → machines/uri/c.ts → machines/client/a.ts',
    ]);
    expect(cycleViolations(files.slice(1).flatMap(edgesOf))).toEqual([]);
  });

  it('are none where an import waits until it is needed', () => {
    const files = [
      file('actors/a.ts', `import { b } from './b.ts';`),
      file('actors/b.ts', `await import('./a.ts');`),
    ];
    expect(cycleViolations(files.flatMap(edgesOf))).toEqual([]);
  });
});

describe('folders', () => {
  const files = [
    file('machines/client/a.ts', `import type { B } from '../uri/deep/b.ts';`),
    file('machines/uri/deep/b.ts', `import type { C } from '../../kernel/c.ts';`),
    file('machines/kernel/c.ts', `import type { A } from '../client/other.ts';`),
    file('machines/call/d.ts', `import type { C } from '../kernel/c.ts';`),
  ];
  const arrows = files.flatMap(edgesOf);
  it('are found in a circle, whatever their files', () => {
    expect(foldersInCircles(arrows)).toEqual(['machines/client', 'machines/kernel', 'machines/uri']);
    expect(foldersInCircles(arrows.slice(1))).toEqual([]);
  });

  it('are none where a test or a later import closes it', () => {
    const later = file('machines/kernel/c.ts', `await import('../client/other.ts');`);
    const test = file('machines/kernel/c.test.ts', `import { a } from '../client/other.ts';`);
    expect(foldersInCircles([...files.slice(0, 2), later, test].flatMap(edgesOf))).toEqual([]);
  });
});

describe('bans', () => {
  const found = (path: string, text: string): string[] => [
    ...whats(banViolations([file(path, text)], [...purity, ...general])),
    ...whats(syntaxViolations([file(path, text)])),
  ];

  it.each([
    ['machines/a.ts', 'Date.now();'],
    ['machines/a.ts', 'new Date();'],
    ['machines/a.ts', 'performance.now();'],
    ['machines/a.ts', 'Math.random();'],
    ['machines/a.ts', 'crypto.randomUUID();'],
    ['machines/a.ts', 'setInterval(f, 1);'],
    ['machines/a.ts', 'process.env;'],
    ['machines/a.machine.ts', 'throw e;'],
    ['machines/a.machine.ts', 'const f = async () => 1;'],
    ['machines/a.ts', 'createActor(m);'],
    ['adapters/a.ts', 'm.provide({});'],
    ['adapters/mcp/a.ts', 'spawn("ls");'],
    ['adapters/mcp/a.ts', 'console.log(1);'],
    ['actors/cli/a.ts', 'process.stdout.write(text);'],
    ['actors/a.ts', 'const a = b as any;'],
    ['actors/a.ts', 'let a: any;'],
    ['actors/a.ts', 'let a: Map<string, any>;'],
    ['actors/a.ts', '// @ts-ignore'],
    ['actors/a.ts', '/* FIXME later */'],
    ['actors/a.test.ts', 'it.only(x, f);'],
    ['actors/a.test.ts', 'describe.skip(x, f);'],
    ['actors/a.test.ts', 'setTimeout(f, 1);'],
    ['actors/a.test.ts', 'new Promise((r) => globalThis.setTimeout(r, 1));'],
    ['actors/a.test.ts', `import { setTimeout as sleep } from 'node:timers/promises';`],
    ['actors/a.ts', `export * from './b.ts';`],
    ['machines/a.ts', 'x = { ...{ a: 1, b: 2 }, c };'],
    ['actors/a.ts', 'export default 1;'],
    ['machines/a.ts', `on({ '*': f });`],
    ['machines/a.ts', `m({ after: { 500: 'x' } });`],
    ['machines/a.ts', 'enqueueActions(() => { stopChild(x); });'],
    ['actors/a.ts', 'createActor(m, { inspect });'],
    ['actors/a.ts', `import { waitFor } from 'xstate';`],
    ['actors/a.ts', `import { spawn as run } from 'node:child_process';`],
  ])('catch in %s: %s', (path, text) => {
    expect(found(path, `\n${text}`)).toHaveLength(1);
    expect(found(path, `\n${text}`)[0]).toMatch(/^2: .*banned|does nothing/);
  });

  it('let through what only looks alike', () => {
    const prose = `// new Date( any, as any\nconst s = 'console.log: any, Date.now()'; const r = /setTimeout\\(/;`;
    expect(found('machines/a.ts', prose)).toEqual([]);
    expect(found('machines/a.ts', 'x = { ...known, ...(isNew && { a: 1 }) };')).toEqual([]);
    expect(found('machines/a.ts', 'enqueueActions(() => { enqueue.stopChild(x); }); stopChild(y);')).toEqual(
      [],
    );
    expect(found('actors/a.test.ts', 'setTimeout(f, 1); // real time: the kernel reaps')).toEqual([]);
    expect(found('machines/a.ts', `m({ after: { backoff: 'x' } }); const many = company.any;`)).toEqual([]);
    expect(found('scenarios/clock.test.ts', 'clock.setTimeout(f, 1);')).toEqual([]);
    expect(found('a.config.ts', 'export default 1;')).toEqual([]);
  });

  it('name the replacement', () => {
    expect(told(banViolations([file('machines/a.ts', 'Math.random()')], purity))).toEqual([
      'machines/a.ts:1: Math.random is banned — take the port random',
    ]);
  });
});

describe('sizes', () => {
  const long = file('actors/a.ts', `function big() {\n${lines(70)}}\n${lines(229)}`);
  it('have a limit for functions, and none for files', () => {
    expect(whats(sizeViolations([long]))).toEqual(['1: big has 72 lines']);
  });

  it('do not count a describe as a function', () => {
    const chapter = file('actors/a.test.ts', `describe('x', () => {\n${lines(90)}});`);
    expect(sizeViolations([chapter])).toEqual([]);
    expect(medianLength([chapter, long, file('b.ts', 'x\n')])).toBe(92);
  });
});

describe('names', () => {
  it('are kebab-case and no drawers', () => {
    for (const path of ['actors/callManager.ts', 'actors/call-manager.ts', 'utils/a.ts', 'actors/types.ts'])
      expect(nameViolations([{ path }]), path).toHaveLength(1);
    expect(nameViolations([{ path: 'machines/process.machine.test.ts' }])).toEqual([]);
  });

  it('of machines, people and private registries are caught in any text', () => {
    const work = ['', 'work', 'shared'].join('/');
    const lock = ['"resolved"', '"https://npm.corp.example/zod.tgz"'].join(': ');
    for (const text of [`see ${work}/x.md`, ['', 'root', '.npmrc'].join('/'), lock])
      expect(placeViolations([file('README.md', `\n${text}`)])[0]?.line, text).toBe(2);
    expect(
      placeViolations([file('package-lock.json', '"resolved": "https://registry.npmjs.org/zod"')]),
    ).toEqual([]);
  });
});

describe('a file that cannot be parsed', () => {
  it('fails instead of passing unseen', () => {
    expect(() => edgesOf(file('actors/a.ts', 'import {'))).toThrow('actors/a.ts');
  });
});
