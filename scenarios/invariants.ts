import { judge, recordLaws } from './laws.ts';
import type { Stage } from './stage.ts';

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

const overRecords = Object.entries(recordLaws).map(([law, open]): [string, Law] => [
  law,
  ({ records }, { failing }) =>
    judge(records, true, { [law]: open })
      .filter(({ at }) => failing === undefined || !at.includes(failing))
      .map(({ what }) => what),
]);
export const laws: Readonly<Record<string, Law>> = {
  ...Object.fromEntries(overRecords),
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

/** Every breach, named by its law. */
export const breaches = (stage: Stage, meant: Meant = {}): string[] =>
  Object.entries(laws).flatMap(([law, check]) => check(stage, meant).map((what) => `${law}: ${what}`));
