import { readFileSync } from 'node:fs';

export const survivorsFile = new URL('survivors.txt', import.meta.url);
const unread = 'not looked at';

/** Each with its reason: the heading above it. */
export function readSurvivors(): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  let reason = unread;
  for (const line of readFileSync(survivorsFile, 'utf8').split('\n'))
    if (line.startsWith('# ')) reason = line.slice(2);
    else if (line !== '') reasons.set(line, reason);
  return reasons;
}

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
