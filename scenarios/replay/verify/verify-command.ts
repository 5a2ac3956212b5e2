import type { VerifyOptions } from '../../../actors/cli/laboratory.ts';
import { writeFileSync } from 'node:fs';
import type { CommandContext } from '../../../actors/cli/context.ts';
import { exitCodeOf, exitCodes } from '../../../actors/cli/exit-codes.ts';
import { annotation, junitXml } from '../report/junit.ts';
import { UnusableTrace } from '../world/world.ts';
import { givenValues } from './hidden-values.ts';
import { updated } from './update.ts';
import { CannotVerify, verified, type VerifyReport, type VerifyVerdict } from './verify.ts';

export const verifyCodes: Readonly<Record<VerifyVerdict, number>> = { green: 0, red: 1, other: 2, unsure: 3 };
const unusable = 5;

function show({ terminal }: CommandContext, file: string, report: VerifyReport, isJson: boolean): void {
  const { verdict, text } = report;
  if (isJson) return terminal.out(JSON.stringify(report));
  terminal.outText(text);
  if (process.env['GITHUB_ACTIONS'] === 'true' && verdict !== 'green')
    terminal.out(annotation({ file, title: verdict, text }));
}
const junitOf = (file: string, { verdict, text }: VerifyReport, seconds: number): string =>
  junitXml('a2c verify', [
    { name: file, seconds, ...(verdict !== 'green' && { failure: { kind: verdict, text } }) },
  ]);

export async function verifyCommand(
  context: CommandContext,
  file: string,
  command: readonly string[],
  options: VerifyOptions,
): Promise<number> {
  const { terminal, signal } = context;
  const { server, record, set, yes, exact, ignore, expect, update, timeout, json, junit } = options;
  const refuse = (text: string, code: number): number => {
    if (json) terminal.out(JSON.stringify({ error: { code, message: text } }));
    else terminal.err(`error: ${text}`);
    return code;
  };
  const began = performance.now();
  try {
    const { report, ...rest } = await verified(file, {
      command,
      set: givenValues(set),
      yes,
      exact,
      ignore,
      expect: givenValues(expect, '--expect', 'N:PATH'),
      timeoutMs: timeout * 1_000,
      signal,
      onStep: (text) => terminal.meter(text),
      ...(server !== undefined && { server }),
      ...(record !== undefined && { record }),
    });
    terminal.meter(null);
    show(context, file, report, json);
    if (junit !== undefined) writeFileSync(junit, junitOf(file, report, (performance.now() - began) / 1000));
    if (update) for (const line of updated(file, rest, givenValues(set))) terminal.err(line);
    return verifyCodes[report.verdict];
  } catch (error) {
    terminal.meter(null);
    if (signal.aborted) return exitCodeOf(signal);
    const { message, path, code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && path === file) return refuse(`${file}: no such trace`, exitCodes.usage);
    if (error instanceof CannotVerify || path !== undefined || message.startsWith('--'))
      return refuse(message, exitCodes.usage);
    if (error instanceof UnusableTrace) return refuse(message, unusable);
    throw error;
  }
}
