import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { configFiles, fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of `a2c logs`, `a2c status` and `a2c doctor`, the commands that help to find a fault. */
const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('looking');
const talker = join(folder, 'talker.mjs');
writeFileSync(
  talker,
  `console.error('starting with ' + process.env.TOKEN); await import(${JSON.stringify(server)});`,
);
const fileOf = configFiles(folder);
const fine = { command: process.execPath, args: [talker], env: { TOKEN: 's3cret-value' } };
const broken = { command: 'no-such-command-anywhere' };
const crashing = { command: process.execPath, args: ['-e', 'console.error("no luck"); process.exit(7)'] };

describe('a2c logs', () => {
  it('shows what one server writes, secrets hidden, and starts no other', async () => {
    const file = fileOf({ fine, broken });
    const { code, out, err } = await commandLine(['logs', 'fine', '-c', file]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^\d\d:\d\d:\d\d stderr {2}starting with \*\*\*$/m);
    expect(out).not.toContain('s3cret-value');
    const told = await commandLine(['logs', 'fine', '--json', '-c', file]);
    expect(JSON.parse(told.out.split('\n')[0] ?? '')).toMatchObject({ server: 'fine', from: 'stderr' });
  });

  it('shows the last words of a server that does not start, and ends with 1', async () => {
    const { code, out, err } = await commandLine(['logs', 'crashing', '-c', fileOf({ crashing })]);
    expect(code).toBe(1);
    expect(out).toContain('no luck');
    expect(err).toContain('exit code 7');
  });

  it('follows until Ctrl-C', async () => {
    const aborter = new AbortController();
    const onLine = (line: string): void => {
      if (line.includes('starting with')) aborter.abort();
    };
    const told = commandLine(['logs', 'fine', '-f', '-c', fileOf({ fine })], {
      signal: aborter.signal,
      onLine,
    });
    expect((await told).out).toContain('starting with');
  });

  it('are shown beside the answer of any command with --verbose', async () => {
    const { out, err } = await commandLine(['call', 'echo', 'text=hi', '--verbose', '-c', fileOf({ fine })]);
    expect(out).toBe('hi\n');
    expect(err).toMatch(/^\[fine\] \d\d:\d\d:\d\d stderr {2}starting with \*\*\*$/m);
  });
});

describe('a2c status', () => {
  it('says once of each server that it is down', async () => {
    const { code, out } = await commandLine(['status', '-c', fileOf({ fine, broken })]);
    expect([code, out.split('\n').filter((line) => line.includes('broken'))]).toEqual([
      1,
      [expect.stringMatching(/^broken +gave up: .*no-such-command-anywhere/)],
    ]);
  });
});

describe('a2c doctor', () => {
  it('says of each server what is wrong and what to do, and ends with 1', async () => {
    const { code, out } = await commandLine(['doctor', '-c', fileOf({ fine, broken, crashing })]);
    expect(code).toBe(1);
    expect(out).toMatch(/^ok +Node: \d+/m);
    expect(out).toMatch(/^ok +server fine: ready, \d+ tools$/m);
    expect(out).toMatch(/^WRONG +server crashing: .*exit code 7/m);
    expect(out).toContain('no luck');
    expect(out).toMatch(/^WRONG +server broken: .*no-such-command-anywhere/m);
    expect(out).toMatch(/^2 things are wrong$/m);
  });

  it('is one document with --json', async () => {
    const { code, out } = await commandLine(['doctor', '--json', '-c', fileOf({ fine })]);
    const { checks } = JSON.parse(out) as { checks: { what: string; state: string }[] };
    expect(code).toBe(0);
    expect(checks.find(({ what }) => what === 'server fine')?.state).toBe('ok');
  });

  it('says of a config with a mistake where it is, and starts nothing', async () => {
    const { code, out } = await commandLine(['doctor', '-c', fileOf({ x: { command: 7 } })]);
    expect(code).toBe(1);
    expect(out).toMatch(/^WRONG +config: .*mcpServers\.x\.command/m);
    expect(out).not.toContain('server x');
  });

  it('warns of secrets that others may read', async () => {
    const file = fileOf({ fine });
    chmodSync(file, 0o644);
    expect((await commandLine(['doctor', '-c', file])).out).toMatch(/^warning +config: .*TOKEN/m);
    chmodSync(file, 0o600);
    expect((await commandLine(['doctor', '-c', file])).out).not.toContain('TOKEN');
  });
});
