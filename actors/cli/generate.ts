import type { CommandContext } from './context.ts';
import { exitCodeOf } from './exit-codes.ts';
import { onlyServer } from './named-server.ts';
import { withComputer, type OneShotOptions } from './one-shot.ts';
import { configOf } from './source.ts';
import { A2cError, badRequest } from '../kernel/errors.ts';
import { toolTypes } from '../../machines/models/typescript.ts';

export async function generate(
  context: CommandContext,
  what: 'types',
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
  terminal.outText(toolTypes(server, tools).trimEnd());
  return exitCodeOf(signal);
}
