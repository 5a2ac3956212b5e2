import type { RedactTraceOptions } from '../../actors/cli/laboratory.ts';
import type { CommandContext } from '../../actors/cli/context.ts';
import { exitCodes } from '../../actors/cli/exit-codes.ts';
import { redact } from './redact.ts';
import { readTraceFile } from './report/files.ts';
import { exitCodeOf } from './report/verdict.ts';

const problemOf = (file: string): string | undefined => {
  try {
    const read = readTraceFile(file);
    return read.ok ? undefined : `line ${read.line}: ${read.problem}\n  ${read.remedy}`;
  } catch (error) {
    return `${(error as Error).message}\n  Is it the right path?`;
  }
};

export async function redactCommand(
  { terminal }: CommandContext,
  file: string,
  { path: paths, value: values, out, inPlace }: RedactTraceOptions,
): Promise<number> {
  if (paths.length + values.length === 0) {
    terminal.err('error: say what is hidden: --path ev.arguments.pin, or --value TEXT');
    return exitCodes.usage;
  }
  const problem = problemOf(file);
  if (problem !== undefined) {
    terminal.err(`UNUSABLE ${file}: ${problem}`);
    return exitCodeOf('unusable');
  }
  try {
    const done = redact(file, { paths, values, inPlace, ...(out !== undefined && { out }) });
    for (const each of done.unmatched)
      terminal.err(
        paths.includes(each)
          ? `nothing stands at ${each}: \`ev.arguments.pin\` names fields of a line, * any of them`
          : `${values.indexOf(each) + 1}. --value stands nowhere in it`,
      );
    if (done.unmatched.length > 0) {
      terminal.err('nothing is written');
      return exitCodes.failed;
    }
    terminal.out(`${done.file}: ${done.places} ${done.places === 1 ? 'place' : 'places'} hidden`);
    return 0;
  } catch (error) {
    terminal.err(`error: ${(error as Error).message}`);
    return exitCodes.failed;
  }
}
