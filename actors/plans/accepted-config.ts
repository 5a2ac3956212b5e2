import { mistakeLine } from '../../machines/config/mistake.ts';
import type { Config, ParsedConfig } from '../../machines/config/parse.ts';
import { A2cError } from '../kernel/errors.ts';

/** Throws one error with every mistake. */
export function acceptedConfig(parsed: ParsedConfig, file: string | undefined): Config {
  if (parsed.ok) return parsed.config;
  throw new A2cError({
    code: 'ConfigInvalid',
    message: parsed.mistakes.map((m) => mistakeLine(m, file)).join('\n'),
    details: { mistakes: parsed.mistakes },
    remedy: 'Mend the file; nothing was started.',
  });
}
