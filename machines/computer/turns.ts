/**
 * Who of the servers of one computer may connect now. So many connect at the same time; and those that come back
 * after a failure take a token each, so that thirty of them do not come back in the same second.
 */
export interface Turns {
  readonly running: readonly string[];
  readonly waiting: readonly { readonly server: string; readonly again: boolean }[];
  readonly tokens: number;
}

export const parallel = 16;
export const burst = 5;
export const noTurns: Turns = { running: [], waiting: [], tokens: burst };

const without = <T>(list: readonly T[], isOut: (item: T) => boolean): readonly T[] =>
  list.some(isOut) ? list.filter((item) => !isOut(item)) : list;

/** It has its turn no more, and wants none. */
export const over = (turns: Turns, server: string): Turns => ({
  ...turns,
  running: without(turns.running, (name) => name === server),
  waiting: without(turns.waiting, (each) => each.server === server),
});
/** At the end of those who wait; what it had before is over. */
export function want(turns: Turns, server: string, again: boolean): Turns {
  const rest = over(turns, server);
  return { ...rest, waiting: [...rest.waiting, { server, again }] };
}
export const refilled = (turns: Turns): Turns => ({
  ...turns,
  tokens: Math.min(burst, turns.tokens + 1),
});
export const isFull = (turns: Turns): boolean => turns.tokens >= burst;

/** In the order in which they came; who needs a token that is not there lets the others pass. */
export function given(turns: Turns): { readonly turns: Turns; readonly servers: readonly string[] } {
  const servers: string[] = [];
  let { tokens } = turns;
  const waiting = turns.waiting.filter(({ server, again }) => {
    if (turns.running.length + servers.length >= parallel || (again && tokens === 0)) return true;
    if (again) tokens -= 1;
    servers.push(server);
    return false;
  });
  if (servers.length === 0) return { turns, servers };
  return { turns: { running: [...turns.running, ...servers], waiting, tokens }, servers };
}
