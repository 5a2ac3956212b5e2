import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { manifest, root } from '../fixtures/checkout.ts';

const site = join(root, 'artifacts/site');
const { exports } = manifest;

it('npm run docs makes one site of all pages and entries, whose links lead somewhere, with a search', () => {
  const made = spawnSync('npm', ['run', '--silent', 'docs'], { cwd: root, encoding: 'utf8' });
  expect([made.status, made.stderr.trim()]).toEqual([0, '']);

  const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const rows = [...index.matchAll(/^\| \[[^\]]+\]\([^)#]+\.md\)/gm)];
  const chapters = [...index.matchAll(/^## /gm)];
  // README.md is the first page of the site.
  expect(readdirSync(join(site, 'documents')).length).toBe(rows.length + chapters.length - 1);
  const entries = Object.keys(exports).filter((path) => path !== './package.json');
  const modules = entries.map((path) => `a2c-actors${path.slice(1).replace('/', '_')}.html`);
  expect(readdirSync(join(site, 'modules')).toSorted()).toEqual(modules.toSorted());
  expect(existsSync(join(site, 'variables/a2c-actors.createComputer.html'))).toBe(true);

  const search = readFileSync(join(site, 'assets/search.js'), 'utf8');
  const [, packed = ''] = /"([\w+/=]{100,})"/.exec(search) ?? [];
  const found = inflateSync(Buffer.from(packed, 'base64')).toString();
  for (const name of ['createComputer', 'Troubleshooting', 'worldOf', 'supervised'])
    expect(found).toContain(`"name":"${name}"`);
});
