import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ToolInfo } from '../../../actors/index.ts';
import { installed } from '../../fixtures/installed.ts';
import type { PublishedServer } from './published-servers.ts';
import type { ListedTool, ToolList } from './tool-lists.ts';
import { bootedComputer } from '../../fixtures/booted.ts';

/**
 * Installs a server from the registry into this folder, starts it in a computer, and gives the tools that it lists. Rejects
 * with a sentence that says what failed: the registry, or the server.
 */
export async function fetchTools(
  server: PublishedServer,
  folder: string,
  limitMs: number,
): Promise<ToolList> {
  const { package: name, version, args = [], env = {} } = server;
  const box = join(folder, 'box');
  mkdirSync(box, { recursive: true });
  const program = await installed(server, folder, limitMs);
  const config = {
    mcpServers: {
      [name]: {
        command: process.execPath,
        args: [program, ...args.map((arg) => arg.replaceAll('{folder}', box))],
        env,
        cwd: box,
      },
    },
  };
  await using computer = await bootedComputer({ config, stateDir: false, record: false });
  const [status] = computer.servers();
  if (status?.state !== 'ready')
    throw new Error(`${name} is ${status?.state}, not ready: ${status?.reason ?? 'no reason'}`);
  const { tools } = await computer.tools();
  // Some tell in which folder they are, and that is another one each time.
  const text = JSON.stringify(tools.map(listed)).replaceAll(box, '{folder}');
  return { package: name, version, tools: JSON.parse(text) as ListedTool[] };
}

/** As the server listed it, so far as a model is concerned. */
function listed({ original, description, params_schema, return_schema, meta }: ToolInfo): ListedTool {
  const annotations = meta['MCP_TOOL_ANNOTATION'];
  return {
    name: original,
    description,
    inputSchema: params_schema,
    ...(return_schema && { outputSchema: return_schema }),
    ...(typeof annotations === 'string' && { annotations: JSON.parse(annotations) as object }),
  };
}
