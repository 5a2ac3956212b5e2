import { addMistake, isWithin, mistakeLine, pathText, type Findings, type Mistake } from '../mistake.ts';
import { readServer, type Entry } from './read-server.ts';
import type { ServerConfig } from '../server.ts';
import { isObject } from '../../protocol/json.ts';

/** A server of a file that is not taken, for it is wrong. */
export interface LeftOut {
  readonly name: string;
  readonly mistakes: readonly Mistake[];
}
/** Entries of a file, each judged by itself. */
export interface Entries {
  readonly servers: readonly ServerConfig[];
  readonly leftOut: readonly LeftOut[];
}

/**
 * All servers of a file; no two share a name. Mistakes and warnings go to the findings. With `isLenient` a wrong server is left out
 * and told in a warning: it loses itself, and not the file.
 */
export function readEntries(
  entries: readonly Entry[],
  duplicates: readonly Mistake[],
  isLenient: boolean,
  findings: Findings,
): Entries {
  const places = new Map<string, string>();
  const servers: ServerConfig[] = [];
  const leftOut: LeftOut[] = [];
  for (const entry of entries) {
    const place = pathText(entry.path);
    const own: Findings = {
      mistakes: duplicates.filter(({ path }) => isWithin(path, place) || isWithin(place, path)),
      warnings: [],
    };
    const server = readServer(entry, own);
    // A broken twin is a twin as well: its name counts although it gives no server.
    const inside = isObject(entry.value) ? entry.value['name'] : undefined;
    const name = entry.key ?? (typeof inside === 'string' ? inside : undefined);
    const earlier = name === undefined ? undefined : places.get(name);
    if (earlier !== undefined)
      addMistake(own, [...entry.path, 'name'], `${JSON.stringify(name)} is already the name of ${earlier}`);
    else if (name !== undefined) places.set(name, place);
    if (own.mistakes.length === 0) {
      findings.warnings.push(...own.warnings);
      if (server) servers.push(server);
    } else if (isLenient) {
      leftOut.push({ name: name ?? place, mistakes: own.mistakes });
      findings.warnings.push(...own.mistakes.map((each) => `${mistakeLine(each)}: this server is left out`));
    } else findings.mistakes.push(...own.mistakes);
  }
  return { servers, leftOut };
}
