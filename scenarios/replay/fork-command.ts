import { writeFileSync } from 'node:fs';
import type { ForkOptions } from '../../actors/cli/context.ts';
import { exitCodes } from '../../actors/cli/exit-codes.ts';
import type { Context } from '../../actors/cli/context.ts';
import { z } from 'zod';
import { recordSchema, revived, type Trace } from '../../machines/trace/index.ts';
import { readTraceFile } from './report/files.ts';
import { forkTrace, type Changes, type Fork } from './fork.ts';
import type { Input } from './inert.ts';
import { cutShort, exitCodeOf, isCutShort } from './report/verdict.ts';

class Mistake extends Error {}

function assignment(text: string): [string, unknown] {
  const [, path = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (path === '') throw new Mistake(`--set ${text}: write KEY=VALUE, such as ev.code=1`);
  try {
    return [path, JSON.parse(value)];
  } catch {
    return [path, value];
  }
}
function injected(text: string): Input {
  const mistake = (what: string): Mistake =>
    new Mistake(
      `--inject ${text}: ${what}\n  write an input, such as {"via":"host","a":"computer","ev":{"type":"close"}}`,
    );
  let value: unknown;
  try {
    value = revived(JSON.parse(text));
  } catch (error) {
    throw mistake((error as Error).message);
  }
  if (typeof value !== 'object' || value === null) throw mistake('no object');
  const read = recordSchema.safeParse({ ...value, s: 0, t: 0, check: '', k: 'in' });
  if (!read.success) throw mistake(z.prettifyError(read.error));
  const { s: _s, t: _t, check: _check, ...input } = { check: '', ...read.data };
  return input as unknown as Input;
}
/** The changes, or a `Mistake` that says which option is wrong. */
function changesOf({ lines }: Trace, options: ForkOptions): Changes {
  const inputs = lines.filter(({ record }) => record.k === 'in').map(({ s }) => s);
  const known = new Set(inputs);
  // Without a change it is the same world from the beginning, met by today's machines.
  const { at = options.skip[0] ?? inputs[0] ?? 1 } = options;
  for (const s of [...options.skip, ...(options.at === undefined ? [] : [at])])
    if (!known.has(s)) {
      const near = inputs.findLast((each) => each < s) ?? inputs[0];
      throw new Mistake(`seq ${s} is no input; the one before it is ${near}`);
    }
  if (options.at === undefined && options.set.length + options.inject.length > 0)
    throw new Mistake('--set and --inject need --at SEQ: the input that they change or come before');
  return {
    at,
    set: new Map(options.set.map(assignment)),
    inject: options.inject.map(injected),
    skip: new Set(options.skip),
  };
}
function tell(
  { terminal }: Context,
  out: string,
  { differences, unknownFrom, unheard, fired, violations }: Fork,
): void {
  if (unknownFrom !== null)
    terminal.out(
      `from seq ${unknownFrom} on it cannot be told what became otherwise: the recording holds inputs only,\nand today's machines do something else there`,
    );
  else terminal.out(differences.length === 0 ? 'nothing became otherwise' : 'recorded | forked');
  for (const line of differences) terminal.out(`  ${line}`);
  if (unheard.length > 0)
    terminal.out(`nobody waited for ${unheard.length} inputs: seq ${unheard.join(', ')}`);
  if (fired.length > 0) terminal.out(`timers that fired and had not: ${fired.join(', ')}`);
  for (const { invariant, what } of violations) terminal.out(`${invariant}: ${what}`);
  terminal.out(out);
}

/** `a2c fork FILE`: writes a new trace and says what became otherwise. */
export async function forkCommand(context: Context, file: string, options: ForkOptions): Promise<number> {
  const { terminal } = context;
  const usage = (text: string): number => {
    terminal.err(`error: ${text}`);
    return exitCodes.usage;
  };
  const unusable = (problem: string, remedy: string): number => {
    terminal.err(`UNUSABLE ${file}: ${problem}`);
    terminal.err(`  ${remedy}`);
    return exitCodeOf('unusable');
  };
  try {
    const read = readTraceFile(file);
    if (!read.ok) return unusable(`line ${read.line}: ${read.problem}`, read.remedy);
    if (isCutShort(read.trace)) return unusable(cutShort.message, cutShort.remedy);
    const changes = changesOf(read.trace, options);
    const { out = file.replace(/(\.trace)?\.ndjson(\.gz)?$/, '') + '.fork.trace.ndjson' } = options;
    const forked = forkTrace(read.trace, changes, `fork of ${file} at ${changes.at}`);
    writeFileSync(out, forked.trace, { mode: 0o600 });
    if (options.json) terminal.out(JSON.stringify({ ...forked, trace: out }));
    else tell(context, out, forked);
    const [violation] = forked.violations;
    if (!violation) return exitCodes.done;
    return exitCodeOf(violation.kind === 'safety' ? 'broken' : 'stuck');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return usage(code === 'ENOENT' ? `${file}: no such trace` : message);
  }
}
