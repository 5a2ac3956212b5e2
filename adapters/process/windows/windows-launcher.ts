import { spawnChild, type Spawn } from '../child.ts';
import { describeLaunch } from '../executable.ts';
import type { Launcher } from '../launcher.ts';
import { windowsSpawn } from './windows-spawn.ts';
import { createForest, systemTools, type WindowsTools } from './windows-tree.ts';

/**
 * Children of this process on Windows, each the root of a tree that `taskkill` ends. A signal is a request there
 * (SIGTERM: its input ends, `taskkill /T`) or the end (SIGKILL: `taskkill /T /F`). What a tree leaves is counted;
 * what cannot be told from a stranger is counted, too, and not touched.
 */
export function createWindowsLauncher(
  tools: WindowsTools = systemTools,
  spawn: Spawn = windowsSpawn,
): Launcher {
  const forest = createForest(tools);
  return {
    launch: (spec, env) => {
      // Not detached: Windows then ends it with this host, however that goes.
      const { child, life } = spawnChild(spec, env, false, spawn);
      if (child.pid === undefined) return { ...life, signal: () => {}, living: () => 0 };
      const tree = forest.plant(child.pid, () => child.kill());
      return {
        ...life,
        ended: life.ended.then(async (end) => {
          await tree.rootEnded();
          return end;
        }),
        signal: (signal) => {
          if (signal === 'SIGTERM') life.stdin.end();
          tree.signal(signal);
        },
        living: tree.living,
      };
    },
    describe: describeLaunch,
  };
}
export const windowsLauncher = createWindowsLauncher();
