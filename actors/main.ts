#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { keepCompiledCode } from '../adapters/own-files.ts';
import { asText } from '../machines/text.ts';
import { version } from '../machines/version.ts';
import { EndedBySignal } from './cli/exit-codes.ts';
import { helpWidth, mainHelp } from './cli/main-help.ts';
import type { CommandContext } from './cli/context.ts';

// This optimization of V8 treats short-lived objects of calls as long-lived; it costs 10 to 20 % of the CPU.
setFlagsFromString('--no-allocation-site-pretenuring');
keepCompiledCode();

async function main(): Promise<void> {
  const aborter = new AbortController();
  const stop = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGBREAK'): void => {
    const by = new EndedBySignal(name);
    // Exits at once at the second signal; the servers are killed as the process exits.
    if (aborter.signal.aborted) process.exit(by.exitCode);
    aborter.abort(by);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Handles Ctrl-Break of Windows, the only one of these signals that a program there can send to others.
  process.on('SIGBREAK', stop);
  let hangup: (() => void) | undefined;
  // Ends the process at SIGHUP of a terminal, which means that its window was closed.
  process.on('SIGHUP', () => (hangup && !process.stdin.isTTY ? hangup() : stop('SIGHUP')));
  const onHangup = (run: () => void): void => void (hangup = run);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') return;
    // Says nothing more, because whoever read has enough.
    process.stderr.destroy();
    aborter.abort(new EndedBySignal('SIGPIPE'));
  });
  // Ignores a closed stderr, because the result on stdout is still wanted and no place is left to report it.
  process.stderr.on('error', () => {});
  const argv = process.argv.slice(2);
  // oxlint-disable-next-line no-restricted-imports -- loaded when one of their commands is typed
  const laboratory = async () => (await import('../scenarios/stage/laboratory.ts')).laboratory;
  let context: Promise<CommandContext> | undefined;
  const contextOf = async (): Promise<CommandContext> => {
    const { contextHere } = await import('./cli/context.ts');
    return contextHere({ signal: aborter.signal, laboratory, onHangup });
  };
  // Answers these here, because loading the commands takes longer than the start of Node.
  if (argv.join(' ') === '--version') return void process.stdout.write(`${version}\n`);
  const { columns } = process.stdout;
  const out = (text: string): void => void process.stdout.write(`${asText(text)}\n`);
  if (['', '--help', 'help'].includes(argv.join(' '))) return out(mainHelp(helpWidth(columns)));
  // Loads the commands only after `keepCompiledCode`, so that their compiled code is kept, too.
  const { begin } = await import('./cli/run.ts');
  try {
    process.exitCode = await begin(argv, {
      out,
      err: (text) => void process.stderr.write(`${asText(text)}\n`),
      columns,
      context: () => (context ??= contextOf()),
    });
  } finally {
    // Closes the terminal, which would keep the process alive.
    (await context)?.terminal.close();
  }
}
await main();
