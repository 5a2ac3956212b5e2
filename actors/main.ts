#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { asText } from '../machines/text.ts';
import { begin } from './cli/run.ts';
import { EndedBySignal } from './cli/exit-codes.ts';
import type { CommandContext } from './cli/context.ts';

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
  // At a terminal SIGHUP means that its window was closed.
  process.on('SIGHUP', () => (hangup && !process.stdin.isTTY ? hangup() : stop('SIGHUP')));
  const onHangup = (run: () => void): void => void (hangup = run);
  // A reader that stops reading stdout ends the command without an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') aborter.abort();
  });
  // The result on stdout is still wanted when stderr has no reader. There is nowhere to tell that, either.
  process.stderr.on('error', () => {});
  const argv = process.argv.slice(2);
  // oxlint-disable-next-line no-restricted-imports -- loaded when one of their commands is typed
  const laboratory = async () => (await import('../scenarios/stage/laboratory.ts')).laboratory;
  let context: Promise<CommandContext> | undefined;
  const contextOf = async (): Promise<CommandContext> => {
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
    // An open terminal keeps the process alive.
    (await context)?.terminal.close();
  }
}
await main();
