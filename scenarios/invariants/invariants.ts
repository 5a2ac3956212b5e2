import { judge, laws as recordLaws, type Breach } from './index.ts';
import { latenessOf } from './lateness.ts';
import type { Stage } from '../stage/stage.ts';

/**
 * What holds after every scenario, whatever went wrong in it: the laws over its records, and what only a stage
 * can know, because it holds both ends: nothing is left of what the scripted world had given.
 */
export interface Meant {
  /** Machines whose failure the scenario is about: a part of their address. */
  readonly failing?: string;
  /** So many observers fail. */
  readonly blunders?: number;
}
type Law = (stage: Stage, meant: Meant) => readonly string[];

const left = (what: string, n: number): readonly string[] => (n === 0 ? [] : [`${n} ${what} left`]);

const judged = new WeakMap<Stage, readonly Breach[]>();
/** What all laws together say of a stage that has come to its end. */
function breachesOf(stage: Stage): readonly Breach[] {
  const known = judged.get(stage);
  if (known) return known;
  // Virtual time is late only where a scenario lets it hang.
  const found = judge(stage.seen, true, {
    bounds: { slackMs: latenessOf(stage.seen), ...(stage.limits && { limits: stage.limits }) },
  });
  judged.set(stage, found);
  return found;
}
const overRecords = recordLaws.map(({ law }): [string, Law] => [
  law,
  (stage, { failing }) =>
    breachesOf(stage)
      .filter((b) => b.law === law && (failing === undefined || !b.at.includes(failing)))
      .map(({ what }) => what),
]);
/** What only a stage can know, because it holds both ends. */
export const stageLaws: Readonly<Record<string, Law>> = {
  'no child is started while an older one lives': ({ servers }) =>
    servers.doubled.map((key) => `${key} was started while an older one lived`),
  'no timer is left': ({ clock }) => left('timers', clock.pending),
  'no process is left': ({ servers }) => left('processes', servers.alive),
  'no session is left': ({ servers }) => left('sessions', servers.openSessions),
  'no connection is left': ({ network }) => left('connections', network.audit().connections),
  'no routed call is left': ({ network }) => left('routed calls', network.audit().inFlight),
  'nobody who watches fails': ({ blunders }, { blunders: meant = 0 }) =>
    blunders.length === meant ? [] : blunders.map(String),
  'the directory is whole': ({ directory }) => {
    const known = new Set(directory.defects);
    return directory.audit().filter((wrong) => !known.has(wrong));
  },
};
export const laws: Readonly<Record<string, Law>> = { ...Object.fromEntries(overRecords), ...stageLaws };

/** Every breach, named by its law. */
export const breaches = (stage: Stage, meant: Meant = {}): string[] =>
  Object.entries(laws).flatMap(([law, check]) => check(stage, meant).map((what) => `${law}: ${what}`));
