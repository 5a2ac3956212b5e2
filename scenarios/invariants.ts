import type { DirectoryRecord } from '../actors/records.ts';
import type { Stage } from './stage.ts';

/**
 * What holds after every scenario, whatever went wrong in it: everything that was opened is closed, every call
 * was answered once, nothing failed that was not meant to, nothing was said to nobody.
 */
export interface Meant {
  /** Machines whose failure the scenario is about: a part of their address. */
  readonly failing?: string;
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
  'a server has at most one process': (stage) => {
    const alive = new Map<string, number>();
    const wrong: string[] = [];
    for (const r of stage.records) {
      if (r.k !== 'open' && r.k !== 'end') continue;
      const at = r.a.lastIndexOf('/process#');
      if (at < 0) continue;
      const n = (alive.get(r.a.slice(0, at)) ?? 0) + (r.k === 'open' ? 1 : -1);
      alive.set(r.a.slice(0, at), n);
      if (n > 1) wrong.push(`${r.a} is its second process`);
    }
    return wrong;
  },
};

/** Every breach, named by its law. */
export const breaches = (stage: Stage, meant: Meant = {}): string[] =>
  Object.entries(laws).flatMap(([law, check]) => check(stage, meant).map((what) => `${law}: ${what}`));
