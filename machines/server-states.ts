/** States of servers, and words for them that terminal, logs and page share. This file imports no packages. */
import type { ServerState } from './server-state.ts';
import type { Waits } from './ports/session.ts';

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
export const shortStateWords: Readonly<Record<ServerState, string>> = {
  idle: 'stopped',
  standby: 'starts when called',
  connecting: 'starting',
  ready: 'ready',
  recovering: 'lost',
  waiting: 'failed',
  open: 'gave up',
  authorizing: 'logging in',
  unauthorized: 'needs a login',
  closing: 'stopping',
  disabled: 'disabled',
  needsInput: 'needs a value',
  unsupported: 'has a wrong config',
};

const handshakes = {
  connection: 'the connection to its URL',
  headers: 'the headers of the response',
  initialize: 'the answer to initialize',
} as const;
export const waitsFor = (step: Waits['for']): string => `waits for ${handshakes[step]}`;
export const cameInstead = ({ came }: Pick<Waits, 'came'>): string => (came === '' ? 'nothing came' : came);
/** Names the start time and no duration, because the message is read later. */
export const waitWords = (waits: Waits): string =>
  `${waitsFor(waits.for)} since ${waits.since}; ${cameInstead(waits)}`;

const steps = {
  values: 'waits for the values of its inputs',
  permit: 'waits for its permit to connect',
  launch: 'waits for its program to start',
  'tools/list': 'waits for the answer to tools/list',
} as const;
export type ConnectingWait = Waits['for'] | keyof typeof steps;
/** The outer state, or the state inside of it. */
export const connectingStep = (value: unknown): string =>
  typeof value === 'string' ? value : String(Object.values(value as object)[0]);
export const stepsThatWait: Readonly<Record<string, ConnectingWait>> = {
  resolving: 'values',
  queued: 'permit',
  launching: 'launch',
  handshaking: 'initialize',
  listing: 'tools/list',
  unlisted: 'tools/list',
};
const isLimited = (step: ConnectingWait): boolean => step === 'launch' || step in handshakes;
/** In ms; undefined for a step that has no limit of its own. */
export const limitOf = (step: ConnectingWait, connectMs: number | undefined): number | undefined =>
  isLimited(step) ? connectMs : undefined;
/** `ms`: time since the step began; `hasProcess`: it is our child; `limitMs`: time after which the try fails. */
export function waitsText(
  step: ConnectingWait,
  came: string,
  {
    hasProcess,
    ms,
    limitMs,
  }: { readonly hasProcess: boolean; readonly ms: number; readonly limitMs?: number | undefined },
): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const end = limitMs === undefined ? '' : `; this try ends after ${limitMs / 1_000} s`;
  if (!(step in handshakes)) return `${steps[step as keyof typeof steps]} for ${seconds} s${end}`;
  const started = hasProcess ? 'its program was started; ' : '';
  const instead = hasProcess && came === '' ? 'nothing came on stdout' : cameInstead({ came });
  return `${started}${waitsFor(step as Waits['for'])} for ${seconds} s; ${instead}${end}`;
}
