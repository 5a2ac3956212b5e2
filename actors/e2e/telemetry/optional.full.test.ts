/** Tests of a host and a command without the optional packages. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { testFolder } from '../../../scenarios/fixtures/test-folder.ts';

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
/** Server whose tool `meta` answers with the `_meta` of its call. */
const server = at('scenarios/fixtures/mcp-server.mjs');
const config = {
  mcpServers: { s: { command: process.execPath, args: [server], autoApprove: ['all'] } },
};
const corpus = at('scenarios/corpus');
const folder = testFolder('optional');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
/** Runs the command in a process in which these packages seem not to be installed. */
const withoutPackages = (names: string, ...argv: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const hook = pathToFileURL(at('scenarios/fixtures/without-packages.mjs')).href;
    const child = execFile(
      process.execPath,
      ['--import', hook, at('dist/actors/main.js'), ...argv],
      { env: { ...process.env, WITHOUT: names, XDG_STATE_HOME: folder } },
      (_, out, err) => resolve({ code: child.exitCode, out, err }),
    );
    child.stdin?.end();
  });

/** Rows of: an optional package, a command that needs it, and the error text without it. */
const rows = [
  { without: '@opentelemetry/api', argv: ['call', 'meta', '--tracing'], says: 'tracing needs the package' },
  {
    without: 'prom-client',
    argv: ['office', '--port', '0', '--metrics', '0'],
    says: 'with metrics needs the package',
  },
  {
    without: 'ioredis',
    argv: ['office', '--port', '0', '--redis', 'redis://127.0.0.1:1'],
    says: 'in Redis needs the package',
  },
  {
    without: '@bpinternal/verel',
    argv: ['call', 'meta'],
    config: { vrl: '.a = 1' },
    says: 'VRL needs the package',
  },
  {
    without: '@napi-rs/keyring',
    argv: ['call', 'meta', '--keyring'],
    code: 0,
    says: '--keyring needs the package',
  },
  { without: 'pdfjs-dist', argv: ['documents', corpus], code: 0, says: '.pdf needs the package' },
  { without: 'mammoth', argv: ['documents', corpus], code: 0, says: '.docx needs the package' },
  { without: '@e965/xlsx', argv: ['documents', corpus], code: 0, says: '.xlsx needs the package' },
] as const;
it.each(rows)('a command without $without says what to install', async ({ without, argv, says, ...row }) => {
  const file = join(folder, `${without.replaceAll('/', '-')}.json`);
  const { s } = config.mcpServers;
  writeFileSync(file, JSON.stringify({ mcpServers: { s: { ...s, ...('config' in row && row.config) } } }));
  const isHost = argv[0] === 'call';
  const { code, err } = await withoutPackages(without, ...argv, ...(isHost ? ['-c', file] : []));
  expect(err).toContain(`${says} ${without}, which is not installed`);
  expect(err).toContain(`npm install ${without}`);
  expect(code).toBe('code' in row ? row.code : argv[0] === 'call' ? 2 : 1);
});
it('a call is made without any of them', async () => {
  const file = join(folder, 'servers.json');
  writeFileSync(file, JSON.stringify(config));
  const all = rows.map(({ without }) => without).join(',');
  const call = await withoutPackages(all, 'call', 'meta', '-c', file);
  expect(call).toMatchObject({ code: 0, out: expect.stringContaining('progressToken') });
});
