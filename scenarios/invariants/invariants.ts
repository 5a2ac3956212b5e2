import { judge, invariants as recordInvariants, type Violation } from './index.ts';
import { noEarlyKill } from './processes/no-early-kill.invariant.ts';
import { freeSeatGranted } from './system/free-seat-granted.invariant.ts';
import { latenessOf } from './lateness.ts';
import type { Harness } from '../stage/harness.ts';

/** The harness sees both sides: nothing may be left of what the scripted world had given. */
export interface Meant {
  /** Part of the address of machines whose failure the scenario is about. */
  readonly failing?: string;
  readonly blunders?: number;
}
type Invariant = (harness: Harness, meant: Meant) => readonly string[];

const left = (what: string, n: number): readonly string[] => (n === 0 ? [] : [`${n} ${what} left`]);

const judged = new WeakMap<Harness, readonly Violation[]>();
/** Returns violations of all invariants once a harness is closed. */
function violationsOf(harness: Harness): readonly Violation[] {
  const known = judged.get(harness);
  if (known) return known;
  // Virtual time is late only where a scenario stalls it.
  const found = judge(harness.seen, true, {
    bounds: { slackMs: latenessOf(harness.seen) },
  });
  judged.set(harness, found);
  return found;
}
/** A failing machine cannot shut down in order and refuses everything. */
const byFailing: readonly string[] = [noEarlyKill.invariant, freeSeatGranted.invariant];
const overRecords = recordInvariants.map(({ invariant }): [string, Invariant] => [
  invariant,
  (harness, { failing }) =>
    violationsOf(harness)
      .filter(
        (b) =>
          b.invariant === invariant &&
          (failing === undefined || !(b.at.includes(failing) || byFailing.includes(invariant))),
      )
      .map(({ what }) => what),
]);
export const harnessInvariants: Readonly<Record<string, Invariant>> = {
  'no child is started while an older one lives': ({ servers }) =>
    servers.doubled.map((key) => `${key} was started while an older one lived`),
  'no timer is left': ({ clock }) => left('timers', clock.pending),
  'no process is left': ({ servers }) => left('processes', servers.alive),
  'no session is left': ({ servers }) => left('sessions', servers.openSessions),
  'no connection is left': ({ network }) => left('connections', network.audit().connections),
  'no routed call is left': ({ network }) => left('routed calls', network.audit().inFlight),
  'no part of a file is left': ({ callPorts }) =>
    left('files that have not landed', callPorts.landing.parts.size),
  'no observer fails': ({ blunders }, { blunders: meant = 0 }) =>
    blunders.length === meant ? [] : blunders.map(String),
  'the directory is consistent': ({ directory }) => {
    const known = new Set(directory.defects);
    return directory.audit().filter((wrong) => !known.has(wrong));
  },
};
export const invariants: Readonly<Record<string, Invariant>> = {
  ...Object.fromEntries(overRecords),
  ...harnessInvariants,
};

export const violations = (harness: Harness, meant: Meant = {}): string[] =>
  Object.entries(invariants).flatMap(([invariant, check]) =>
    check(harness, meant).map((what) => `${invariant}: ${what}`),
  );
