import { canonical, type Trace, type TraceLine } from '../../machines/trace/index.ts';
import type { Divergence, Level, Produced } from './comparison.ts';
import { hintOf } from './hint.ts';
import type { Judged } from './verdict.ts';

const longest = 160;
const cut = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`);
const shown = (value: unknown): string => (value === undefined ? '' : ` ${cut(canonical(value))}`);

/** A record as a person reads it. */
export function recordText(record: Produced): string {
  switch (record.k) {
    case 'in':
      return `in     ${record.via} ${record.a}${record.n === undefined ? '' : ` timer ${record.n}`}${shown(record.ev)}`;
    case 'draw':
      return `draw   ${record.a} ${record.port}${shown(record.threw ?? record.v)}`;
    case 'post':
      return `post   ${record.from} -> ${record.a}${shown(record.ev)}${record.dead ? ` (nobody there: ${record.dead})` : ''}`;
    case 'open':
      return `open   ${record.a}${shown(record.input)}`;
    case 'end':
      return `end    ${record.a} ${record.why}${record.error === undefined ? '' : `: ${record.error}`}`;
    case 'timer':
      return `timer  ${record.op} ${record.a} ${record.n}${record.ms === undefined ? '' : ` after ${record.ms} ms`}`;
    case 'out':
      return `out    ${record.a} ${record.port}${shown(record.ev)}`;
    case 'defect':
      return `defect ${record.a}: ${record.what}`;
    case 'step':
      return `step   ${record.a} on ${record.ev} -> ${cut(JSON.stringify(record.v))} [${record.tr.join(', ')}]`;
  }
}
const inputText = ({ s, t, record }: TraceLine): string => `seq ${s} (t=${t} ms): ${recordText(record)}`;

function bodyOf({ input, agreed, recorded, replayed, how, restReplayed }: Divergence): string[] {
  const lines = [
    input ? `  while handling input ${inputText(input)}` : '  before the first input',
    ...agreed.map((record) => `    = ${recordText(record)}`),
  ];
  if (how === 'deaf')
    return [
      ...lines,
      `    - recorded  ${recorded ? recordText(recorded.record) : ''}`,
      '    + replayed  nobody waits for it',
    ];
  if (how === 'check')
    return [
      ...lines,
      '    the recording holds inputs only: what this input led to is not what it led to then. Now it is',
      ...restReplayed.slice(0, 12).map((record) => `    + replayed  ${recordText(record)}`),
    ];
  return [
    ...lines,
    `    - recorded  ${recorded ? recordText(recorded.record) : 'nothing more for this input'}`,
    `    + replayed  ${replayed ? recordText(replayed) : 'nothing more for this input'}`,
  ];
}
export interface ReportPlace {
  readonly file: string;
  readonly level: Level;
  readonly trace: Trace;
  /** The charts that are not what they were: kinds of machines. */
  readonly changed: readonly string[];
}
function divergedText(
  { file, level, changed }: ReportPlace,
  judged: Judged,
  divergence: Divergence,
): string[] {
  const { replay } = judged;
  const seq = divergence.recorded?.s ?? divergence.input?.s ?? 1;
  const until = divergence.input?.s ?? seq;
  return [
    `DIVERGED ${file} at seq ${seq}: ${replay?.matched} of ${replay?.total} records agree`,
    ...bodyOf(divergence),
    ...(replay?.trapped ?? []).slice(0, 3).map(({ api, at }) => `  nondeterminism: ${api}() at ${at}`),
    `  hint: ${hintOf(divergence)}`,
    ...(changed.length > 0 ? [`  charts that have changed since: ${changed.join(', ')}`] : []),
    `  again: npx -p a2c-actors a2c replay ${file} --level ${level} --until ${until}`,
  ];
}
const lawsText = (judged: Judged): string[] =>
  judged.breaches
    .slice(0, 10)
    .map(({ law, what, at }) => `  ${law}: ${what.includes(at) ? what : `${at}: ${what}`}`);

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
      `NONDETERMINISTIC ${file}: ${seen} agree, but`,
      ...(replay?.trapped ?? []).slice(0, 5).map(({ api, at }) => `  ${api}() was used at ${at}`),
    ].join('\n');
  if (verdict === 'broken' || verdict === 'stuck')
    return [
      `${verdict.toUpperCase()} ${file}: ${seen} agree, and what they did breaks a law`,
      ...lawsText(judged),
      ...torn,
    ].join('\n');
  const reads =
    (replay?.redactedReads ?? []).length > 0
      ? ['  a guard looked at a redacted value; it decided the same']
      : [];
  return [`SAME ${file}: ${seen}, digest ${replay?.digest.slice(0, 16)}`, ...reads, ...torn].join('\n');
}
