import { mistakeLine, type Config, type ParsedConfig } from '../../../machines/config/index.ts';
import { A2cError } from '../../kernel/errors.ts';

/** What was read, or an error with every mistake in it. */
export function accepted(parsed: ParsedConfig, file: string | undefined): Config {
  if (parsed.ok) return parsed.config;
  throw new A2cError({
    code: 'ConfigInvalid',
    message: parsed.mistakes.map((m) => mistakeLine(m, file)).join('\n'),
    details: { mistakes: parsed.mistakes },
    remedy: 'Mend the file; nothing was started.',
  });
}
