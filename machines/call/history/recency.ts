import type { PastCall } from './calls.ts';

/** Of a past call only its server counts here. */
export type ServerHistory = readonly Pick<PastCall, 'server'>[];

/**
 * The order in which servers are shown, each once: whose tool was called last comes first, those that no remembered
 * call went to follow by name. A server that only the history knows is left out.
 */
export function byRecency(servers: Iterable<string>, history: ServerHistory): readonly string[] {
  const rest = new Set(servers);
  const called = history
    .toReversed()
    .map(({ server }) => server)
    .filter((server) => rest.delete(server));
  return [...called, ...[...rest].sort(byCodePoint)];
}

/** As Python sorts. JavaScript compares halves of surrogate pairs, which puts an emoji before U+FF01. */
function byCodePoint(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
