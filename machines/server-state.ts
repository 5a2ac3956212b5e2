import type { Failure } from './protocol/failure.ts';

/** State of a configured server, one word for programs; `stateWords` has a text for people. */
export type ServerState =
  | 'idle'
  | 'standby'
  | 'connecting'
  | 'ready'
  | 'recovering'
  | 'waiting'
  | 'open'
  | 'authorizing'
  | 'unauthorized'
  | 'closing'
  | 'disabled'
  | 'needsInput'
  | 'unsupported';

export interface ClientSnapshot {
  readonly value: unknown;
  hasTag(tag: string): boolean;
}
const stateOf: Readonly<Record<string, ServerState>> = {
  idle: 'idle',
  standby: 'standby',
  waiting: 'waiting',
  open: 'open',
  lost: 'recovering',
  authorizing: 'authorizing',
  unauthorized: 'unauthorized',
  refused: 'unauthorized',
};
const namesIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : Object.entries(value ?? {}).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
export function clientState(snapshot: ClientSnapshot): ServerState {
  const [known] = namesIn(snapshot.value).flatMap((name) => stateOf[name] ?? []);
  if (known) return known;
  if (snapshot.hasTag('ready')) return 'ready';
  return snapshot.hasTag('connecting') ? 'connecting' : 'closing';
}
export const stateFor = (state: ServerState, failure: Pick<Failure, 'code'> | null): ServerState => {
  if (state !== 'open') return state;
  return failure?.code === 'InputNotFound'
    ? 'needsInput'
    : failure?.code === 'ConfigInvalid'
      ? 'unsupported'
      : state;
};
