import type { CommandContext } from './context.ts';
import { exitCodeOf } from './exit-codes.ts';
import { onlyServer, withComputer, type OneShotOptions } from './one-shot.ts';
import { signatureText } from './printing/signature.ts';
import { configOf } from './source.ts';
import { A2cError, badRequest } from '../kernel/errors.ts';
import type { ToolInfo } from '../servers/server-handle.ts';
import { exportFor, plainWords } from '../../machines/applications/export.ts';
import type { Config } from '../../machines/config/parse.ts';
import { toolClient, toolTypes } from '../../machines/models/typescript.ts';
import { version } from '../../machines/version.ts';

export type Generated = 'types' | 'client' | 'cli';
export async function generate(
  context: CommandContext,
  what: Generated,
  name: string | undefined,
  options: OneShotOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const whole = await configOf(context, options);
  const [only, other] = whole.servers;
  if (name === undefined && (only === undefined || other !== undefined))
    throw badRequest(
      'which server? The config has several',
      `Name it: a2c generate ${what} ${only?.name ?? 'SERVER'}`,
    );
  const server = name ?? only?.name ?? '';
  const config = onlyServer(whole, server);
  const { tools, servers } = await withComputer(context, options, config, (computer) => computer.tools());
  const status = servers.find((each) => each.name === server);
  if (status?.state !== 'ready')
    throw new A2cError({
      code: 'ServerNotActive',
      message: `Server '${server}' did not start: ${status?.reason ?? status?.state ?? 'it is gone'}`,
      details: { server_name: server },
      remedy: 'See what it writes: --verbose',
    });
  const write = { types: toolTypes, client: toolClient, cli: () => toolCommand(config, tools) }[what];
  terminal.outText(write(server, tools).trimEnd());
  return exitCodeOf(signal);
}

/** Secrets of the entry are replaced by variables. */
function toolCommand(config: Config, tools: readonly ToolInfo[]): string {
  const { value } = exportFor(config, plainWords, false);
  const known = Object.fromEntries(
    tools.map(({ name, description = '', inputSchema }) => [
      name,
      { usage: signatureText(name, inputSchema), description },
    ]),
  );
  return `#!/usr/bin/env node
// Command for the tools of one MCP server, made by a2c generate cli. It needs Node, and takes a2c-actors from where it is
// installed, or else from npm.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const config = ${JSON.stringify(value, null, 2)};
const tools = ${JSON.stringify(known, null, 2)};

const [tool, ...words] = process.argv.slice(2);
if (tool === undefined || tool === '--help' || !Object.hasOwn(tools, tool)) {
  const isWrong = tool !== undefined && tool !== '--help';
  const out = isWrong ? process.stderr : process.stdout;
  if (isWrong) out.write(\`error: there is no tool '\${tool}'\\n\`);
  for (const { usage, description } of Object.values(tools)) out.write(\`\${usage}\\n  \${description.split('\\n')[0]}\\n\`);
  process.exit(isWrong ? 2 : 0);
}
if (words.includes('--help')) {
  const { usage, description } = tools[tool];
  process.stdout.write(\`\${usage}\\n\\n\${description}\\n\`);
  process.exit(0);
}
/** Program and first arguments of a2c. */
function command() {
  for (const from of [import.meta.url, join(process.cwd(), 'package.json')])
    try {
      const manifest = createRequire(from).resolve('a2c-actors/package.json');
      return [process.execPath, join(dirname(manifest), 'dist/actors/main.js')];
    } catch {
      // Tries the next place.
    }
  return ['npx', '-y', '-p', 'a2c-actors@${version}', 'a2c'];
}
const [program, ...first] = command();
const child = spawn(program, [...first, 'call', tool, ...words, '-c', JSON.stringify(config)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(\`error: a2c-actors was not found: npm install a2c-actors (\${error.message})\\n\`);
  process.exitCode = 1;
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
`;
}
