import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  foundAppFiles,
  isLink,
  readConfig,
  readConfigValue,
  readLink,
  userConfigFile,
} from '../../../adapters/index.ts';
import {
  appNamed,
  appOf,
  apps,
  importFrom,
  mistakeLine,
  type App,
  type Imported,
  type ImportedServer,
  type Mistake,
} from '../../../machines/config/index.ts';
import { A2cError } from '../../api/errors.ts';
import type { Context } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { accepted } from '../source.ts';
import { changeConfig } from './edit.ts';

/** `a2c import`: servers of other applications, into the config of this user. Nothing is started. */
export interface ImportOptions {
  /** The file to write. Default: the config of this user. */
  readonly config?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json: boolean;
}
/** Something that holds servers, and whose it is. */
interface Source {
  /** The file; `link` of a link, which may hold secrets. */
  readonly from: string;
  readonly app: App | undefined;
  readonly value: unknown;
}
const failed = (code: 400 | 404 | 'ConfigInvalid', message: string, remedy: string): A2cError =>
  new A2cError({ code, message, remedy });
const notRead = (from: string, mistakes: readonly Mistake[]): A2cError =>
  failed('ConfigInvalid', mistakes.map((m) => mistakeLine(m, from)).join('\n'), 'Nothing was imported.');

async function sourceOf(what: string, folder: string): Promise<readonly Source[]> {
  if (isLink(what)) {
    const read = readLink(what);
    if (!read.ok) throw notRead('link', [read.mistake]);
    return [{ from: 'link', app: appNamed(read.app ?? ''), value: read.value }];
  }
  const app = appNamed(what);
  if (!app) return [await fileSource(resolve(folder, what))];
  const files = (await foundAppFiles(folder)).filter((found) => found.app === app.id);
  if (files.length === 0)
    throw failed(404, `${app.title} has no file with servers here`, 'Name the file: a2c import FILE');
  return Promise.all(files.map(({ file }) => fileSource(file, app)));
}
async function fileSource(file: string, known?: App): Promise<Source> {
  const read = await readConfigValue(file);
  if (!read.ok) throw notRead(file, [read.mistake]);
  if (read.duplicates.length > 0) throw notRead(file, read.duplicates);
  const { value } = read;
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  const app = known ?? appOf(value, file);
  if (isMap && (app || 'mcpServers' in value || 'servers' in value)) return { from: file, app, value };
  throw notRead(file, [{ path: '', message: 'holds no servers of an application that is known here' }]);
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

const outcomeOf = ({ entry, changed, left }: ImportedServer): 'taken' | 'changed' | 'left out' =>
  entry === null ? 'left out' : changed.length + left.length > 0 ? 'changed' : 'taken';
/** What it is, without what may be a secret: no arguments, no query. */
function targetOf({ server }: ImportedServer): string {
  if (server?.kind === 'stdio') return server.launch.command;
  if (server?.kind !== 'sse' && server?.kind !== 'streamable') return '';
  return server.remote.url.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
}
function show({ terminal }: Context, { from, app }: Source, { servers, left }: Imported): void {
  terminal.out(`${from}${app ? ` (${app.title})` : ''}:`);
  for (const each of servers) {
    const name = each.name === each.from ? each.name : `${each.from} → ${each.name}`;
    const why = each.entry === null ? `: ${each.why ?? ''}` : `  ${targetOf(each)}`;
    terminal.out(`  ${outcomeOf(each).padEnd(8)}  ${name}${why}`);
    for (const text of each.changed) terminal.out(`              changed: ${text}`);
    for (const text of each.left) terminal.out(`              left: ${text}`);
  }
  for (const text of left) terminal.out(`  ${text}`);
  if (servers.length === 0) terminal.out('  no servers');
}

interface Plan {
  readonly source: Source;
  readonly imported: Imported;
}
/** One after the other: names that the first takes are taken for the next. */
async function planned(sources: readonly Source[], file: string): Promise<readonly Plan[]> {
  const config = existsSync(file) ? accepted(await readConfig(file), file) : { servers: [], inputs: [] };
  let present: Pick<typeof config, 'servers' | 'inputs'> = config;
  return sources.map((source) => {
    const imported = importFrom(source.value, source.app, present);
    const more = imported.servers.flatMap(({ server, name }) => (server ? [{ ...server, name }] : []));
    present = { ...present, servers: [...present.servers, ...more] };
    return { source, imported };
  });
}
const partOf = (plans: readonly Plan[]) => ({
  servers: plans.flatMap(({ imported }) =>
    imported.servers.flatMap(({ name, entry }) => (entry ? [{ name, entry }] : [])),
  ),
  inputs: plans.flatMap(({ imported }) => imported.inputs),
});
async function mayWrite({ terminal, signal }: Context, count: number, file: string): Promise<boolean> {
  if (!terminal.isInteractive)
    throw failed(
      400,
      'nothing was written: nobody can be asked',
      'Write it with --yes, or look with --dry-run.',
    );
  const answer = await terminal.question(`Write ${count} servers to ${file}? [y/N] `, signal);
  return answer !== null && /^y(es)?$/i.test(answer.trim());
}

export async function importServers(
  context: Context,
  what: string | undefined,
  { config, dryRun = false, yes = false, json }: ImportOptions,
): Promise<number> {
  const { terminal, folder = process.cwd() } = context;
  if (what === undefined) return listed(context, json);
  const file = config === undefined ? userConfigFile() : resolve(folder, config);
  const plans = await planned(await sourceOf(what, folder), file);
  const part = partOf(plans);
  if (!json) for (const { source, imported } of plans) show(context, source, imported);
  const isEmpty = part.servers.length === 0;
  let isWritten = false;
  if (!isEmpty && !dryRun && (yes || (await mayWrite(context, part.servers.length, file)))) {
    await changeConfig(file, { what: 'import', ...part });
    isWritten = true;
  }
  if (json) terminal.out(JSON.stringify({ file, written: isWritten, sources: plans.map(shownPlan) }));
  else if (isWritten) terminal.out(`wrote ${part.servers.length} servers to ${file}`);
  else terminal.err(isEmpty ? 'there is nothing to write' : 'nothing was written');
  return exitCodes.done;
}
const shownPlan = ({ source, imported }: Plan): object => ({
  from: source.from,
  app: source.app?.id ?? null,
  servers: imported.servers.map((each) => ({
    name: each.name,
    from: each.from,
    outcome: outcomeOf(each),
    changed: each.changed,
    left: each.left,
    why: each.why ?? null,
  })),
  inputs: imported.inputs.map(({ id }) => id),
  left: imported.left,
});
