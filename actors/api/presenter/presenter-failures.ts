import { mistakeLine, type Mistake } from '../../../machines/config/index.ts';
import type { Failure } from '../../../machines/protocol/index.ts';
import type { SettingsNews } from '../../../machines/settings/settings.rules.ts';
import { A2cError } from '../../kernel/errors.ts';

/** What a host of a presenter is refused with. */
export const failureOf = (error: unknown): ConstructorParameters<typeof A2cError>[0] =>
  error instanceof A2cError
    ? {
        code: error.code,
        message: error.message,
        details: error.details,
        ...(error.remedy !== undefined && { remedy: error.remedy }),
      }
    : { code: 500, message: error instanceof Error ? error.message : String(error) };
export const unknownServer = (name: string): A2cError =>
  new A2cError({
    code: 404,
    message: `Unknown server: ${name}`,
    details: { server_name: name },
    remedy: 'See getMcpServers for those that there are.',
  });

export const isOff = (name: string): A2cError =>
  new A2cError({
    code: 'ServerNotActive',
    message: `Server '${name}' is not started: MCP is switched off`,
    details: { server_name: name },
    remedy: 'Switch it on: setMcpEnabled(true).',
  });
export const mistakesIn = (mistakes: readonly Mistake[]): A2cError =>
  new A2cError({
    code: 'ConfigInvalid',
    message: mistakes.map((mistake) => mistakeLine(mistake)).join('\n'),
    details: { mistakes },
    remedy: 'Mend the file: it is watched. Nothing was started.',
  });

const gone: Mistake = {
  path: '',
  message: 'does not exist any more: what was in force stays so',
  remedy: 'the next change writes it again',
};
/** What a person is told of the file of a config; null: it is as it should be. A file that need not exist is no trouble. */
export function configTrouble(
  { state, value, mistakes }: SettingsNews,
  file: string | undefined,
): { readonly title: string; readonly failure: Failure } | null {
  const isGone = state === 'lost' && value !== null;
  if (state !== 'mistaken' && !isGone) return null;
  const all = isGone ? [gone] : mistakes;
  const message = all.map((mistake) => mistakeLine(mistake, file)).join('\n');
  const title = isGone ? 'The config is gone' : 'The config has mistakes';
  return { title, failure: { code: 'ConfigInvalid', message } };
}
