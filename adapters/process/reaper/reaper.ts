// Ends the host's children when stdin closes. Imports only small modules, so that it starts fast.
import { writeSync } from 'node:fs';
import { endTrees, originOf, systemTools } from '../windows-trees.ts';
import { endAll, type TracedGroup } from './group.ts';
import { reaperProof } from './host-program.ts';

const isWindows = process.platform === 'win32';
/** The reaper exits after this time in any case; longer on Windows, where listing processes is slow. */
const lastMs = isWindows ? 30_000 : 1_900;

/** A list may take too long on a busy machine, and no other program would end the rest. */
const listTries = 10;

const groups = new Map<string, TracedGroup>();
const instances = new Set<string>();

/** `* INSTANCE` adds a marker, `~ INSTANCE` removes it; `+ PGID START` adds a group, `- PGID START` removes it. */
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
  const doomed = [...groups.values()];
  if (isWindows)
    await endTrees(
      doomed.map((group) => originOf(group)),
      systemTools,
      listTries,
    );
  else if (groups.size + instances.size > 0) await endAll({ groups: doomed, instances: [...instances] });
  process.exit(0);
}

// A signal sent to all processes must not stop the reaper.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => {});
try {
  writeSync(1, reaperProof);
} catch {
  // Ignores a failed write, because a host that is gone shows as the end of stdin.
}

let rest = '';
process.stdin
  .setEncoding('utf8')
  .on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  })
  // Treats a broken pipe as the end of stdin.
  .on('error', () => void end())
  .on('end', () => void end())
  .on('close', () => void end());
