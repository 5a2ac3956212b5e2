import { foundAppFiles, readConfigValue } from '../../../adapters/index.ts';
import { appNamed, apps, importFrom } from '../../../machines/config/index.ts';
import { planImport, type ImportSource } from '../../api/config-files.ts';
import { A2cError } from '../../kernel/errors.ts';
import { yesOrNo } from '../answering/yes-or-no.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';

/** `a2c import`: servers of other applications, into the config of this user. Nothing is started. */
export interface ImportOptions {
  /** The file to write. Default: the config of this user. */
  readonly config?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json: boolean;
}

/** Without a name: what there is, and how to import it. */
async function listed({ terminal, folder = process.cwd() }: Context, json: boolean): Promise<number> {
  const found = await foundAppFiles(folder);
  const rows = await Promise.all(
    found.map(async ({ app: id, file }) => {
      const read = await readConfigValue(file);
      const app = appNamed(id);
      if (!read.ok || !app) return { app: id, file, servers: null };
      return {
        app: id,
        file,
        servers: importFrom(read.value, app, { servers: [], inputs: [] }).servers.length,
      };
    }),
  );
  if (json) {
    terminal.out(JSON.stringify({ found: rows, apps: apps.map(({ id }) => id) }));
    return exitCodes.done;
  }
  for (const { app, file, servers } of rows)
    terminal.out(
      `${app.padEnd(14)}  ${(servers === null ? 'unreadable' : `${servers} servers`).padEnd(10)}  ${file}`,
    );
  if (rows.length === 0) terminal.out('no file of another application was found');
  terminal.err(
    `a2c import APP takes its servers, a2c import FILE those of a file; applications: ${apps.map(({ id }) => id).join(', ')}`,
  );
  return exitCodes.done;
}

function show({ terminal }: Context, { from, app, servers, left }: ImportSource): void {
  terminal.out(`${from}${app ? ` (${app.title})` : ''}:`);
  for (const each of servers) {
    const name = each.name === each.from ? each.name : `${each.from} → ${each.name}`;
    const rest = each.why === null ? `  ${each.target}` : `: ${each.why}`;
    terminal.out(`  ${each.outcome.padEnd(8)}  ${name}${rest}`);
    for (const text of each.changed) terminal.out(`              changed: ${text}`);
    for (const text of each.left) terminal.out(`              left: ${text}`);
  }
  for (const text of left) terminal.out(`  ${text}`);
  if (servers.length === 0) terminal.out('  no servers');
}
async function mayWrite({ terminal, signal }: Context, count: number, file: string): Promise<boolean> {
  if (!terminal.isInteractive)
    throw new A2cError({
      code: 400,
      message: 'nothing was written: nobody can be asked',
      remedy: 'Write it with --yes, or look with --dry-run.',
    });
  return (await yesOrNo(terminal, `Write ${count} servers to ${file}?`, signal, false)) === true;
}

export async function importServers(
  context: Context,
  what: string | undefined,
  { config, dryRun = false, yes = false, json }: ImportOptions,
): Promise<number> {
  const { terminal, folder = process.cwd() } = context;
  if (what === undefined) return listed(context, json);
  const plan = await planImport({ from: what, folder, ...(config !== undefined && { file: config }) });
  const { file, sources, count } = plan;
  if (!json) for (const source of sources) show(context, source);
  let isWritten = false;
  if (count > 0 && !dryRun && (yes || (await mayWrite(context, count, file)))) {
    await plan.write();
    isWritten = true;
  }
  if (json) terminal.out(JSON.stringify({ file, written: isWritten, sources: sources.map(toldSource) }));
  else if (isWritten) terminal.out(`wrote ${count} servers to ${file}`);
  else terminal.err(count === 0 ? 'there is nothing to write' : 'nothing was written');
  return exitCodes.done;
}
const toldSource = ({ app, ...source }: ImportSource): object => ({ ...source, app: app?.id ?? null });
