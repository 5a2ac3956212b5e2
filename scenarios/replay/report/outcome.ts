import type { CallOutcome, Outcomes, ProcessOutcome, SeatOutcome, ServerOutcome } from '../outcomes.ts';
import { cut } from './words.ts';

const secondsText = (ms: number): string => `${(Math.max(0, ms) / 1000).toFixed(3)} s`;
const whyText = (failure: { readonly code: string; readonly message: string } | null): string =>
  failure === null ? '' : ` (${failure.code}: ${cut(failure.message)})`;

/** Outcome of a call in words, without times, so that equal texts mean equal outcomes. */
const callText = ({ outcome, end, code, text, answers }: CallOutcome): string => {
  const why = code === null ? (outcome === 'succeeded' ? '' : text) : `${code}: ${text}`;
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
/** Outcomes as pairs of subject and text, such as `call r1` and `succeeded`. */
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
/** Outcomes that differ, one line each, such as `server files: ready → waiting | ready`. */
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
/**
 * Short table of outcomes: first calls that did not succeed, then other calls as far as there is room, servers, seats and
 * processes.
 */
export function outcomeText(outcomes: Outcomes): string[] {
  const texts = textsOf(outcomes);
  const rows: string[] = [];
  const section = (keys: readonly string[], what: string): void => {
    for (const key of keys.slice(0, mostShown)) {
      const call = key.startsWith('call ') ? outcomes.calls[key.slice('call '.length)] : undefined;
      rows.push(`${key}${call ? placeOf(call) : ''}: ${texts.get(key)}${call ? timeOf(call) : ''}`);
    }
    if (keys.length > mostShown) rows.push(`and ${keys.length - mostShown} more ${what}`);
  };
  const isGood = ([, { outcome, answers }]: readonly [string, CallOutcome]): boolean =>
    outcome === 'succeeded' && answers === 1;
  const calls = Object.entries(outcomes.calls);
  const sorted = [...calls.filter((each) => !isGood(each)), ...calls.filter(isGood)];
  section(
    sorted.map(([name]) => `call ${name}`),
    'calls',
  );
  const keysOf = (what: string, all: object): string[] => Object.keys(all).map((name) => `${what} ${name}`);
  section(keysOf('server', outcomes.servers), 'servers');
  section(keysOf('seat', outcomes.seats), 'seats');
  section(keysOf('process', outcomes.processes), 'processes');
  return rows;
}
