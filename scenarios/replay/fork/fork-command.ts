import type { ForkOptions } from '../../../actors/cli/laboratory.ts';
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { CommandContext } from '../../../actors/cli/context.ts';
import { exitCodes } from '../../../actors/cli/exit-codes.ts';
import { recordSchema } from '../../../machines/trace/format.ts';
import { revived } from '../../../machines/trace/canonical.ts';
import type { Trace } from '../../../machines/trace/reading.ts';
import {
  changeOf,
  forkTrace,
  ForkError,
  offersOf,
  type Changes,
  type Fork,
  type Injection,
  type Offer,
} from './fork.ts';
import { tapeOf } from '../tape.ts';
import { unknownText } from '../report/report.ts';
import { exitCodeOf, problemIn, problemOf, traceFor, type Problem } from '../report/verdict.ts';

function assignment(text: string): [string, unknown] {
  const [, path = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path === '') throw new ForkError(`--set ${text}: write KEY=VALUE, such as ev.code=1`);
  try {
    return [path, JSON.parse(value)];
  } catch {
    return [path, value];
  }
}
function injected(text: string): Injection {
  const mistake = (what: string): ForkError =>
    new ForkError(
      `--inject ${text}: ${what}\n  write an input, such as {"ch":"host:computer","ev":{"type":"close"}}`,
    );
  let value: unknown;
  try {
    value = revived(JSON.parse(text));
  } catch (error) {
    throw mistake((error as Error).message);
  }
  if (typeof value !== 'object' || value === null) throw mistake('no object');
  const { k = 'in' } = value as { readonly k?: unknown };
  if (k !== 'in') throw mistake('only inputs can be injected');
  const read = recordSchema.safeParse({ ...value, s: 0, t: 0, w: 0, k });
  if (!read.success) throw mistake(z.prettifyError(read.error));
  const { ch, ev } = read.data as unknown as Injection;
  return { ch, ...(ev && { ev }) };
}
/** `35:answer` or `41:ev.code=1`, several for one input, too. */
function changesBy(trace: Trace, texts: readonly string[]): NonNullable<Changes['change']> {
  const all: Record<number, Readonly<Record<string, unknown>> | 'skip'> = {};
  for (const text of texts) {
    const [, n, what = ''] = /^(\d{1,15}):(.+)$/s.exec(text) ?? [];
    if (n === undefined) throw new ForkError(`--change ${text}: write N:WHAT, such as 35:answer`);
    const line = tapeOf(trace).steps.find((step) => step.line.s === Number(n))?.line;
    const isPath = /^ev(?:\.[^=]*)?=/.test(what);
    const change = isPath ? Object.fromEntries([assignment(what)]) : line ? changeOf(what, line.record) : {};
    const before = all[Number(n)];
    all[Number(n)] = change === 'skip' || before === 'skip' ? 'skip' : { ...before, ...change };
  }
  return all;
}
const changesOf = (trace: Trace, { at, set, inject, skip, change }: ForkOptions): Changes => ({
  ...(at !== undefined && { at }),
  change: changesBy(trace, change),
  set: Object.fromEntries(set.map(assignment)),
  inject: inject.map(injected),
  skip,
});
function tell(
  { terminal }: CommandContext,
  out: string,
  { differences, unheard, foreign, violations }: Fork,
): void {
  terminal.out(differences.length === 0 ? 'nothing came to another end' : 'recorded | forked');
  for (const line of differences) terminal.out(`  ${line}`);
  if (unheard.length > 0)
    terminal.out(`nobody waited for ${unheard.length} inputs: seq ${unheard.join(', ')}`);
  for (const line of unknownText(foreign)) terminal.out(line);
  for (const { invariant, what } of violations) terminal.out(`${invariant}: ${what}`);
  terminal.out(out);
}

function tellOffers({ terminal }: CommandContext, offers: readonly Offer[]): void {
  if (offers.length > 0) terminal.out('--change N:WHAT changes an input (recorded | forked):');
  for (const { change, input, differences } of offers) {
    terminal.outText(`  --change ${change}  ${input}`);
    for (const line of differences.length > 0 ? differences : ['nothing comes to another end'])
      terminal.outText(`      ${line}`);
  }
}
export async function forkCommand(
  context: CommandContext,
  file: string,
  options: ForkOptions,
): Promise<number> {
  const { terminal } = context;
  const usage = (text: string): number => {
    terminal.err(`error: ${text}`);
    return exitCodes.usage;
  };
  const unusable = ({ message, remedy }: Problem): number => {
    terminal.err(`UNUSABLE ${file}: ${message}`);
    terminal.err(`  ${remedy}`);
    return exitCodeOf('unusable');
  };
  const trace = traceFor(file);
  if ('error' in trace) {
    terminal.err(trace.error);
    return trace.code;
  }
  const problem = problemOf(trace);
  if (problem) return unusable(problem);
  try {
    const forked = forkTrace(trace, changesOf(trace, options), `fork of ${file}`);
    const { out = file.replace(/(\.trace)?\.ndjson(\.gz)?$/, '') + '.fork.trace.ndjson' } = options;
    writeFileSync(out, forked.trace, { mode: 0o600 });
    const { at, set, inject, skip, change } = options;
    const isChanged = at !== undefined || [set, inject, skip, change].some((all) => all.length > 0);
    const offers = isChanged ? [] : offersOf(trace);
    if (options.json) terminal.out(JSON.stringify({ ...forked, offers, trace: out }));
    else {
      tellOffers(context, offers);
      tell(context, out, forked);
    }
    const [violation] = forked.violations;
    if (!violation) return exitCodes.done;
    return exitCodeOf(violation.kind === 'safety' ? 'broken' : 'stuck');
  } catch (error) {
    if (error instanceof ForkError || 'code' in (error as Error)) return usage((error as Error).message);
    return unusable(problemIn(trace, error));
  }
}
