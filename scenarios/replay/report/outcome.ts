import { keptForIn, type KeepWord, type KeptFor } from '../../../machines/trace/reasons.ts';
import type { Trace } from '../../../machines/trace/reading.ts';
import type { CallOutcome, Outcomes, ProcessOutcome, SeatOutcome, ServerOutcome } from '../outcomes.ts';
import { cut } from './words.ts';

const secondsText = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(3)} s`;
const whyText = (failure: { readonly code: string; readonly message: string } | null): string =>
  failure === null ? '' : ` (${failure.code}: ${cut(failure.message)})`;

const callText = ({ outcome, end, code, text, answers, mismatch }: CallOutcome): string => {
  const said = outcome === 'succeeded' ? (mismatch === undefined ? '' : `but ${mismatch}`) : text;
  const why = code === null ? said : `${code}: ${text}`;
  const ended = end === outcome || end === null ? '' : `${end}, `;
  const often = answers > 1 ? `, answered ${answers} times` : '';
  return `${outcome === null ? 'not answered' : `${ended}${ended === '' ? '' : 'outcome '}${outcome}`}${why === '' ? '' : ` (${cut(why)})`}${often}`;
};
const mostStates = 8;
const statesText = (states: readonly string[]): string =>
  states.length <= mostStates
    ? states.join(' → ')
    : `${states.length - mostStates} states … → ${states.slice(-mostStates).join(' → ')}`;
const serverText = ({ states, failure }: ServerOutcome): string => `${statesText(states)}${whyText(failure)}`;
const seatText = ({ states, reason }: SeatOutcome): string =>
  `${statesText(states)}${reason === null ? '' : ` (${cut(reason)})`}`;
const processText = ({ pid, code, signal, endedMs }: ProcessOutcome): string => {
  if (pid === null) return endedMs === null ? 'not started' : 'could not be started';
  if (endedMs === null) return 'lives';
  return signal === null ? `ended with exit code ${code}` : `ended by ${signal}`;
};
function textsOf({ calls, servers, seats, processes }: Outcomes): Map<string, string> {
  const rows = <T>(
    what: string,
    all: Readonly<Record<string, T>>,
    text: (each: T) => string,
  ): [string, string][] => Object.entries(all).map(([name, each]) => [`${what} ${name}`, text(each)]);
  return new Map([
    ...rows('call', calls, callText),
    ...rows('server', servers, serverText),
    ...rows('seat', seats, seatText),
    ...rows('process', processes, processText),
  ]);
}
export function differencesOf(before: Outcomes, after: Outcomes): string[] {
  const [was, is] = [textsOf(before), textsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((key) => was.get(key) !== is.get(key))
    .map((key) => `${key}: ${was.get(key) ?? 'nothing'} | ${is.get(key) ?? 'nothing'}`);
}

const mostShown = 10;
const placeOf = ({ tool, server }: CallOutcome): string =>
  ` (${tool}${server === null ? '' : ` of ${server}`})`;
const timeOf = ({ startedMs, settledMs }: CallOutcome): string =>
  settledMs === null ? '' : `, after ${secondsText(settledMs - startedMs)}`;

/** Events for which a host wrote a trace by itself: of its last line and of its marks. */
export const keptFor = ({ tail, lines }: Pick<Trace, 'tail' | 'lines'>): KeptFor[] => {
  const marks = lines.flatMap(({ record }) => (record.k === 'mark' ? [record.text] : []));
  return [...marks, tail?.reason ?? ''].flatMap(keptForIn);
};
export const reasonsOf = (trace: Pick<Trace, 'tail' | 'lines'>): string[] =>
  keptFor(trace).map(({ on, subject }) => `${on} ${subject}`);
const reasonWords: Readonly<Record<KeepWord, (subject: string) => string>> = {
  callUnknown: (tool) => `call ${tool} ended unknown`,
  callFailed: (tool) => `call ${tool} failed`,
  outputMismatch: (tool) => `the result of ${tool} breaks its schema`,
  serverGaveUp: (name) => `server ${name} gave up`,
  serverLost: (name) => `server ${name} was lost`,
  fault: (address) => `a fault at ${address}`,
};
export const reasonText = (reason: string): string =>
  keptForIn(reason)
    .map(({ on, subject }) => reasonWords[on](subject))
    .join('; ');
function rankOf({ tool, outcome, answers, mismatch }: CallOutcome, reasons: readonly string[]): number {
  if (outcome === 'unknown') return reasons.includes(`callUnknown ${tool}`) ? 0 : 1;
  if (outcome === 'failed' && reasons.includes(`callFailed ${tool}`)) return 0;
  if (outcome === 'succeeded' && answers === 1)
    return reasons.includes(`outputMismatch ${tool}`) ? 0 : mismatch === undefined ? 4 : 3;
  return outcome === null ? 2 : 3;
}
/** Of those that the trace was written for the last one, just before its end, is first. */
function sortedCalls(calls: Outcomes['calls'], reasons: readonly string[]): string[] {
  const ranked = Object.entries(calls).map(([name, call]) => ({ name, call, rank: rankOf(call, reasons) }));
  const late = ({ rank, call }: (typeof ranked)[number]): number => (rank === 0 ? -(call.settledMs ?? 0) : 0);
  return ranked.toSorted((a, b) => a.rank - b.rank || late(a) - late(b)).map(({ name }) => name);
}
/** First what the trace was written for, then other failures, then good ones as far as there is room. */
export function outcomeText(outcomes: Outcomes, reasons: readonly string[] = []): string[] {
  const texts = textsOf(outcomes);
  const rows: string[] = [];
  const section = (what: string, names: readonly string[]): void => {
    for (const name of names.slice(0, mostShown)) {
      const call = what === 'call' ? outcomes.calls[name] : undefined;
      const key = `${what} ${name}`;
      rows.push(`${key}${call ? placeOf(call) : ''}: ${texts.get(key)}${call ? timeOf(call) : ''}`);
    }
    const rest = names.length - mostShown;
    if (rest > 0) rows.push(`and ${rest} more ${what === 'process' ? 'processes' : `${what}s`}`);
  };
  const isNamed = (server: string): boolean =>
    reasons.includes(`serverGaveUp ${server}`) || reasons.includes(`serverLost ${server}`);
  const servers = Object.keys(outcomes.servers).toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)));
  section('call', sortedCalls(outcomes.calls, reasons));
  section('server', servers);
  section('seat', Object.keys(outcomes.seats));
  section('process', Object.keys(outcomes.processes));
  return rows;
}
