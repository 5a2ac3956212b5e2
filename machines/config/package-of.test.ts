import { expect, it } from 'vitest';
import { packageOf } from './package-of.ts';

/** Tests of the package name in a command, which a person sees before an import; other arguments stay hidden. */
it.each<[string, string | undefined]>([
  ['npx -y @scope/server@1.2 --token SECRET', '@scope/server@1.2'],
  ['npx --package=@scope/pkg run SECRET', '@scope/pkg'],
  ['npx -p pkg -y run', 'pkg'],
  ['npx --registry https://r pkg', 'pkg'],
  ['/usr/local/bin/npx pkg', 'pkg'],
  ['C:\\nodejs\\npx.cmd pkg', 'pkg'],
  ['cmd /c npx -y pkg', 'pkg'],
  ['cmd.exe /d /c npx pkg', 'pkg'],
  ['npm exec -- pkg', 'pkg'],
  ['pnpm dlx pkg', 'pkg'],
  ['bunx pkg', 'pkg'],
  ['uvx mcp-server-git --repository SECRET', 'mcp-server-git'],
  ['uvx --from git+https://user:SECRET@host/x tool', 'git+https://***@host/x'],
  ['uv tool run pkg', 'pkg'],
  ['uv run --directory /a server.py', 'server.py'],
  ['pipx run pkg', 'pkg'],
  ['docker run -i --rm -e TOKEN=SECRET ghcr.io/a/b:1 SECRET', 'ghcr.io/a/b:1'],
  ['docker run -p 1:2 --name n image', 'image'],
  ['node server.js SECRET', undefined],
  ['npm start', undefined],
  ['npx', undefined],
])('%s fetches %s', (line, name) => {
  const [command = '', ...args] = line.split(' ');
  expect(packageOf(command, args)).toBe(name);
});
