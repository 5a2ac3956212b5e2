import { confirmationInEnglish } from '../../../machines/call/policy/index.ts';
import type { Failure } from '../../../machines/protocol/index.ts';
import { A2cError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';

export const errorOf = (error: unknown): Failure =>
  error instanceof A2cError
    ? {
        code: error.code,
        message: error.message,
        details: error.details,
        ...(error.remedy !== undefined && { remedy: error.remedy }),
      }
    : { code: 500, message: error instanceof Error ? error.message : String(error) };
/** One failure for a person or, with `--json`, as the one document on stdout. */
export function showFailure({ terminal }: Context, failure: Failure, asJson: boolean): void {
  const { code, message, details = {}, remedy = null } = failure;
  if (asJson) terminal.out(JSON.stringify({ error: { code, message, details, remedy } }));
  else {
    // A config has one mistake a line: each below the first stands further in.
    terminal.errText(`error: ${inWords(failure).replaceAll('\n', '\n  ')}`);
    if (remedy !== null) terminal.err(`  ${remedy}`);
  }
}

/** In the language of the reader. Texts that the reference implementation gives agents are Chinese. */
export function inWords(failure: Failure, locale = Intl.DateTimeFormat().resolvedOptions().locale): string {
  return (locale.startsWith('zh') ? undefined : confirmationInEnglish(failure)) ?? failure.message;
}
/** What a result says beside the failure of its call; undefined where it only repeats that. */
export const besideFailure = (text: string, failure: Failure | null): string | undefined =>
  failure?.message === text ? undefined : text;
