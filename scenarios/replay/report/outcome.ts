import type { DirectoryRecord } from '../../../machines/trace/index.ts';

/** What became of everything that a person would ask about: `call r1` → `succeeded`, `server fs` → its stages. */
export function outcomeOf(records: Iterable<DirectoryRecord>): Map<string, string> {
  const outcome = new Map<string, string>();
  const append = (key: string, word: string): void => {
    const before = outcome.get(key);
    outcome.set(key, before === undefined ? word : `${before} → ${word}`);
  };
  for (const record of records) {
    if (record.k === 'end' && record.why === 'failed')
      append(`machine ${record.a}`, `failed (${record.error})`);
    if (record.k === 'out' && record.port === 'process') {
      const { type, signal } = record.ev as { type: string; signal?: string };
      if (type === 'child.closeStdin' || signal !== undefined)
        append(`process ${record.a}`, signal ?? 'stdin closed');
    }
    if (record.k !== 'post') continue;
    const ev = record.ev as unknown as Record<string, string>;
    // What its host was told; on the way there it passes several machines.
    if (!record.a.startsWith('host:')) continue;
    if (ev['type'] === 'call.settled')
      append(`call ${ev['reqId']} of ${record.a}`, `${ev['end']} (${ev['outcome']})`);
    if (ev['type'] === 'client.changed') append(`server ${ev['server']}`, String(ev['stage']));
    if (ev['type'] === 'link.changed') append(`link of ${record.a}`, String(ev['stage']));
  }
  return outcome;
}
/** One line for each thing that became of it otherwise: `server fs: ready → waiting | ready`. */
export function differencesOf(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => before.get(key) !== after.get(key))
    .map((key) => `${key}: ${before.get(key) ?? 'nothing'} | ${after.get(key) ?? 'nothing'}`);
}
