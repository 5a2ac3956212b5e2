import { spawnChild } from './child.ts';
import { describeLaunch } from './executable.ts';
import { groupOf } from './reaper/group.ts';
import type { Launcher } from './launcher.ts';

/** Children of this process, each the leader of a process group: all that it starts and does not detach. */
export const posixLauncher: Launcher = {
  launch: (spec, env) => {
    // A group of its own, so that Ctrl-C in the terminal does not reach it and all of it can be signalled.
    const { child, life } = spawnChild(spec, env, true);
    // Why, says `started`.
    if (child.pid === undefined) return { ...life, signal: () => {}, living: () => 0 };
    const group = groupOf(child.pid);
    child.once('exit', group.leaderReaped);
    return {
      ...life,
      signal: group.signal,
      living: group.living,
      group: { pgid: group.pid, startTime: group.startTime },
    };
  },
  describe: describeLaunch,
};
