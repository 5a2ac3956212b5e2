import { join } from 'node:path';
import type { CommandContext } from '../../actors/cli/context.ts';
import { exitCodes } from '../../actors/cli/exit-codes.ts';
import { defaultStateDir, listedHosts } from '../../actors/door/caller.ts';
import { stateWords } from '../../machines/server-states.ts';
import { reasonsOf, reasonText, outcomeText } from './report/outcome.ts';
import { quoted } from './report/report.ts';
import { outcomesOf, recordedMoments, type Outcomes } from './outcomes.ts';
import { readTraceFile, tracesIn } from './report/files.ts';

/** Exit code for a file that is not a trace. */
const unusable = 5;
/** Number of lines that say why; `a2c replay` has all. */
const mostLines = 5;

/** Answer to the question why something failed, read from a trace without replaying it. */
interface Why {
  readonly file: string;
  readonly reasons: readonly string[];
  readonly outcomes: Outcomes;
  readonly lines: readonly string[];
}
/** Reads why the failure of a trace happened; returns a problem with its remedy when the file is no trace. */
function whyOf(file: string): Why | string {
  const read = readTraceFile(file);
  if (!read.ok) return `UNUSABLE ${file}: line ${read.line}: ${read.problem}\n  ${read.remedy}`;
  const { trace } = read;
  const reasons = reasonsOf(trace);
  const outcomes = outcomesOf(recordedMoments(trace));
  const because = reasons.length > 0 ? [`written because: ${reasons.map(reasonText).join('; ')}`] : [];
  return { file, reasons, outcomes, lines: [...because, ...whyLines(outcomes, reasons)] };
}
/** Lines of the report that say what went wrong: those of calls, servers, seats and processes, good ones last. */
function whyLines(outcomes: Outcomes, reasons: readonly string[]): readonly string[] {
  const all = outcomeText(outcomes, reasons);
  const call = all.filter((line) => line.startsWith('call ')).slice(0, 1);
  const [, server = ''] = / of (.+?)\): /.exec(call[0] ?? '') ?? [];
  const isOfCall = (line: string): boolean =>
    line.startsWith(`server ${server}:`) || line.startsWith(`process ${server}/`);
  const others = all
    .filter((line) => /^(?:server|seat|process) /.test(line))
    .toSorted((a, b) => Number(isOfCall(b)) - Number(isOfCall(a)));
  return [...call, ...others].slice(0, mostLines - 1);
}
/** Newest of the traces that hosts of this user have written by themselves; undefined when there is none. */
function lastFailure(): string | undefined {
  const folder = join(defaultStateDir(), 'traces');
  try {
    return tracesIn([folder]).at(-1);
  } catch {
    return undefined;
  }
}

/**
 * Runs `a2c why [FILE|SERVER]`: says why the failure of a trace happened, by default of the last one that a host has
 * kept. A name that is no file is that of a server of a running host.
 */
export async function whyCommand(
  context: CommandContext,
  wanted: string | undefined,
  { json }: { readonly json: boolean },
): Promise<number> {
  const { terminal } = context;
  const isFile = wanted !== undefined && /[\\/]|\.ndjson(\.gz)?$/.test(wanted);
  const file = isFile ? wanted : wanted === undefined ? lastFailure() : undefined;
  if (file !== undefined) return tell(context, file, json, wanted === undefined);
  const hosts = await listedHosts(defaultStateDir());
  const servers = hosts.flatMap(({ name: host, pid, status }) =>
    (status?.servers ?? [])
      .filter(({ name }) => wanted === undefined || name === wanted)
      .map((server) => ({ host, pid, ...server })),
  );
  if (json) terminal.out(JSON.stringify({ servers }));
  else if (wanted === undefined)
    terminal.out(
      `no failure was kept${servers.length > 0 ? '; servers of your running hosts:' : ', and no host of yours runs'}`,
    );
  if (!json)
    for (const { name, state, reason, host, pid } of servers)
      terminal.out(
        `server ${name} of ${host} (pid ${pid}) ${stateWords[state]}${reason ? `: ${reason}` : ''}`,
      );
  if (servers.length > 0 || wanted === undefined) return exitCodes.done;
  if (!json) terminal.err(`no server '${wanted}' of a running host, and no such trace`);
  return exitCodes.failed;
}
function tell({ terminal }: CommandContext, file: string, json: boolean, isLast: boolean): number {
  let why: Why | string;
  try {
    why = whyOf(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    terminal.err(`error: ${code === 'ENOENT' ? `${file}: no such trace` : message}`);
    return exitCodes.usage;
  }
  if (typeof why === 'string') {
    terminal.err(why);
    return unusable;
  }
  if (json) {
    const { lines: _, ...told } = why;
    terminal.out(JSON.stringify(told));
    return exitCodes.done;
  }
  terminal.outText(`${isLast ? 'the last failure that was kept: ' : ''}${file}`);
  for (const line of why.lines) terminal.outText(`  ${line}`);
  terminal.outText(`  more: a2c replay ${quoted(file)} · does it still: a2c verify ${quoted(file)}`);
  return exitCodes.done;
}
