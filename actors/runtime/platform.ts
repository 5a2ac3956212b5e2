import { wireCodes } from '../../machines/protocol/index.ts';
import type { Address } from '../../machines/kernel/address.ts';
import type { DrawPort } from '../../machines/kernel/effects.ts';
import type { Ports } from '../../machines/kernel/ports.ts';

/** All that the world can do to us. Live, simulated and replayed hosts differ in this one object. */
export interface Platform {
  /** ms, monotonic; for ages in what people look at, never for a decision. */
  now(): number;
  /** In [0, 1), for whoever lives there. Used through `Directory.random` only, so that it is recorded. */
  random(a: Address): number;
  /** Timer `n` of the root `a`: names by which a replay fires the same one. */
  setTimeout(fire: () => void, ms: number, a: Address, n: number): unknown;
  clearTimeout(timer: unknown): void;
  readonly ports: Ports;
  /** What a port knows at once; null: it has to be asked. It never throws. Recorded as a draw. */
  draw(a: Address, port: DrawPort, params: object): unknown;
}

/** Where no port of this name is filled. */
export const unanswered: Ports['request'] = (_from, { id, method }, emit) => {
  const failure = { code: wireCodes.notBuilt, message: `Nobody here answers ${method}` } as const;
  emit({ type: 'ask.refused', id, sent: false, failure });
  return () => {};
};
