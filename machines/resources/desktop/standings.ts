import { standingOf } from './window-uri.ts';

/** Where a window stands by what its list entry says of it. */
export interface ListedStanding {
  /** 0 to 100. */
  readonly priority?: number;
  readonly fullscreen?: boolean;
}
/** By URI: those of which the list says something that the query of the URI leaves open. */
export type Standings = Readonly<Record<string, ListedStanding>>;
interface Entry {
  readonly uri: string;
  readonly annotations?: unknown;
  readonly meta?: unknown;
}

const valueIn = (within: unknown, key: string): unknown =>
  typeof within === 'object' && within !== null ? (within as Record<string, unknown>)[key] : undefined;
/** MCP has priorities from 0 to 1; anything else says nothing. */
const priorityIn = ({ annotations }: Entry): number | undefined => {
  const given = valueIn(annotations, 'priority');
  return typeof given === 'number' && given >= 0 && given <= 1 ? given * 100 : undefined;
};
const fullscreenIn = ({ meta }: Entry): boolean | undefined => {
  const given = valueIn(meta, 'fullscreen');
  return typeof given === 'boolean' ? given : undefined;
};

/**
 * What windows of the Python SDK 0.2 and later say in their list entry: `annotations.priority` and `_meta.fullscreen`. The
 * query of the URI counts first (seed 001). Of a URI that is listed twice the first entry counts.
 */
export function standingsIn(resources: readonly Entry[]): Standings {
  const standings = new Map<string, ListedStanding>();
  for (const entry of resources) {
    const [priority, fullscreen] = [priorityIn(entry), fullscreenIn(entry)];
    if ((priority === undefined && fullscreen === undefined) || standings.has(entry.uri)) continue;
    const inQuery = standingOf(entry.uri);
    if (!inQuery) continue;
    const standing: ListedStanding = {
      ...(priority !== undefined && inQuery.priority === undefined && { priority }),
      ...(fullscreen !== undefined && inQuery.fullscreen === undefined && { fullscreen }),
    };
    if (Object.keys(standing).length > 0) standings.set(entry.uri, standing);
  }
  return Object.fromEntries(standings);
}
