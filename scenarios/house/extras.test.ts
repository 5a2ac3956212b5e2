import { describe, expect, it } from 'vitest';
import { extraOf, extras, importsOf, linesOf, loadedWith, productFiles, registry } from './extras.ts';
import { root } from '../fixtures/checkout.ts';

const files = productFiles(root);
const crossing = files.flatMap((path) =>
  importsOf(root, path)
    .filter((each) => extraOf(each.path) !== undefined && extraOf(each.path) !== extraOf(path))
    .map((each) => ({ from: path, to: each.path, how: each.how })),
);

describe('the core', () => {
  it('imports no extra, but for the one file that names them', () => {
    const ofCore = crossing.filter(({ from }) => extraOf(from) === undefined);
    expect(ofCore.filter(({ from }) => from !== registry)).toEqual([]);
    expect(ofCore.map(({ how }) => how)).toEqual(
      extras.flatMap(({ line }) => (line === undefined ? [] : ['lazy'])),
    );
  });

  it('has at most the lines that are allowed', () => {
    expect(
      linesOf(
        root,
        files.filter((path) => extraOf(path) === undefined),
      ),
    ).toBeLessThanOrEqual(56_000);
  });
});

describe('an extra', () => {
  it.each(extras)('$name has files, and uses no other extra than those that it names', ({ name, uses }) => {
    expect(files.some((path) => extraOf(path) === name)).toBe(true);
    const used = crossing.filter(({ from }) => extraOf(from) === name).map(({ to }) => extraOf(to) as string);
    expect([...new Set(used)].toSorted()).toEqual([...uses].toSorted());
  });
});

describe('the lines of source that a host loads with its import', () => {
  it.each([
    ['an office', 'actors/office.ts', 13_900],
    ['an agent', 'actors/agent.ts', 16_000],
    ['a computer', 'actors/computer.ts', 36_000],
    ['a presenter', 'actors/presenter/index.ts', 40_400],
    ['supervised transports', 'actors/transport/index.ts', 1_500],
  ])('are bounded for %s', (_, entry, most) => {
    expect(linesOf(root, loadedWith(root, entry))).toBeLessThanOrEqual(most);
  });

  it('a call through a host that keeps its server loads at most 11,000 lines', () => {
    const entries = ['main', 'cli/run', 'cli/context', 'cli/call'].map((name) => `actors/${name}.ts`);
    const loaded = new Set(entries.flatMap((entry) => [...loadedWith(root, entry)]));
    expect(linesOf(root, loaded)).toBeLessThanOrEqual(11_000);
  });

  it.each([
    [
      'an office',
      'actors/office.ts',
      /adapters\/(mcp|process|oauth|files|redis)\/|machines\/(config|client|resources|computer)\//,
    ],
    [
      'an agent',
      'actors/agent.ts',
      /adapters\/(mcp|process|oauth|files)\/|machines\/(config|client|computer|process)\//,
    ],
    [
      'a computer',
      'actors/computer.ts',
      /http\/(http|sse|streamable|linked)\.ts|adapters\/(oauth|vrl|files|redis)\/|machines\/(agent|office\/office|link\/link\.machine)/,
    ],
  ])('have nothing for %s that it does not use', (_, entry, foreign) => {
    expect([...loadedWith(root, entry)].filter((path) => foreign.test(path))).toEqual([]);
  });
});

it('the judge imports nothing of the product, so that it judges our host as all others', () => {
  const paths = loadedWith(root, 'scenarios/judge/judge-command.ts');
  expect([...paths].filter((path) => !/^scenarios\/(judge|fault-server)\//.test(path))).toEqual([]);
  expect(paths.size).toBeGreaterThan(10);
});
