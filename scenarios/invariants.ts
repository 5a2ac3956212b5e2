import type { DirectoryRecord } from '../machines/trace/index.ts';
import type { Stage } from './stage.ts';

/**
 * What holds after every scenario, whatever went wrong in it: everything that was opened is closed, every call
 * was answered once, nothing failed that was not meant to, nothing was said to nobody.
 */
export interface Meant {
  /** Machines whose failure the scenario is about: a part of their address. */
  readonly failing?: string;
  /** So many observers fail. */
  readonly blunders?: number;
}
type Law = (stage: Stage, meant: Meant) => readonly string[];

const isMeant = (address: string, meant: Meant): boolean =>
  meant.failing !== undefined && address.includes(meant.failing);
const recordsOf = <K extends DirectoryRecord['k']>(stage: Stage, k: K) =>
  stage.records.filter((r): r is Extract<DirectoryRecord, { k: K }> => r.k === k);
const left = (what: string, n: number): readonly string[] => (n === 0 ? [] : [`${n} ${what} left`]);

export const laws: Readonly<Record<string, Law>> = {
  'no root is left': ({ directory }) => [...directory.roots].map((r) => `${r.id} is left`),
  'no timer is left': ({ clock }) => left('timers', clock.pending),
  'no process is left': ({ servers }) => left('processes', servers.alive),
  'no session is left': ({ servers }) => left('sessions', servers.openSessions),
  'no connection is left': ({ network }) => left('connections', network.audit().connections),
  'no routed call is left': ({ network }) => left('routed calls', network.audit().inFlight),
  'every call is settled exactly once': ({ calls }) =>
    calls
      .filter((c) => c.settled.length !== 1)
      .map((c) => `${c.ticket} was settled ${c.settled.length} times`),
  'no machine fails': (stage, meant) =>
    recordsOf(stage, 'end')
      .filter((r) => r.why === 'failed' && !isMeant(r.a, meant))
      .map((r) => `${r.a} failed: ${r.error}`),
  'no defect is reported': (stage, meant) => [
    ...recordsOf(stage, 'defect')
      .filter((r) => !isMeant(r.a, meant))
      .map((r) => `${r.a}: ${r.what}`),
  ],
  'no message is lost': (stage) =>
    recordsOf(stage, 'post')
      .filter((r) => r.dead === 'lost')
      .map((r) => `${r.from} -> ${r.a}: ${r.ev.type}`),
  'a server has at most one process': ({ servers }) =>
    servers.doubled.map((key) => `${key} was started while an older one lived`),
  'nobody who watches fails': ({ blunders }, { blunders: meant = 0 }) =>
    blunders.length === meant ? [] : blunders.map(String),
  'the directory is whole': ({ directory }) => {
    const known = new Set(directory.defects);
    return directory.audit().filter((wrong) => !known.has(wrong));
  },
};

/** Every breach, named by its law. */
export const breaches = (stage: Stage, meant: Meant = {}): string[] =>
  Object.entries(laws).flatMap(([law, check]) => check(stage, meant).map((what) => `${law}: ${what}`));
