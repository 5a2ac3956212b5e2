import type { Failure } from '../../../machines/protocol/index.ts';
import { A2cError } from '../../api/errors.ts';
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
    terminal.errText(`error: ${message.replaceAll('\n', '\n  ')}`);
    if (remedy !== null) terminal.err(`  ${remedy}`);
  }
}
