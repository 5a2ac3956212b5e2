#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { asText } from '../machines/text/index.ts';
import { begin } from './cli/run.ts';
import { EndedBySignal } from './cli/exit-codes.ts';
import type { Context } from './cli/context.ts';

// V8 takes what is made and dropped with each call for long-lived, and keeps it until a full collection: a tenth to a fifth of the CPU.
setFlagsFromString('--no-allocation-site-pretenuring');

async function main(): Promise<void> {
  const aborter = new AbortController();
  const stop = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void => {
    const by = new EndedBySignal(name);
    // The second one does not wait: the ledger ends the servers as the process exits.
    if (aborter.signal.aborted) process.exit(by.exitCode);
    aborter.abort(by);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  let hangup: (() => void) | undefined;
  // At a terminal: its window was closed.
  process.on('SIGHUP', () => (hangup && !process.stdin.isTTY ? hangup() : stop('SIGHUP')));
  const onHangup = (run: () => void): void => void (hangup = run);
  // Whoever reads us may stop reading: that is no error of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') aborter.abort();
  });
  // Without a reader of what we tell beside it the result on stdout is still wanted. Nobody could be told, either.
  process.stderr.on('error', () => {});
  const argv = process.argv.slice(2);
  // oxlint-disable-next-line no-restricted-imports -- loaded when one of their commands is typed
  const laboratory = async () => (await import('../scenarios/stage/laboratory.ts')).laboratory;
  let context: Promise<Context> | undefined;
  const contextOf = async (): Promise<Context> => {
    const { createTerminal } = await import('../adapters/index.ts');
    return { terminal: createTerminal(), signal: aborter.signal, laboratory, onHangup };
  };
  try {
    process.exitCode = await begin(argv.length === 0 ? ['--help'] : argv, {
      out: (text) => void process.stdout.write(`${asText(text)}\n`),
      err: (text) => void process.stderr.write(`${asText(text)}\n`),
      context: () => (context ??= contextOf()),
    });
  } finally {
    // It reads until it is closed.
    (await context)?.terminal.close();
  }
}
await main();
