import type { Computer } from '../../api/computer-handle.ts';
import { onlyServer } from '../calling/needed.ts';
import type { Context } from '../context.ts';
import { exitCodeOf, hasUsable, orClosed } from '../exit-codes.ts';
import { withComputer, type OneShotOptions } from '../one-shot.ts';
import { configOf } from '../source.ts';

/** Lists something of each server of a config, or of one: as JSON, or as a few lines for each. */
export async function listOfServers<T>(
  context: Context,
  name: string | undefined,
  options: OneShotOptions,
  ask: (computer: Computer) => Promise<readonly T[]>,
  linesOf: (server: T) => readonly string[],
): Promise<number> {
  const { signal, terminal } = context;
  const all = await configOf(context, options);
  const config = name === undefined ? all : onlyServer(all, name);
  const { listed, isUsable } = await withComputer(context, options, config, async (computer) => ({
    listed: await orClosed(signal, computer, () => ask(computer)),
    isUsable: hasUsable(context, computer.servers()),
  }));
  if (options.json) terminal.out(JSON.stringify({ servers: listed }));
  else
    for (const line of listed.flatMap((server, at) => [...(at > 0 ? [''] : []), ...linesOf(server)]))
      terminal.out(line);
  return exitCodeOf(signal, isUsable);
}
