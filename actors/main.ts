#!/usr/bin/env node
import { createTerminal } from '../adapters/index.ts';
import { run } from './cli/run.ts';
import { exitCodes } from './cli/shared.ts';

async function main(): Promise<void> {
  const aborter = new AbortController();
  const terminal = createTerminal();
  const stop = (): void => {
    // The second one does not wait: the ledger ends the servers as the process exits.
    if (aborter.signal.aborted) process.exit(exitCodes.interrupted);
    aborter.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // The terminal window was closed.
  process.on('SIGHUP', stop);
  // Whoever reads us may stop reading: that is no error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') stop();
  });
  const argv = process.argv.slice(2);
  process.exitCode = await run(argv.length === 0 ? ['--help'] : argv, { terminal, signal: aborter.signal });
}
await main();
