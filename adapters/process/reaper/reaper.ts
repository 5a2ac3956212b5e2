// Reaper: a process beside the host that ends the host's children when the host is gone, however the host ended. It learns
// on stdin which groups live, and acts when stdin closes. Its only imports are small modules, so that it starts fast.
import { writeSync } from 'node:fs';
import { endTrees, originOf, systemTools } from '../windows-trees.ts';
import { endAll, type TracedGroup } from './group.ts';
import { reaperProof } from './host-program.ts';

const isWindows = process.platform === 'win32';
/**
 * Time in ms after which the reaper exits in any case, so that it does not outlive its host for long. Longer on Windows,
 * where listing processes is slow.
 */
const lastMs = isWindows ? 30_000 : 1_900;

/**
 * Largest number of times that processes are listed on Windows, because a list may take too long on a busy machine. If
 * the reaper gave up earlier, no other program would end the rest.
 */
const listTries = 10;

const groups = new Map<string, TracedGroup>();
const instances = new Set<string>();

/**
 * Handles one line from the host: `* INSTANCE` adds a marker to look for, `~ INSTANCE` removes it; `+ PGID START` adds a process
 * group, `- PGID START` removes it.
 */
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

// Ignores signals, so that one sent to all processes does not stop the reaper. A terminal does not reach it, because it has a
// session of its own.
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
