import { writtenAs } from '../../../adapters/index.ts';
import { appNamed, apps, exportFor, plainWords } from '../../../machines/config/index.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { showFailure } from '../printing/show-failure.ts';
import { leftOutLines, readSource } from '../source.ts';

/** `a2c export`: the servers of the config for other applications. Nothing is started, no file is written. */
export interface ExportOptions {
  readonly config?: string;
  /** Its id, such as `codex`. */
  readonly for?: string;
  readonly secrets: boolean;
}
export async function exportServers(context: Context, options: ExportOptions): Promise<number> {
  const app = options.for === undefined ? undefined : appNamed(options.for);
  if (options.for !== undefined && !app) {
    const message = `there is no application '${options.for}'`;
    const remedy = `Known are ${apps.map(({ id }) => id).join(', ')}.`;
    showFailure(context, { code: 400, message, remedy }, false);
    return exitCodes.usage;
  }
  const { config } = await readSource(context, options);
  const { value, left } = exportFor(config, app?.words ?? plainWords, options.secrets);
  for (const text of left) context.terminal.err(`left: ${text}`);
  for (const text of leftOutLines(config)) context.terminal.err(text);
  if (!options.secrets)
    context.terminal.err('values of env and headers are placeholders; --secrets writes them as they are');
  context.terminal.outText((await writtenAs(app?.format ?? 'json', value)).trimEnd());
  return exitCodes.done;
}
