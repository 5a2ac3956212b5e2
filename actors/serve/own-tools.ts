/** Tools of the serving itself, for a model that wants to know what is down, and to restart it (`--tools`). */
import { failureOf } from '../kernel/errors.ts';
import type { Fields } from '../../machines/protocol/json.ts';
import type { Source } from './source.ts';

export const ownTools: readonly Fields[] = [
  {
    name: 'a2c_status',
    description:
      'Tells which MCP servers are up, which are not, why, and when they are tried again. Call it when a tool fails for a reason that lies with its server.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'a2c_restart',
    description:
      'Restarts one MCP server, which loses what it has in memory. Calls that it runs are ended first. Use it when a server hangs or has given up.',
    inputSchema: {
      type: 'object',
      properties: { server: { type: 'string', description: 'name of the server, as a2c_status tells it' } },
      required: ['server'],
      additionalProperties: false,
    },
  },
];
const said = (text: string, isError = false): object => ({
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
});
function statusText(source: Source): string {
  const lines = source.servers().map(({ name, state, reason, nextTryMs, pid }) => {
    const next = nextTryMs === undefined ? '' : `; next try in ${Math.ceil(nextTryMs / 1_000)} s`;
    return `${name}: ${state}${pid === undefined ? '' : ` (pid ${pid})`}${reason === undefined ? '' : `: ${reason}`}${next}`;
  });
  return lines.length > 0 ? lines.join('\n') : 'no servers';
}
async function restarted(source: Source, server: unknown): Promise<object> {
  try {
    await source.restart(String(server));
    return said(`${String(server)} is up again`);
  } catch (error) {
    const { message, remedy } = failureOf(error);
    return said(`${message}${remedy === undefined ? '' : `. ${remedy}`}`, true);
  }
}
export function runOwnTool(name: string, args: Fields, source: Source): Promise<object> | undefined {
  if (name === 'a2c_status') return Promise.resolve(said(statusText(source)));
  return name === 'a2c_restart' ? restarted(source, args['server']) : undefined;
}
