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
  // The one arrow from here to the scenarios, and only when one of their commands is typed.
  const laboratory = async () => (await import('../scenarios/laboratory.ts')).laboratory;
  const context = { terminal, signal: aborter.signal, laboratory };
  process.exitCode = await run(argv.length === 0 ? ['--help'] : argv, context);
}
await main();
