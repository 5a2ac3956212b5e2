import { isDeepStrictEqual } from 'node:util';
import type { Changes } from '../../../machines/catalog/changes.ts';
import type { CallSeen, Observed } from './observations.ts';
import type { Aspect, Expectation } from './plan.ts';

type Of<K extends Expectation['of']> = Extract<Expectation, { of: K }>;
/** State of a play that an expectation is checked against. */
export interface Reading {
  /** Observations of the play so far. */
  readonly observed: Observed;
  /** Tells whether times are exact, as in virtual time; real times are not. */
  readonly isExact: boolean;
  /** Returns the ticket of a call by its name in the plan. */
  readonly ticketOf: (call: string) => string;
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
const differs = (what: string, expected: unknown, seen: unknown): string[] =>
  isDeepStrictEqual(expected, seen) ? [] : [`${what}: expected ${shown(expected)}, saw ${shown(seen)}`];
const includes = (whole: unknown, part: unknown): boolean =>
  typeof part !== 'object' || part === null
    ? Object.is(whole, part)
    : typeof whole === 'object' &&
      whole !== null &&
      Object.entries(part).every(([key, value]) =>
        includes((whole as Readonly<Record<string, unknown>>)[key], value),
      );

const checks: { readonly [K in Expectation['of']]: (e: Of<K>, reading: Reading) => string[] } = {
  call: (e, { observed, isExact, ticketOf }) => call(e, observed.calls.get(ticketOf(e.call)), isExact),
  shown: (e, { observed }) => shows(e, observed),
  visits: (e, { observed }) => differs(`visits of ${e.server}`, e.stages, observed.server(e.server).visits),
  is: (e, { observed }) => differs(e.server, e.stage, observed.server(e.server).visits.at(-1)),
  says: ({ server, texts }, { observed }) => {
    const { failure } = observed.server(server);
    const said = failure?.message ?? '';
    return texts
      .filter((text) => !said.includes(text))
      .map((text) => `${server} said ${shown(said)}, without ${shown(text)}`);
  },
  signals: ({ server, signals }, { observed, isExact }) => {
    const seen = observed.server(server).signals;
    const first = seen[0]?.at ?? 0;
    const told = seen.map(({ name, at }, i) =>
      isExact && signals[i]?.includes('@') ? `${name}@${at - first}` : name,
    );
    const expected = isExact ? signals : signals.map((s) => s.replace(/@.*/, ''));
    return differs(`signals to ${server}`, expected, told);
  },
  requests: ({ server, method, count, atMost }, { observed }) => {
    const seen = observed.server(server).requests.get(method) ?? 0;
    if (!atMost) return differs(`${method} at ${server}`, count, seen);
    return seen <= count ? [] : [`${method} at ${server}: expected at most ${count}, saw ${seen}`];
  },
  specs: ({ server, specs }, { observed }) =>
    differs(`launch specs of ${server}`, specs, observed.server(server).specs),
  processes: ({ server, ...expected }, { observed }) => {
    const seen = observed.server(server);
    return (['started', 'failed', 'alive'] as const).flatMap((what) =>
      expected[what] === undefined
        ? []
        : differs(`processes of ${server} ${what}`, expected[what], seen[what]),
    );
  },
  tools: ({ changes }, { observed }) => {
    const told = observed.heardBy('computer', 'tools.changed').flatMap(({ event }) => {
      const { added, removed, changed } = event as unknown as Changes;
      return [...added.map((t) => `+${t}`), ...removed.map((t) => `-${t}`), ...changed.map((t) => `~${t}`)];
    });
    return differs('tools', changes, told);
  },
  heard: ({ who, event, count }, { observed }) =>
    differs(`${event} heard by the host of ${who}`, count, observed.heardBy(who, event).length),
  stages: ({ who, stages }, { observed }) => differs(`stages of ${who}`, stages, stagesOf(observed, who)),
};

/** With repetitions in a row merged. */
export function stagesOf(observed: Observed, who: Of<'stages'>['who']): string[] {
  const [root = ''] = who.split(' ');
  const type = who === 'computer' ? 'computer.changed' : 'link.changed';
  const stages = observed.heardBy(root, type).map(({ event }) => String(event['stage']));
  return stages.filter((stage, i) => stage !== stages[i - 1]);
}

function call(e: Of<'call'>, seen: CallSeen | undefined, isExact: boolean): string[] {
  const what = `call ${e.call}`;
  const [settled] = seen?.settled ?? [];
  if (!seen) return [`${what} was never asked`];
  if (e.outcome === null || !settled) return differs(what, e.outcome, settled?.news.outcome ?? null);
  const { outcome, end, phase, failure, result } = settled.news;
  const say = failure ? ` (${failure.message})` : '';
  const wrong: string[] = differs(`${what}${say}`, e.outcome, outcome);
  if (e.end !== undefined) wrong.push(...differs(`end of ${what}`, e.end, end));
  if (e.phase !== undefined) wrong.push(...differs(`phase of ${what}`, e.phase, phase));
  if (e.code !== undefined) wrong.push(...differs(`code of ${what}${say}`, e.code, failure?.code));
  if (e.says !== undefined && !failure?.message.includes(e.says))
    wrong.push(`${what} says ${shown(failure?.message)}, without ${shown(e.says)}`);
  if (e.result !== undefined && !includes(result, e.result))
    wrong.push(`result of ${what}: expected ${shown(e.result)}, saw ${shown(result)}`);
  if (e.details !== undefined && !includes(failure?.details, e.details))
    wrong.push(`details of ${what}: expected ${shown(e.details)}, saw ${shown(failure?.details)}`);
  if (e.at !== undefined && isExact)
    wrong.push(...differs(`time of ${what}`, e.at, settled.at - seen.askedAt));
  return wrong;
}

function shows({ of: _, ask, texts = [], ...expected }: Of<'shown'>, { shown: answers }: Observed): string[] {
  const [seen] = answers.get(ask) ?? [];
  if (!seen) return [`${ask} was not answered`];
  return [
    ...Object.entries(expected).flatMap(([what, value]) =>
      differs(`${what} of ${ask}`, value, seen[what as keyof typeof expected]),
    ),
    ...texts
      .filter((part) => !seen.texts.some((text) => text.includes(part)))
      .map((part) => `${ask} shows ${shown(seen.texts)}, without ${shown(part)}`),
  ];
}

const aspectOf: { readonly [K in Expectation['of']]: Aspect } = {
  call: 'calls',
  shown: 'shown',
  visits: 'visits',
  is: 'visits',
  says: 'visits',
  signals: 'signals',
  requests: 'requests',
  processes: 'processes',
  specs: 'processes',
  tools: 'heard',
  heard: 'heard',
  stages: 'heard',
};
/** Lists violations of an expectation; `excused` holds the aspects in which a real play may differ. */
export function violationsOf(
  expectation: Expectation,
  reading: Reading,
  excused: ReadonlySet<Aspect> = new Set(),
): string[] {
  if (excused.has(aspectOf[expectation.of])) return [];
  return (checks[expectation.of] as (e: Expectation, r: Reading) => string[])(expectation, reading);
}
