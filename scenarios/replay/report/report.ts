import { version } from '../../../machines/version.ts';
import type { Trace } from '../../../machines/trace/reading.ts';
import { differencesOf, reasonText } from './outcome.ts';
import { outcomesOf, recordedMoments, type Outcomes } from '../outcomes.ts';
import type { Difference } from '../comparison.ts';
import type { TapeLine } from '../tape.ts';
import { causeOf } from './cause.ts';
import { channelOf, crossingText, cut, timerText, timeText } from './words.ts';
import type { Judged, Problem } from './verdict.ts';

const width = 56;
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let rest = text.replaceAll('\n', ' ');
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
function sideBySide(left: readonly [heading: string, text: string], right: typeof left): string[] {
  const [before, after] = [left, right].map(([heading, text]) => [heading, ...wrapped(text)]) as [
    string[],
    string[],
  ];
  const widest = Math.max(...before.map((line) => line.length));
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) =>
    `${(before[at] ?? '').padEnd(widest)} | ${after[at] ?? ''}`.trimEnd(),
  );
}

/** First difference between today's code and the recording, for people. */
export interface ReportedDifference {
  /** Number of the record that differs; for something new, that of the input that led to it; null before the first input. */
  readonly s: number | null;
  /** Time of the difference in ms since the beginning of the trace. */
  readonly at: number;
  /** Inputs just before the difference, one line each. */
  readonly before: readonly string[];
  /** Recorded crossing; null when nothing was recorded there. */
  readonly recorded: string | null;
  /** Crossing of today's code; null when there is none. */
  readonly now: string | null;
  /** Cause of the difference, in one sentence. */
  readonly cause: string;
  /** Number of further differences, most of which are consequences of the first. */
  readonly more: number;
  /** Outcomes that differ, recorded and current, such as `call r1: unknown | succeeded`. */
  readonly outcomes: readonly string[];
  /** Number of the last input that is needed to see the difference; null when all are needed. */
  readonly until: number | null;
}
const mostBefore = 3;
export const inputText = ({ s, t, record }: TapeLine): string =>
  `${timeText(t)}  ${crossingText(record)}  (record ${s})`;

function beforeOf({ inputs, recorded, how }: Difference): string[] {
  const until = recorded?.s ?? Infinity;
  const some = inputs.filter((line) => line.s <= until && (how !== 'deaf' || line !== recorded));
  return (some.length > 0 ? some : inputs.slice(0, 1)).slice(-mostBefore).map(inputText);
}
export function reportedDifference(
  trace: Trace,
  { replay }: Judged,
  outcomes: Outcomes,
): ReportedDifference | null {
  const difference = replay?.difference;
  if (!replay || !difference) return null;
  const { recorded, replayed, inputs, until, how } = difference;
  const then = recordedMoments(trace);
  const textAt = (t: number, crossing: Parameters<typeof crossingText>[0]): string =>
    `${timeText(t)}  ${crossingText(crossing)}`;
  return {
    s: recorded?.s ?? inputs.at(-1)?.s ?? null,
    at: recorded?.t ?? replayed?.t ?? 0,
    before: beforeOf(difference),
    recorded: recorded ? textAt(recorded.t, recorded.record) : null,
    now: replayed ? textAt(replayed.t, replayed.crossing) : how === 'deaf' ? 'nobody waits for it' : null,
    cause: causeOf(difference, replay.crossings, then),
    more: replay.more,
    outcomes: differencesOf(outcomesOf(then), outcomes),
    until: until ?? null,
  };
}

const listed = (names: readonly string[]): string => {
  const words = [
    ...new Set(
      names.map((ch) => {
        const channel = channelOf(ch);
        return channel.kind === 'timer' ? timerText({ ...channel, of: channel.of.split(' ')[0] ?? '' }) : ch;
      }),
    ),
  ];
  return words.slice(0, 3).join(', ') + (words.length > 3 ? ', …' : '');
};
const counted = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`;
export function unknownText(foreign: readonly string[]): string[] {
  const timers = foreign.filter((ch) => ch.startsWith('timer '));
  const draws = foreign.filter((ch) => !ch.startsWith('timer '));
  const text = (all: readonly string[], one: string, many: string): string =>
    `${counted(all.length, one, many)} of which the recording does not know (${listed(all)})`;
  return [
    ...(timers.length > 0 ? [text(timers, 'timer was over', 'timers were over')] : []),
    ...(draws.length > 0 ? [text(draws, 'value was drawn', 'values were drawn')] : []),
  ];
}
/** `inside` describes a difference of the messages between machines alone. */
export function notesOf(trace: Trace, { replay }: Judged, inside: string | undefined): string[] {
  if (!replay) return [];
  const { foreign, unclaimed, reworded } = replay;
  const [first] = reworded;
  const unset = `${counted(unclaimed.length, 'recorded timer was', 'recorded timers were')} not set (${listed(unclaimed)})`;
  const unknown = [...unknownText(foreign), ...(unclaimed.length > 0 ? [unset] : [])];
  return [
    ...(unknown.length > 0 ? [unknown.join('; ')] : []),
    ...(first
      ? [
          `${counted(reworded.length, 'text has', 'texts have')} other words, first that of record ${first.s}: ${cut(first.was)} is now ${cut(first.is)}`,
        ]
      : []),
    ...(inside === undefined ? [] : [`only the inside differs, first at ${inside}`]),
    ...(trace.tail ? [] : ['the recording has no end: its host died, or it was cut']),
  ];
}

export interface ReportPlace {
  readonly file: string;
  readonly trace: Trace;
  readonly reasons: readonly string[];
  readonly difference: ReportedDifference | null;
  readonly notes: readonly string[];
}
export const quoted = (file: string): string =>
  /^[\w./@%+:,-]+$/.test(file) ? file : `'${file.replaceAll("'", `'\\''`)}'`;
const commandFor = (file: string, options = ''): string =>
  `npx -p a2c-actors a2c replay ${quoted(file)}${options}`;
const writtenBy = ({ head }: Trace): string[] =>
  /^\d+\.\d+/.test(head.runtime) && head.runtime !== version
    ? [`  recorded by a2c-actors ${head.runtime}, replayed by ${version}`]
    : [];
const writtenFor = (reasons: readonly string[]): string[] =>
  reasons.length === 0 ? [] : [`  written because: ${reasons.map(reasonText).join('; ')}`];
const mostOutcomes = 8;
function outcomesText(lines: readonly string[]): string[] {
  if (lines.length === 0) return ['  nothing came to another end'];
  const rest = lines.length - mostOutcomes;
  return [
    '  what came to another end (recorded | now):',
    ...lines.slice(0, mostOutcomes).map((line) => `    ${line}`),
    ...(rest > 0 ? [`    and ${rest} more`] : []),
  ];
}
function changedText({ file, trace, reasons, notes }: ReportPlace, difference: ReportedDifference): string[] {
  const { s, at, before, recorded, now, cause, more, outcomes, until } = difference;
  return [
    `CHANGED ${file}: the host does something else now, first at ${timeText(at)}${s === null ? '' : ` (record ${s})`}`,
    ...(before.length === 0
      ? ['  before anything came from the world']
      : ['  after this came from the world:']),
    ...before.map((line) => `    ${line}`),
    '',
    ...sideBySide(['recorded', recorded ?? 'nothing more'], ['now', now ?? 'nothing more']).map(
      (line) => `    ${line}`,
    ),
    '',
    `  cause: ${cause}`,
    `  ${more === 0 ? 'no other difference follows' : counted(more, 'more difference follows', 'more differences follow')}`,
    ...outcomesText(outcomes),
    ...writtenFor(reasons),
    ...notes.map((note) => `  note: ${note}`),
    ...writtenBy(trace),
    `  again: ${commandFor(file, until === null ? '' : ` --until ${until}`)}`,
    `  if it is wanted: ${commandFor(file, ' --accept')}`,
  ];
}
const invariantsText = (judged: Judged): string[] =>
  judged.violations
    .slice(0, 10)
    .map(({ invariant, what, at }) => `  ${invariant}: ${what.includes(at) ? what : `${at}: ${what}`}`);

export const unusableText = (file: string, { message, remedy }: Problem): string =>
  `UNUSABLE ${file}: ${message}\n  ${remedy}`;
export function reportText(place: ReportPlace, judged: Judged): string {
  const { file, reasons, difference, notes } = place;
  const { verdict, replay, problem } = judged;
  if (problem) return unusableText(file, problem);
  if (difference) return changedText(place, difference).join('\n');
  const seen = `${counted(replay?.inputs ?? 0, 'input', 'inputs')}, ${counted(replay?.matched ?? 0, 'record', 'records')}`;
  const told = [...writtenFor(reasons), ...notes.map((note) => `  note: ${note}`)];
  if (verdict === 'same')
    return [`SAME ${file}: ${seen}, digest ${replay?.digest.slice(0, 16)}`, ...told].join('\n');
  return [
    `${verdict.toUpperCase()} ${file}: ${seen} agree, and what they did violates an invariant`,
    ...invariantsText(judged),
    ...told,
    `  again: ${commandFor(file)}`,
  ].join('\n');
}
