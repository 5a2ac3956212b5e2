import type { ReplayOptions as Options } from '../../actors/cli/laboratory.ts';
import { writeFileSync } from 'node:fs';
import type { CommandContext } from '../../actors/cli/context.ts';
import { exitCodes } from '../../actors/cli/exit-codes.ts';
import { readTraceFile, tracesIn } from './report/files.ts';
import { inputText } from './report/report.ts';
import { outcomeText } from './report/outcome.ts';
import { replay, type ReplayReport, replayOf } from './replay.ts';
import { tapeOf } from './tape.ts';
import { recordingOf, writePage } from './show-command.ts';
import { annotation, junitXml } from './report/junit.ts';
import { exitCodeOf } from './report/verdict.ts';
import { gzipSync } from 'node:zlib';
import { machines } from '../../actors/kinds/all.ts';
import { version } from '../../machines/version.ts';
import type { Trace } from '../../machines/trace/reading.ts';
import { readBack, recordedAgain } from './again/recorded-again.ts';
import { replayTrace, type Kinds } from './replay-trace.ts';

/** Inputs that nothing takes are left out. Unless the returned verdict is `same`, nothing was written. */
export function accept(file: string, trace: Trace, kinds: Kinds = machines): ReplayReport {
  const { text } = recordedAgain(trace, { about: { runtime: version } }, (watched) =>
    replayTrace(trace, { kinds, ...watched }),
  );
  const report = replayOf(file, readBack(text), { kinds });
  if (report.verdict === 'same') writeFileSync(file, file.endsWith('.gz') ? gzipSync(text) : text);
  return report;
}

const usage = ({ terminal }: CommandContext, text: string): number => {
  terminal.err(`error: ${text}`);
  return exitCodes.usage;
};

function showInputs({ terminal }: CommandContext, file: string): void {
  const read = readTraceFile(file);
  for (const { line } of read.ok ? tapeOf(read.trace).steps : []) terminal.out(`  ${inputText(line)}`);
}
/** With `isAlone` the outcomes, too; the report of a changed trace already contains them. */
function show(
  context: CommandContext,
  report: ReplayReport,
  { until, inputs }: Options,
  isAlone: boolean,
): void {
  const { terminal } = context;
  terminal.outText(report.text);
  if (isAlone && report.verdict !== 'changed')
    for (const line of outcomeText(report.outcomes, report.reasons)) terminal.outText(`  ${line}`);
  if (inputs && report.verdict !== 'unusable') showInputs(context, report.file);
  if (until !== undefined)
    for (const [address, state] of Object.entries(report.states)) terminal.out(`  ${address}  ${state}`);
  if (process.env['GITHUB_ACTIONS'] === 'true' && report.verdict !== 'same')
    terminal.out(annotation({ ...report, title: report.verdict }));
}

const junitOf = (reports: readonly ReplayReport[]): string =>
  junitXml(
    'a2c replay',
    reports.map(({ file, durationMs, verdict, text }) => ({
      name: file,
      seconds: durationMs / 1000,
      ...(verdict !== 'same' && { failure: { kind: verdict, text } }),
    })),
  );

/** A trace that was not changed stays as it is, and its report says why. */
function accepted(file: string, report: ReplayReport): ReplayReport {
  if (report.verdict === 'same') return report;
  const refused = (of: ReplayReport): ReplayReport => ({
    ...of,
    text: `${of.text}\n  not accepted: ${file} is as it was`,
  });
  const read = report.verdict === 'changed' ? readTraceFile(file) : undefined;
  if (!read?.ok) return refused(report);
  const now = accept(file, read.trace);
  if (now.verdict !== 'same') return refused(now);
  const { s = null, outcomes = [] } = report.difference ?? {};
  const title = `ACCEPTED ${file}: written again${s === null ? '' : `, with another record ${s} and what follows from it`}`;
  const changes = outcomes.length === 0 ? ['nothing came to another end'] : ['recorded | now', ...outcomes];
  return { ...now, text: [title, ...changes.map((line) => `  ${line}`)].join('\n') };
}

/** The exit code is the highest of the verdicts. */
export async function replayCommand(
  context: CommandContext,
  paths: readonly string[],
  options: Options,
): Promise<number> {
  const { terminal, signal } = context;
  const { until, junit, json, html } = options;
  let files: string[];
  try {
    files = tracesIn(paths);
  } catch (error) {
    const { path = '', message } = error as NodeJS.ErrnoException;
    return usage(context, path === '' ? message : `${path}: no such trace or folder`);
  }
  if (files.length === 0) return usage(context, `no *.trace.ndjson in ${paths.join(', ')}`);
  const [only = ''] = files;
  if (html !== undefined && files.length > 1) return usage(context, '--html takes one trace');
  const reports: ReplayReport[] = [];
  for (const [at, file] of files.entries()) {
    if (signal.aborted) return exitCodes.interrupted;
    terminal.meter(`replaying ${at + 1} of ${files.length}: ${file}`);
    const found = await replay(file, until === undefined ? {} : { until });
    terminal.meter(null);
    const report = options.accept ? accepted(file, found) : found;
    reports.push(report);
    if (!json) show(context, report, options, files.length === 1);
    // Ctrl-C must work while a folder is replayed.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (json) terminal.out(JSON.stringify({ replays: reports }));
  else if (reports.length > 1) {
    const same = reports.filter(({ verdict }) => verdict === 'same').length;
    terminal.out(`${same} of ${reports.length} the same`);
  }
  try {
    if (junit !== undefined) writeFileSync(junit, junitOf(reports));
  } catch (error) {
    return usage(context, `--junit: ${(error as Error).message}`);
  }
  if (html !== undefined) {
    const recording = await recordingOf(only, (text) => terminal.err(text));
    const problem = typeof recording === 'string' ? recording : await writePage(html, [recording]);
    if (problem !== undefined) return usage(context, problem);
    terminal.err(`written: ${html}`);
  }
  return Math.max(...reports.map(({ verdict }) => exitCodeOf(verdict)));
}
