/** Servers of a config by the name that a person typed. */
import { A2cError } from '../kernel/errors.ts';
import type { Config } from '../../machines/config/parse.ts';
import { mistakeLine } from '../../machines/config/mistake.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import type { Fields } from '../../machines/protocol/json.ts';
import { nearest } from '../../machines/text.ts';

export const enabled = ({ servers }: Config): readonly ServerConfig[] => servers.filter((s) => !s.disabled);
export const only = (config: Config, names: readonly string[]): Config => ({
  ...config,
  servers: config.servers.filter(({ name }) => names.includes(name)),
});

/** Throws 404 for an unknown name, and the mistake for an entry that was left out. */
export function serverNamed(config: Config, name: string): ServerConfig {
  const found = config.servers.find((server) => server.name === name);
  if (found) return found;
  const wrong = config.leftOut?.find((server) => server.name === name);
  if (wrong)
    throw new A2cError({
      code: 'ConfigInvalid',
      message: wrong.mistakes.map((mistake) => mistakeLine(mistake, config.file)).join('\n'),
      details: { server_name: name },
      remedy: 'Fix its entry; the other servers are not touched by it.',
    });
  const close = nearest(
    name,
    config.servers.map((server) => server.name),
  );
  throw unknown(`No server '${name}' in the config`, { server_name: name }, close, 'a2c list');
}
/** `list` is the command that lists the right names. */
export const unknown = (
  message: string,
  details: Fields,
  close: readonly string[],
  list: string,
  code: Failure['code'] = wireCodes.notFound,
): A2cError =>
  new A2cError({
    code,
    message,
    details: { ...details, nearest: close },
    remedy: close.length > 0 ? `Did you mean ${close.join(', ')}?` : `List them: ${list}`,
  });
/** Throws also when the server is disabled. */
export function onlyServer(config: Config, name: string): Config {
  if (!serverNamed(config, name).disabled) return only(config, [name]);
  throw new A2cError({
    code: 'ServerNotActive',
    message: `Server '${name}' is disabled in the config`,
    details: { server_name: name, state: 'disabled' },
    remedy: `Enable it: a2c enable ${name}`,
  });
}
