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
const entry = { command: process.execPath, args: [server], autoApprove: ['all'] };
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

const [plain, withVrl] = [{}, { vrl: '.a = 1' }].map((more, n) => {
  const file = join(folder, `${n}.json`);
  writeFileSync(file, JSON.stringify({ mcpServers: { s: { ...entry, ...more } } }));
  return file;
});
/** Rows of: an optional package, what needs it, the exit code without it, and a command. */
const rows = [
  ['@opentelemetry/api', 'tracing', 2, `call meta --tracing -c ${plain}`],
  ['prom-client', 'with metrics', 1, 'office --port 0 --metrics 0'],
  ['ioredis', 'in Redis', 1, 'office --port 0 --redis redis://127.0.0.1:1'],
  ['@bpinternal/verel', 'VRL', 2, `call meta -c ${withVrl}`],
  ['@napi-rs/keyring', '--keyring', 0, `call meta --keyring -c ${plain}`],
  ['pdfjs-dist', '.pdf', 0, `documents ${corpus}`],
  ['mammoth', '.docx', 0, `documents ${corpus}`],
  ['@e965/xlsx', '.xlsx', 0, `documents ${corpus}`],
] as const;
it.each(rows)(
  'a command without %s says that %s needs it, and what to install',
  async (name, what, exitCode, line) => {
    const { code, err } = await withoutPackages(name, ...line.split(' '));
    expect(err).toContain(`${what} needs the package ${name}, which is not installed`);
    expect(err).toContain(`npm install ${name}`);
    expect(code).toBe(exitCode);
  },
);
it('a call is made without any of them', async () => {
  const call = await withoutPackages(rows.map(([name]) => name).join(), 'call', 'meta', '-c', `${plain}`);
  expect(call).toMatchObject({ code: 0, out: expect.stringContaining('progressToken') });
});
