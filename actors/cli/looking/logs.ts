import type { Config } from '../../../machines/config/index.ts';
import type { OutputLine } from '../../servers/server-output.ts';
import { onlyServer } from '../calling/needed.ts';
import type { Context } from '../context.ts';
import { exitCodeAtEnd, exitCodeOf, hasUsable } from '../exit-codes.ts';
import { withComputer } from '../one-shot.ts';
import type { SourceOptions } from '../host-options.ts';
import { logLine } from '../printing/log-line.ts';
import { configOf } from '../source.ts';

/** `a2c logs`: what one server writes beside its answers. */
export interface LogsOptions extends SourceOptions {
  readonly follow: boolean;
  readonly json: boolean;
}
export async function logs(context: Context, name: string, options: LogsOptions): Promise<number> {
  const { signal, terminal } = context;
  const config: Config = onlyServer(await configOf(context, options), name);
  const show = (line: OutputLine): void =>
    options.json ? terminal.out(JSON.stringify({ server: name, ...line })) : terminal.out(logLine(line));
  const how = { ...options, office: '', onOutput: (_server: string, line: OutputLine) => show(line) };
  let isUsable = false;
  await withComputer(context, how, config, async (computer) => {
    isUsable = hasUsable(context, computer.servers());
    for (const { reason } of isUsable ? [] : computer.servers())
      if (reason !== undefined) terminal.err(reason);
    if (!options.follow || !isUsable) return;
    terminal.err(`following ${name}; Ctrl-C ends it`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  });
  return options.follow ? exitCodeAtEnd(signal) : exitCodeOf(signal, isUsable);
}
