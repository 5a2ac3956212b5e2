import { join } from 'node:path';
import type { CommandContext } from '../../actors/cli/context.ts';
import { exitCodes } from '../../actors/cli/exit-codes.ts';
import { defaultStateDir, listedHosts } from '../../actors/door/caller.ts';
import { stateWords } from '../../machines/server-states.ts';
import { reasonsOf, reasonText, outcomeText } from './report/outcome.ts';
import { quoted } from './report/report.ts';
import { outcomesOf, recordedMoments, type Outcomes } from './outcomes.ts';
import { tracesIn } from './report/files.ts';
import { traceFor } from './report/verdict.ts';

const mostLines = 5;

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
function lastFailure(): string | undefined {
  const folder = join(defaultStateDir(), 'traces');
  try {
    return tracesIn([folder]).at(-1);
  } catch {
    return undefined;
  }
}

/** By default of the last that a host has kept; a name that is no file is that of a server of a running host. */
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
  const trace = traceFor(file);
  if ('error' in trace) {
    terminal.err(trace.error);
    return trace.code;
  }
  const reasons = reasonsOf(trace);
  const outcomes = outcomesOf(recordedMoments(trace));
  if (json) {
    terminal.out(JSON.stringify({ file, reasons, outcomes }));
    return exitCodes.done;
  }
  terminal.outText(`${isLast ? 'the last failure that was kept: ' : ''}${file}`);
  if (reasons.length > 0) terminal.outText(`  written because: ${reasons.map(reasonText).join('; ')}`);
  for (const line of whyLines(outcomes, reasons)) terminal.outText(`  ${line}`);
  terminal.outText(`  more: a2c replay ${quoted(file)} · does it still: a2c verify ${quoted(file)}`);
  return exitCodes.done;
}
