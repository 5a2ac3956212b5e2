import { readFileSync } from 'node:fs';

export const survivorsFile = new URL('survivors.txt', import.meta.url);
/** Reason of a survivor that nobody has looked at. */
const unread = 'not looked at';

/** Reads the edits of charts that nothing notices, each with its reason: the heading above it. */
export function readSurvivors(): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  let reason = unread;
  for (const line of readFileSync(survivorsFile, 'utf8').split('\n'))
    if (line.startsWith('# ')) reason = line.slice(2);
    else if (line !== '') reasons.set(line, reason);
  return reasons;
}

/** Writes survivors under their reasons of before; new ones come last. */
export function writtenSurvivors(survivors: readonly string[]): string {
  const reasons = readSurvivors();
  const groups = new Map<string, string[]>([...reasons.values()].map((reason) => [reason, []]));
  for (const what of survivors) {
    const reason = reasons.get(what) ?? unread;
    groups.set(reason, [...(groups.get(reason) ?? []), what]);
  }
  return [...groups]
    .filter(([, lines]) => lines.length > 0)
    .map(([reason, lines]) => `# ${reason}\n${lines.toSorted().join('\n')}\n`)
    .join('\n');
}
