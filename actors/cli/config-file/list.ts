import { columnsOf, defaultStateDir, fitting, padded, readCached } from '../../../adapters/index.ts';
import { shownServer, shownTarget, type ServerConfig } from '../../../machines/config/index.ts';
import { fingerprintOf } from '../../plans/plan.ts';
import { serverNamed } from '../calling/needed.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { leftOutLines, readSource } from '../source.ts';

/** `a2c list` and `a2c get`: what the config says. Nothing is started, and nobody has to trust anything. */
export interface ListOptions {
  readonly config?: string;
  readonly json: boolean;
}
interface Row {
  readonly name: string;
  readonly type: string;
  /** The command with its arguments, or the URL; secrets hidden. */
  readonly target: string;
  readonly disabled: boolean;
  /** How many tools it listed in its last run; null: nobody knows. */
  readonly tools: number | null;
}
async function rowOf(server: ServerConfig): Promise<Row> {
  const cached = await readCached(defaultStateDir(), fingerprintOf(server));
  const { name, kind: type, disabled } = server;
  return {
    name,
    type,
    target: shownTarget(server.raw),
    disabled,
    tools: cached?.lists.tools?.length ?? null,
  };
}
export async function list(context: Context, options: ListOptions): Promise<number> {
  const { terminal } = context;
  const { config, file } = await readSource(context, options);
  const rows = await Promise.all(config.servers.map(rowOf));
  if (options.json)
    terminal.out(
      JSON.stringify({
        file: file ?? null,
        servers: rows,
        left_out: config.leftOut ?? [],
        warnings: config.warnings,
      }),
    );
  else {
    terminal.err(file ?? 'no config: a2c serves the documents of this folder; a2c add makes one');
    const width = Math.max(0, ...rows.map(({ name }) => columnsOf(name)));
    for (const { name, type, target, disabled, tools } of rows) {
      const known = disabled ? 'disabled' : tools === null ? '' : `${tools} tools`;
      terminal.out(
        `${padded(name, width)}  ${type.padEnd(10)}  ${known.padEnd(9)}  ${fitting(target, 100, '…')}`.trimEnd(),
      );
    }
    if (rows.length === 0) terminal.out('no servers');
    for (const line of leftOutLines(config)) terminal.err(line);
  }
  return exitCodes.done;
}

export async function get(context: Context, name: string, options: ListOptions): Promise<number> {
  const { config } = await readSource(context, options);
  const entry = shownServer(serverNamed(config, name).raw);
  context.terminal.outText(options.json ? JSON.stringify(entry) : JSON.stringify(entry, null, 2));
  return exitCodes.done;
}
