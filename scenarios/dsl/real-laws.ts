import type { RealWorld } from './real-world.ts';

/** What holds after every real play, whatever went wrong in it. */
export function brokenReally({ runtime, records, observed, blunders, left }: RealWorld): string[] {
  const wrong: string[] = [];
  for (const root of runtime.directory.roots) wrong.push(`${root.id} is left`);
  if (runtime.ledger.size > 0) wrong.push(`${runtime.ledger.size} processes are in the ledger`);
  for (const pid of left) wrong.push(`a process of group ${pid} is left`);
  for (const [ticket, { settled }] of observed.calls)
    if (settled.length !== 1) wrong.push(`${ticket} was settled ${settled.length} times`);
  for (const record of records) {
    if (record.k === 'defect') wrong.push(`${record.a}: ${record.what}`);
    else if (record.k === 'end' && record.why === 'failed') wrong.push(`${record.a} failed: ${record.error}`);
    else if (record.k === 'post' && record.dead === 'lost')
      wrong.push(`lost: ${record.from} -> ${record.a}: ${record.ev.type}`);
  }
  return [...wrong, ...runtime.directory.audit(), ...blunders.map(String)];
}
