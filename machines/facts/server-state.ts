import type { Failure } from '../protocol/index.ts';

/** Where a configured server stands, for people: one word for programs, one text for each word. */
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

/** A client as it is now, or as a trace has it. */
export interface ClientSnapshot {
  readonly value: unknown;
  hasTag(tag: string): boolean;
}
export function clientState(snapshot: ClientSnapshot): ServerState {
  const { value } = snapshot;
  if (value === 'idle' || value === 'standby' || value === 'waiting') return value;
  if (value === 'open' || value === 'recovering') return value;
  const login = typeof value === 'object' && value !== null && 'login' in value ? value.login : undefined;
  if (login !== undefined) return login === 'authorizing' ? login : 'unauthorized';
  if (snapshot.hasTag('ready')) return 'ready';
  return snapshot.hasTag('connecting') ? 'connecting' : 'closing';
}
/** Of one that rests because it cannot be launched as it is: what it lacks says more. */
export const stateFor = (state: ServerState, failure: Pick<Failure, 'code'> | null): ServerState => {
  if (state !== 'open') return state;
  return failure?.code === 'InputNotFound'
    ? 'needsInput'
    : failure?.code === 'ConfigInvalid'
      ? 'unsupported'
      : state;
};
/** Behind the name of a server: `gave up`. The terminal and the page say the same. */
export const stateWords: Readonly<Record<ServerState, string>> = {
  idle: 'is not wanted: nobody started it, or it ended well by itself',
  standby: 'starts with the first call',
  connecting: 'is connecting',
  ready: 'is ready',
  recovering: 'was lost: what is left of it is ended',
  waiting: 'is down, and waits for its next try',
  open: 'gave up',
  authorizing: 'is being logged in to',
  unauthorized: 'waits for a person to log in',
  closing: 'is ending',
  disabled: 'is disabled in its config',
  needsInput: 'lacks a value of its config',
  unsupported: 'has a config that cannot be used here',
};
