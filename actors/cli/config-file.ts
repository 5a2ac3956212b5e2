/** Commands that read and change config files: `list`, `get`, `add`, `remove`, `import` and the like. */
import type { AddOptions, EditOptions, ExportOptions, ListOptions, WriteOptions } from './options.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { changeConfig, planImport, type ImportSource } from '../applications/config-files.ts';
import { mayWrite } from './answering.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { serverNamed } from './named-server.ts';
import { countOf, toolsText } from './printing/contents.ts';
import { typedHere } from './printing/hints.ts';
import { showFailure } from './printing/failures.ts';
import { leftOutLines, readSource } from './source.ts';
import { entryOf } from './typed-server.ts';
import { failureOf } from '../kernel/errors.ts';
import { fingerprintOf } from '../plans/plan.ts';
import { dirname, resolve } from 'node:path';
import { columnsOf, fitting, padded } from '../../adapters/terminal/typed-line.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { readCached } from '../../adapters/storage/catalogs.ts';
import {
  configToWrite,
  findConfig,
  folderNames,
  readConfigValue,
  writtenAs,
} from '../../adapters/applications/config-files.ts';
import { foundAppFiles } from '../../adapters/applications/config-imports.ts';
import { shownEntry, shownServer, shownTarget } from '../../machines/secrets/shown.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import type { ConfigChange } from '../../machines/applications/server-edits.ts';
import { appNamed, apps } from '../../machines/applications/apps.ts';
import { importFrom } from '../../machines/applications/import.ts';
import { exportFor, plainWords } from '../../machines/applications/export.ts';

/** `a2c list` and `a2c get` start no server, so that no folder has to be trusted. */
interface Row {
  readonly name: string;
  readonly type: string;
  readonly target: string;
  readonly disabled: boolean;
  readonly tools: number | null;
}
async function rowOf(server: ServerConfig): Promise<Row> {
  const cached = await readCached(defaultStateDir(), fingerprintOf(server));
  const { name, kind: type, disabled } = server;
  return {
    name,
    type,
    target: shownTarget(server.raw),
    disabled,
    tools: cached?.lists.tools?.length ?? null,
  };
}
export async function list(context: CommandContext, options: ListOptions): Promise<number> {
  const { terminal } = context;
  const { config, file } = await readSource(context, options);
  const rows = await Promise.all(config.servers.map(rowOf));
  if (options.json)
    terminal.out(
      JSON.stringify({
        file: file ?? null,
        servers: rows,
        left_out: config.leftOut ?? [],
        warnings: config.warnings,
      }),
    );
  else {
    terminal.err(file ?? 'no config: a2c serves the documents of this folder; a2c add makes one');
    const width = Math.max(0, ...rows.map(({ name }) => columnsOf(name)));
    for (const { name, type, target, disabled, tools } of rows) {
      const known = disabled ? 'disabled' : tools === null ? '' : toolsText(tools);
      terminal.out(
        `${padded(name, width)}  ${type.padEnd(10)}  ${known.padEnd(9)}  ${fitting(target, 100, '…')}`.trimEnd(),
      );
    }
    if (rows.length === 0) terminal.out('no servers');
    for (const line of leftOutLines(config)) terminal.err(line);
  }
  return exitCodes.done;
}

export async function get(context: CommandContext, name: string, options: ListOptions): Promise<number> {
  const { terminal } = context;
  const { config, file } = await readSource(context, options);
  const server = serverNamed(config, name);
  const { tools, disabled } = await rowOf(server);
  const read = file === undefined ? undefined : await readConfigValue(file);
  const entry = (read?.ok === true && shownEntry(read.value, server.raw)) || shownServer(server.raw);
  if (options.json) {
    terminal.out(JSON.stringify({ file: file ?? null, name, disabled, tools, entry }));
    return exitCodes.done;
  }
  const known = tools === null ? 'its tools were not listed yet' : `${toolsText(tools)} in its last run`;
  terminal.err(file ?? 'no file: this server is built in, or was typed');
  terminal.err(`${name}: ${disabled ? 'disabled' : `starts with the others; ${known}`}`);
  terminal.outText(JSON.stringify(entry, null, 2));
  return exitCodes.done;
}

/** A word such as `.` is meant from here; a file elsewhere needs the whole path. */
const wholePaths = (target: readonly string[], folder: string): readonly string[] =>
  target.map((word) => (/^\.\.?(?:[\\/]|$)/.test(word) ? resolve(folder, word) : word));

export async function add(
  context: CommandContext,
  name: string,
  target: readonly string[],
  options: AddOptions,
): Promise<number> {
  const isReplacing = options.force === true;
  const { folder = process.cwd() } = context;
  const isOfProject = options.scope === 'project';
  const config = options.config ?? (isOfProject ? folderNames[1] : undefined);
  const { file } = await configToWrite(config, folder);
  const whole = dirname(file) === folder ? target : wholePaths(target, folder);
  let entry: object;
  try {
    entry = { ...entryOf(whole, options), ...(options.disabled === true && { disabled: true }) };
  } catch (error) {
    showFailure(context, failureOf(error), options.json);
    return exitCodes.usage;
  }
  const said = target.flatMap((word, at) => (word === whole[at] ? [] : [`${word} is kept as ${whole[at]}`]));
  if (said.length > 0) context.terminal.err(`${said.join(', ')}, for calls from any folder`);
  return change(
    context,
    { what: 'add', name, entry, isReplacing },
    { ...options, ...(config !== undefined && { config }) },
  );
}
export const remove = (context: CommandContext, name: string, options: EditOptions): Promise<number> =>
  change(context, { what: 'remove', name }, options);
export const enable = (context: CommandContext, name: string, options: EditOptions): Promise<number> =>
  change(context, { what: 'enable', name }, options);
export const disable = (context: CommandContext, name: string, options: EditOptions): Promise<number> =>
  change(context, { what: 'disable', name }, options);

const done = { add: 'added', remove: 'removed', enable: 'enabled', disable: 'disabled' } as const;
async function change(
  { terminal, folder = process.cwd() }: CommandContext,
  what: Exclude<ConfigChange, { what: 'import' }>,
  { config, json }: EditOptions,
): Promise<number> {
  const { file } = await configToWrite(config, folder);
  const isSame = await changeConfig(file, what);
  const { name } = what;
  const facts = { file, server: name, change: isSame ? null : done[what.what] };
  const used = await findConfig(config, folder);
  const isUnused = used !== undefined && used.file !== file;
  // Warns first that a config file of this folder takes precedence over the changed one, before further commands are proposed.
  if (isUnused)
    terminal.err(`warning: in this folder ${used.file} counts, not ${file}; -c ${used.file} changes it`);
  if (json) terminal.out(JSON.stringify(facts));
  else {
    terminal.out(
      isSame ? `${name} is ${done[what.what]} already in ${file}` : `${done[what.what]} ${name} in ${file}`,
    );
    const shown = config ?? (isUnused ? file : undefined);
    if (what.what === 'add')
      terminal.out(
        `see what it has: ${typedHere(shown === undefined ? {} : { config: [shown] }, 'tools', name)}`,
      );
  }
  return exitCodes.done;
}

type ImportOptions = WriteOptions & EditOptions;

async function listed({ terminal, folder = process.cwd() }: CommandContext, json: boolean): Promise<number> {
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
      `${app.padEnd(14)}  ${(servers === null ? 'unreadable' : countOf(servers, 'server')).padEnd(10)}  ${file}`,
    );
  if (rows.length === 0) terminal.out('no file of another application was found');
  terminal.err(
    `a2c import APP takes its servers, a2c import FILE those of a file; applications: ${apps.map(({ id }) => id).join(', ')}`,
  );
  return exitCodes.done;
}

function show({ terminal }: CommandContext, { from, app, servers, left }: ImportSource): void {
  terminal.out(`${from}${app ? ` (${app.title})` : ''}:`);
  for (const each of servers) {
    const name = each.name === each.from ? each.name : `${each.from} → ${each.name}`;
    const rest = each.why === null ? `  ${each.runs}` : `: ${each.why}`;
    terminal.out(`  ${each.outcome.padEnd(8)}  ${name}${rest}`);
    for (const text of each.changed) terminal.out(`              changed: ${text}`);
    for (const text of each.left) terminal.out(`              left: ${text}`);
  }
  for (const text of left) terminal.out(`  ${text}`);
  if (servers.length === 0) terminal.out('  no servers');
}
export async function importServers(
  context: CommandContext,
  what: string | undefined,
  { config, json, ...how }: ImportOptions,
): Promise<number> {
  const { terminal, folder = process.cwd() } = context;
  if (what === undefined) return listed(context, json);
  const plan = await planImport({ from: what, folder, ...(config !== undefined && { file: config }) });
  const { file, sources, count } = plan;
  if (!json) for (const source of sources) show(context, source);
  let isWritten = false;
  if (count > 0 && (await mayWrite(context, `${countOf(count, 'server')} to ${file}`, how))) {
    await plan.write();
    isWritten = true;
  }
  if (json) terminal.out(JSON.stringify({ file, written: isWritten, sources: sources.map(toldSource) }));
  else if (isWritten) terminal.out(`wrote ${countOf(count, 'server')} to ${file}`);
  else terminal.err(count === 0 ? 'there is nothing to write' : 'nothing was written');
  return exitCodes.done;
}
const toldSource = ({ app, ...source }: ImportSource): object => ({ ...source, app: app?.id ?? null });

export async function exportServers(context: CommandContext, options: ExportOptions): Promise<number> {
  const app = options.for === undefined ? undefined : appNamed(options.for);
  if (options.for !== undefined && !app) {
    const message = `there is no application '${options.for}'`;
    const remedy = `Known are ${apps.map(({ id }) => id).join(', ')}.`;
    showFailure(context, { code: wireCodes.badRequest, message, remedy }, false);
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
