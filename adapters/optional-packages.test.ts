import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { installCommand, optionalPackages, ownCommand, typedInShell } from './optional-packages.ts';

type Ranges = Readonly<Record<string, string>>;
const { devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as {
  readonly devDependencies: Ranges;
  readonly peerDependencies: Ranges;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
};

it('the optional packages are the optional peers of package.json, in a version that it takes', () => {
  // fast-check is left out, because the simulator loads it and explains its absence by itself.
  const { 'fast-check': _, ...peers } = peerDependencies;
  expect(Object.keys(peers)).toEqual(Object.keys(optionalPackages));
  for (const [name, version] of Object.entries(optionalPackages)) {
    const range = peers[name]?.replace(/^[~^]/, '') ?? '';
    expect([name, range.startsWith(version.slice(1))]).toEqual([name, true]);
    expect([name, peerDependenciesMeta[name]?.optional]).toEqual([name, true]);
    expect(devDependencies).toHaveProperty([name]);
  }
  expect(installCommand('@bpinternal/verel')).toBe('npm install @bpinternal/verel@0.2.0');
});

const place = (url: string, ...argv: string[]) => ({
  url: `file://${url}/a2c-actors/dist/actors/main.js`,
  argv,
  platform: 'linux' as const,
});
it.each([
  ['a2c', 'a2c', 'a2c'],
  ['@scope/x@1', '@scope/x@1', '"@scope/x@1"'],
  ['x@1', 'x@1', 'x@1'],
  ['n=1', 'n=1', 'n=1'],
  ['a,b', 'a,b', '"a,b"'],
  ['%PATH%', '%PATH%', '"%PATH%"'],
  ['C:\\new\\x.json', "'C:\\new\\x.json'", 'C:\\new\\x.json'],
  ['my server', "'my server'", '"my server"'],
  ['', "''", '""'],
  ['a & calc', "'a & calc'", '"a & calc"'],
  ['it\'s "x"', `'it'\\''s "x"'`, `"it's ""x"""`],
  ['my dir\\', "'my dir\\'", '"my dir\\\\"'],
  ['x\\"y', `'x\\"y'`, '"x\\\\""y"'],
  ['$(calc)`', "'$(calc)`'", '"`$(calc)``"'],
  ['”; calc', "'”; calc'", '"””; calc"'],
])('a word is quoted for the shells of its system: %s', (word, posix, windows) => {
  expect([typedInShell([word], 'linux'), typedInShell([word], 'win32')]).toEqual([posix, windows]);
});

it.each([
  ['npm install prom-client', 'a2c', place('/p/node_modules', '/bin/a2c', 'tools')],
  ['npm install prom-client', 'npx a2c', place('/p/node_modules', '/p/node_modules/.bin/a2c', 'tools')],
  ['npm install -g prom-client', 'a2c', place('/usr/lib/node_modules', '/usr/bin/a2c', 'tools')],
  [
    "npx -p a2c-actors -p prom-client a2c tools --log -c 'my servers.json'",
    'npx -p a2c-actors a2c',
    place('/h/.npm/_npx/12/node_modules', '/h/_npx/a2c', 'tools', '--log', '-c', 'my servers.json'),
  ],
])('%s is the command for a program that was started as %s', (install, own, where) => {
  expect(installCommand('prom-client', where)).toBe(install);
  expect(ownCommand(where).join(' ')).toBe(own);
});
