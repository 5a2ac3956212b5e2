import type { CommandContext } from '../context.ts';
import type { ServerStatus } from '../../servers/server-handle.ts';
import { confirmationInEnglish } from '../../../machines/call/policy/index.ts';
import { factLine, type Fact } from '../../../machines/facts.ts';
import type { Failure } from '../../../machines/protocol/index.ts';

/** Shows a failure to a person or, with `--json`, as the one document on stdout. */
export function showFailure({ terminal }: CommandContext, failure: Failure, asJson: boolean): void {
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
/** Text of a result beside the failure of its call; undefined where it only repeats that. */
export const besideFailure = (text: string, failure: Failure | null): string | undefined =>
  failure?.message === text ? undefined : text;

/** A line for programs: always where no person reads stdout, and with `--facts`. */
export const tellFact = (
  { terminal }: CommandContext,
  { facts = false }: { facts?: boolean },
  fact: Fact,
): void => {
  if (facts || !terminal.isRead) terminal.line(factLine(fact));
};
/** Status of a server for programs: the keys that the contract of these lines names, and no others. */
export const statusFact = ({ name, state, reason }: ServerStatus): Fact => ({
  type: 'server_status',
  name,
  state,
  ...(reason !== undefined && { reason }),
});
/** Keys of a failure in a fact. */
export const failureFact = ({ code, message, details, remedy }: Failure) => ({
  code,
  message,
  ...(details && { details: { ...details } }),
  ...(remedy !== undefined && { remedy }),
});
