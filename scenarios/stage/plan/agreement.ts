import { isDeepStrictEqual } from 'node:util';
import type { Observed } from './observations.ts';
import { aspects, differing, type Aspect, type Plan } from './plan.ts';

/** Facts of a play that can be compared with another play: plain data, one member per aspect. */
export type Summary = { readonly [K in Aspect]: Readonly<Record<string, unknown>> };

/** Events that a host hears by chance, or whose number is not promised. */
const unpromised = new Set([
  'client.changed',
  'call.settled',
  'owned.ended',
  'office.opened',
  'seat.changed',
]);

/** Summarizes a play for the comparison with another play of the same plan. */
export function summaryOf(observed: Observed): Summary {
  const servers = [...observed.servers].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const each = (read: (server: (typeof servers)[number][1]) => unknown): Record<string, unknown> =>
    Object.fromEntries(servers.map(([name, server]) => [name, read(server)]));
  const calls = [...observed.calls].map(([ticket, { settled }]) => [
    ticket,
    settled.map(({ news: { end, outcome, failure } }) => ({ end, outcome, code: failure?.code ?? null })),
  ]);
  // Unrelated events may be heard in any order, so they are grouped before they are compared.
  const heard: Record<string, string[]> = {};
  for (const { who, event } of observed.heard) {
    if (unpromised.has(event.type)) continue;
    const told = (heard[`${who} ${event.type}`] ??= []);
    const word = wordOf(event);
    if (told.at(-1) !== word) told.push(word);
    // The order in which two servers get their tools is not promised, so it is not compared.
    if (event.type === 'tools.changed') told.sort();
  }
  return {
    calls: Object.fromEntries(calls) as Record<string, unknown>,
    shown: Object.fromEntries(
      [...observed.shown].map(([ask, answers]) => [ask, answers.map(({ at: _, ...answer }) => answer)]),
    ),
    visits: each((s) => s.visits),
    signals: each((s) => s.signals.map(({ name }) => name)),
    requests: each((s) => Object.fromEntries([...s.requests].toSorted(([a], [b]) => (a < b ? -1 : 1)))),
    processes: each(({ started, failed, alive }) => ({ started, failed, alive })),
    heard,
  };
}
const wordOf = (event: { readonly type: string; readonly [more: string]: unknown }): string =>
  [event['stage'], event['added'], event['removed'], event['computer']]
    .filter((part) => part !== undefined)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
    .join(' ');

/** Lists the differences between two plays of one plan that the plan does not excuse. */
export function disagreements(plan: Plan, virtual: Summary, real: Summary): string[] {
  const excused = differing(plan);
  return aspects
    .filter((aspect) => !excused.has(aspect) && !isDeepStrictEqual(virtual[aspect], real[aspect]))
    .map(
      (aspect) =>
        `${aspect}: in virtual time ${JSON.stringify(virtual[aspect])}, really ${JSON.stringify(real[aspect])}`,
    );
}
