import type { JudgeOptions } from '../../actors/cli/laboratory.ts';
import type { Laboratory } from '../../actors/cli/context.ts';
import { exitCodeOf } from '../../actors/cli/exit-codes.ts';
// oxlint-disable-next-line no-restricted-imports -- finds the file of the fault server, and touches nothing else
import { ownFile } from '../../adapters/own-files.ts';
import { judgeCommand } from '../judge/judge-command.ts';
import { forkCommand } from '../replay/fork/fork-command.ts';
import { redactCommand } from '../replay/redact-command.ts';
import { replayCommand } from '../replay/replay-command.ts';
import { playServer } from '../replay/tape-server.ts';
import { showCommand } from '../replay/show-command.ts';
import { storyOf } from '../replay/story.ts';
import { whyCommand } from '../replay/why-command.ts';
import { verifyCommand } from '../replay/verify/verify-command.ts';
import { simCommand } from '../simulator/sim-command.ts';

export const laboratory: Laboratory = {
  replayTraces: replayCommand,
  playServer,
  verifyServer: verifyCommand,
  forkTrace: forkCommand,
  redactTrace: redactCommand,
  showTrace: showCommand,
  storyOf,
  why: whyCommand,
  simulate: simCommand,
  judgeHost: async ({ terminal, signal }, driver: readonly string[], options: JudgeOptions) => {
    const faultServer = [process.execPath, ownFile('scenarios/fault-server/fault-server.mjs')];
    const code = await judgeCommand({ terminal, signal, faultServer }, driver, options);
    return code ?? exitCodeOf(signal);
  },
};
