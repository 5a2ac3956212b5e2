import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Tests of relative paths in server entries of a project that are imported into a config in another folder. */
const root = testFolder('project');
let folders = 0;
async function taken(name: string, text: string, into?: (project: string) => string) {
  const project = join(root, String((folders += 1)), 'shop');
  const file = join(project, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const ours = into?.(project) ?? join(root, `${folders}.json`);
  const { out } = await commandLine(['import', file, '--yes', '-c', ours]);
  const { mcpServers } = JSON.parse(readFileSync(ours, 'utf8')) as {
    mcpServers: { a: Record<string, unknown> };
  };
  return { project, out, a: mcpServers.a };
}
const entry = (more: object = {}): string =>
  JSON.stringify({ mcpServers: { a: { command: 'node', args: ['./srv.mjs'], ...more } } });

const pkg = { args: ['-y', 'pkg'] };

describe('a server of a project', () => {
  it.each([
    ['.codex/config.toml', '[mcp_servers.a]\ncommand = "node"\nargs = ["./srv.mjs"]\n'],
    ['.gemini/settings.json', entry()],
    ['opencode.json', '{"mcp": {"a": {"type": "local", "command": ["node", "./srv.mjs"]}}}'],
    ['.claude/mcp.json', entry()],
    ['.cursor/mcp.json', entry()],
    ['.vscode/mcp.json', '{"servers": {"a": {"command": "node", "args": ["./srv.mjs"]}}}'],
    ['.mcp.json', entry()],
    ['.kiro/settings/mcp.json', entry()],
    ['.junie/mcp/mcp.json', entry()],
    ['.trae/mcp.json', entry()],
    ['.vs/mcp.json', '{"servers": {"a": {"command": "node", "args": ["./srv.mjs"]}}}'],
    ['mcp.json', entry()],
    ['.mcp.json', entry({ args: ['dist/index.js'] })],
    ['theirs.json', entry()],
    ['theirs.json', entry({ command: '../bin/srv', args: [] })],
  ])('keeps in %s its folder: %s', async (name, text) => {
    const { a, project, out } = await taken(name, text);
    expect(a['cwd']).toBe(project);
    expect(out).toContain('changed: cwd: the folder of its project');
  });
  it.each([
    ['its own folder stays', '.mcp.json', entry({ cwd: '/srv' }), () => '/srv'],
    [
      'a folder below is below the project',
      '.mcp.json',
      entry({ cwd: './sub' }),
      (p: string) => join(p, 'sub'),
    ],
    [
      'the workspace is the project',
      '.vscode/mcp.json',
      entry({ cwd: '${workspaceFolder}/x' }),
      (p: string) => `${p}/x`,
    ],
    ['a file from anywhere says nothing', 'theirs.json', entry(pkg), () => undefined],
    ['a file of a user that was copied says nothing', 'Code/User/mcp.json', entry(pkg), () => undefined],
    ['a URL has none', '.mcp.json', '{"mcpServers": {"a": {"url": "http://h/mcp"}}}', () => undefined],
  ])('%s', async (_what, name, text, cwd) => {
    const { a, project } = await taken(name, text);
    expect(a['cwd']).toBe(cwd(project));
  });
  it('has ${workspaceFolder} as the folder of its project everywhere, and says so', async () => {
    const text = entry({ args: ['${workspaceFolder}/srv.mjs'], env: { ROOT: '${workspaceFolder}' } });
    const { a, project, out } = await taken('.vscode/mcp.json', text.replace('mcpServers', 'servers'));
    expect(a).toMatchObject({ args: [`${project}/srv.mjs`], env: { ROOT: project } });
    expect(out).toContain('changed: ${workspaceFolder} is the folder of its project');
  });
  it('needs no folder in a config of the same project', async () => {
    const { a } = await taken('.mcp.json', entry(), (project) => join(project, 'a2c.json'));
    expect(a['cwd']).toBeUndefined();
  });
  it('is shown with the package that it fetches', async () => {
    const { out } = await taken(
      'theirs.json',
      entry({ command: 'npx', args: ['-y', '@a/b', '--key', 'S3CRET'] }),
    );
    expect(out).toContain('taken     a  npx -y @a/b --key ***\n');
    expect(out).not.toContain('S3CRET');
  });
});
