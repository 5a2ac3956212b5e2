import { mistakeLine, type Mistake } from '../../machines/config/mistake.ts';
import type { Config, ParsedConfig } from '../../machines/config/parse.ts';
import { A2cError } from '../kernel/errors.ts';

/** Throws one error with every mistake. */
export function acceptedConfig(parsed: ParsedConfig, file: string | undefined): Config {
  if (parsed.ok) return parsed.config;
  throw new A2cError({
    code: 'ConfigInvalid',
    message: parsed.mistakes.map((m) => mistakeLine(m, file)).join('\n'),
    details: { mistakes: parsed.mistakes },
    remedy: remedyFor(parsed.mistakes, file),
  });
}
function remedyFor(mistakes: readonly Mistake[], file: string | undefined): string {
  if (file === undefined) return 'Nothing was started.';
  const isMissing = mistakes.some(({ path, message }) => path === '' && message.startsWith('does not exist'));
  return `${isMissing ? 'Name a file that exists' : 'Fix the file'}; nothing was started.`;
}
