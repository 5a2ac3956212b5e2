// The reaper: a process beside the host that ends the host's children when the host is gone, however it went.
// It hears on stdin what lives, and acts when stdin ends. It loads nothing but node:fs: it should be small.
import { writeSync } from 'node:fs';
import { endAll, type TracedGroup } from './group.ts';
import { reaperProof } from './host-program.ts';

/** It must never outlive its host for long, whatever it meets. */
const lastMs = 1_900;

const groups = new Map<string, TracedGroup>();
const instances = new Set<string>();

/** `* INSTANCE`, `~ INSTANCE`: a marker to look for, or no longer. `+ PGID START`, `- PGID START`: a group. */
function hear(line: string): void {
  const what = line.slice(2);
  const [pgid = '', startTime = '-'] = what.split(' ');
  if (line.startsWith('* ')) instances.add(decodeURIComponent(what));
  else if (line.startsWith('~ ')) instances.delete(decodeURIComponent(what));
  else if (line.startsWith('- ')) groups.delete(what);
  else if (line.startsWith('+ '))
    groups.set(what, { pgid: Number(pgid), startTime: startTime === '-' ? undefined : startTime });
}

let isEnding = false;
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  setTimeout(() => process.exit(1), lastMs);
  if (groups.size + instances.size > 0)
    await endAll({ groups: [...groups.values()], instances: [...instances] });
  process.exit(0);
}

// It has a session of its own, so a terminal does not reach it; whoever signals everybody should not stop it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {});
try {
  writeSync(1, reaperProof);
} catch {
  // A host that is gone shows at stdin.
}

let rest = '';
process.stdin
  .setEncoding('utf8')
  .on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  })
  // A pipe that breaks has ended, too.
  .on('error', () => void end())
  .on('end', () => void end())
  .on('close', () => void end());
