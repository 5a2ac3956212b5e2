import type { Laboratory } from '../../actors/cli/context.ts';
import { forkCommand } from '../replay/fork-command.ts';
import { replayCommand } from '../replay/replay-command.ts';
import { showCommand } from '../replay/show-command.ts';
import { simCommand } from '../simulator/sim-command.ts';

/** The commands of this room, for the command line to load when one of them is asked for. */
export const laboratory: Laboratory = {
  replayTraces: replayCommand,
  forkTrace: forkCommand,
  showTrace: showCommand,
  simulate: simCommand,
};
