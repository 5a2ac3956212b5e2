import type { CommandContext, VerifyOptions } from '../../../actors/cli/context.ts';
import { exitCodeOf, exitCodes } from '../../../actors/cli/exit-codes.ts';
import { UnusableTrace } from '../world/world.ts';
import { givenValues } from './hidden-values.ts';
import { CannotVerify, verify, type VerifyReport } from './verify.ts';

/** Exit code for a file that is not a trace. */
const unusable = 5;

function show({ terminal }: CommandContext, { verdict, server, failure, answers }: VerifyReport): void {
  for (const { s, request, text, differences } of answers) {
    terminal.out(`record ${s}  ${request}: ${text}`);
    for (const line of differences) terminal.out(`    ${line}`);
  }
  const words = { red: 'RED', green: 'GREEN', changed: 'CHANGED' };
  terminal.out(`${words[verdict]}  '${server}'  ${failure.request}`);
  terminal.out(`    recorded: ${failure.was}`);
  terminal.out(`    now: ${failure.now}`);
}

/** Runs `a2c verify FILE [-- COMMAND…]`: checks whether a real server still fails as the recorded one did. */
export async function verifyCommand(
  context: CommandContext,
  file: string,
  command: readonly string[],
  { server, set, yes, exact, timeout, json }: VerifyOptions,
): Promise<number> {
  const { terminal, signal } = context;
  const refuse = (text: string, code: number): number => {
    if (json) terminal.out(JSON.stringify({ error: { code, message: text } }));
    else terminal.err(`error: ${text}`);
    return code;
  };
  try {
    const report = await verify(file, {
      command,
      set: givenValues(set),
      yes,
      exact,
      timeoutMs: timeout * 1_000,
      signal,
      onStep: (text) => terminal.meter(text),
      ...(server !== undefined && { server }),
    });
    terminal.meter(null);
    if (json) terminal.out(JSON.stringify(report));
    else show(context, report);
    return report.verdict === 'green' ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    terminal.meter(null);
    if (signal.aborted) return exitCodeOf(signal);
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof CannotVerify || code === 'ENOENT' || message.startsWith('--set'))
      return refuse(message, exitCodes.usage);
    if (error instanceof UnusableTrace) return refuse(message, unusable);
    throw error;
  }
}
