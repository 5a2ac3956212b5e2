import { version } from '../../../actors/version.ts';
import type { Trace } from '../../../machines/trace/index.ts';
import type { Divergence, Level, Produced } from '../comparison.ts';
import { hintOf } from './hint.ts';
import { inputText, recordText, wayText } from './record-text.ts';
import type { Trapped } from '../traps.ts';
import type { Judged } from './verdict.ts';

const inputsOnly = `    the recording holds inputs only: somewhere in what this input led to is the difference. Now it leads to`;
const mostShown = 12;

/** What both did with this input before they parted. */
function agreedOf({ agreed, input }: Divergence): Produced[] {
  const start = agreed.findLastIndex(({ k }) => k === 'in');
  return start >= 0 || input === undefined ? agreed.slice(start + 1) : [...agreed];
}
function partingOf(divergence: Divergence): string[] {
  const { recorded, replayed, how, restRecorded, restReplayed } = divergence;
  if (how === 'check')
    return [
      inputsOnly,
      ...restReplayed.slice(0, mostShown).map((record) => `    + replayed  ${recordText(record)}`),
      ...moreText(restReplayed.length - mostShown, 'replayed'),
    ];
  const nobody = 'nobody waits for it';
  const nothing = how === 'deaf' ? nobody : 'nothing more for this input';
  return [
    `    - recorded  ${recorded ? recordText(recorded.record) : nothing}`,
    ...(replayed ? [] : moreText(restRecorded.length, 'recorded')),
    `    + replayed  ${replayed ? recordText(replayed) : nothing}`,
    ...(recorded ? [] : moreText(restReplayed.length, 'replayed')),
  ];
}
const moreText = (count: number, what: string): string[] =>
  count > 0 ? [`      … and ${count} more ${what}`] : [];

export interface ReportPlace {
  readonly file: string;
  readonly level: Level;
  readonly trace: Trace;
  /** The charts that are not what they were: kinds of machines. */
  readonly changed: readonly string[];
  /** Where the steps of machines part that were not compared. */
  readonly steps: Divergence | undefined;
}
/** For a shell. */
const quoted = (file: string): string =>
  /^[\w./@%+:,-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
const again = ({ file, level }: ReportPlace, until?: number): string =>
  `  again: npx -p a2c-actors a2c replay ${quoted(file)} --level ${level}${until === undefined ? '' : ` --until ${until}`}`;
const writtenBy = ({ trace: { head } }: ReportPlace): string[] =>
  /^\d+\.\d+/.test(head.runtime) && head.runtime !== version
    ? [`  recorded by a2c-actors ${head.runtime}, replayed by ${version}`]
    : [];
const changedText = ({ changed }: ReportPlace): string[] =>
  changed.length > 0 ? [`  charts that have changed since: ${changed.join(', ')}`] : [];

/** A path as one types it here. */
const localPath = (at: string): string =>
  at.replace('file://', '').replace(`${process.cwd().replaceAll('\\', '/')}/`, '');
function trappedText(trapped: readonly Trapped[]): string[] {
  const counts = new Map<string, number>();
  for (const { api, at } of trapped) {
    const text = `  ${api} was used at ${localPath(at)}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .slice(0, 5)
    .map(([text, count]) => text + (count === 1 ? '' : `, ${count} times`))
    .concat('  a replay cannot repeat that: take it from the event, from the input, or from a port');
}
function divergedText(place: ReportPlace, judged: Judged, divergence: Divergence): string[] {
  const { file, steps } = place;
  const { replay, verdict } = judged;
  const { input, recorded } = divergence;
  const seq = recorded?.s ?? input?.s ?? 1;
  const trapped = replay?.trapped ?? [];
  return [
    `${verdict.toUpperCase()} ${file} at seq ${seq}: ${replay?.matched} of ${replay?.total} records agree`,
    input ? `  while handling input ${inputText(input)}` : '  before the first input',
    ...agreedOf(divergence).map((record) => `    = ${recordText(record)}`),
    ...partingOf(divergence),
    ...(steps ? stepsText(steps, divergence) : []),
    ...(trapped.length > 0 ? trappedText(trapped) : []),
    `  hint: ${hintOf(divergence)}`,
    ...changedText(place),
    ...writtenBy(place),
    again(place, input?.s ?? seq),
  ];
}
function stepsText({ recorded, replayed, input }: Divergence, divergence: Divergence): string[] {
  const since = input === divergence.input ? '' : `, at seq ${input?.s ?? 1} already`;
  return [`  took then${since}: ${wayText(recorded?.record)}`, `  takes now: ${wayText(replayed)}`];
}
const invariantsText = (judged: Judged): string[] =>
  judged.violations
    .slice(0, 10)
    .map(({ invariant, what, at }) => `  ${invariant}: ${what.includes(at) ? what : `${at}: ${what}`}`);

/** What a person is told of one replayed file. The first line says it all. */
export function reportText(place: ReportPlace, judged: Judged): string {
  const { file, trace } = place;
  const { verdict, replay, problem } = judged;
  const seen = replay ? `${replay.inputs} inputs, ${replay.matched} records` : '';
  const torn = trace.tail ? [] : ['  the recording has no end: its host died, or it was cut'];
  if (verdict === 'unusable')
    return [`UNUSABLE ${file}: ${problem?.message}`, `  ${problem?.remedy}`].join('\n');
  if (replay?.divergence) return divergedText(place, judged, replay.divergence).join('\n');
  if (verdict === 'nondeterministic')
    return [
      `NONDETERMINISTIC ${file}: ${seen} agree, but only by chance`,
      ...trappedText(replay?.trapped ?? []),
      again(place),
    ].join('\n');
  if (verdict === 'broken' || verdict === 'stuck')
    return [
      `${verdict.toUpperCase()} ${file}: ${seen} agree, and what they did violates an invariant`,
      ...invariantsText(judged),
      ...torn,
      again(place),
    ].join('\n');
  const reads =
    (replay?.redactedReads ?? []).length > 0
      ? ['  a guard looked at a redacted value; it decided the same']
      : [];
  return [`SAME ${file}: ${seen}, digest ${replay?.digest.slice(0, 16)}`, ...reads, ...torn].join('\n');
}
