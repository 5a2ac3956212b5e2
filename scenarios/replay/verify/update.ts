import type { EventObject } from 'xstate';
import { recorderOptions } from '../../../actors/recording/flight-recorder.ts';
import { KnownSecrets } from '../../../actors/secrets/known-secrets.ts';
import { wireCodes } from '../../../machines/protocol/failure.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';
import { canonical } from '../../../machines/trace/canonical.ts';
import { isCrossing, type Trace } from '../../../machines/trace/reading.ts';
import { accept } from '../replay-command.ts';
import type { GivenValues } from './hidden-values.ts';
import { rowText } from './plan.ts';
import type { Played } from './play.ts';

/** Undefined when only one of both is an answer. */
function answerOf({ row, now }: Played, was: EventObject): EventObject | undefined {
  const { id } = was as { readonly id?: unknown };
  if (!row.was.value || !now.value || canonical(row.was.value) === canonical(now.value)) return undefined;
  const { result, error } = now.value;
  if (error === undefined) return { type: 'ask.answered', id, result } as EventObject;
  const { message, ...details } = fieldsOf(error);
  const failure = { code: wireCodes.toolFailed, message, details };
  return { type: 'ask.refused', id, sent: true, failure } as EventObject;
}
/** Hides secrets and the `given` values. A death or a silence stays, because it is more than an answer. */
export function updated(
  file: string,
  { trace, played }: { readonly trace: Trace; readonly played: readonly Played[] },
  given: GivenValues,
): readonly string[] {
  const secrets = new KnownSecrets(Object.values(given).filter((value) => typeof value === 'string'));
  const { redactor } = recorderOptions(secrets, 'boundary');
  const asked = played.filter(({ row: { what } }) => what === 'request');
  const done: string[] = [];
  const lines = trace.lines.map((line) => {
    const { record, s } = line;
    const one = asked.find(({ row }) => row.answeredAt === s);
    const ev = one && isCrossing(record) && record.ev && answerOf(one, record.ev);
    if (!ev) return line;
    done.push(`updated: record ${s}, ${rowText(one.row)}`);
    return { ...line, record: { ...record, ev: JSON.parse(canonical(ev, redactor)) as EventObject } };
  });
  const left = asked.filter(({ row, now }) => now.value && !row.was.value && row.isFailure);
  const kept = left.map(({ row }) => `as it was: record ${row.s}, ${rowText(row)}: record it again`);
  if (done.length === 0) return [...kept, `${file} is as it was`];
  const { verdict, text } = accept(file, { ...trace, lines });
  return verdict === 'same' ? [...done, ...kept] : [`${file} is as it was: ${text}`];
}
