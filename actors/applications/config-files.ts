/** Plans an import of servers, and changes config files. */
import { isObject } from '../../machines/protocol/json.ts';
import { nearest } from '../../machines/text.ts';
import { A2cError } from '../kernel/errors.ts';
import { acceptedConfig } from '../plans/accepted-config.ts';
import { mustBeOptions, name as filled, needing, options as only } from '../kernel/options.ts';
import { configToWrite, readConfig, readConfigValue } from '../../adapters/applications/config-files.ts';
import { foundAppFiles, isLink, projectOf, readLink } from '../../adapters/applications/config-imports.ts';
import { changeFile, NotText } from '../../adapters/storage/settings.ts';
import { appNamed, appOf, apps } from '../../machines/applications/apps.ts';
import { importFrom, type Imported } from '../../machines/applications/import.ts';
import { mistakeLine, type Mistake } from '../../machines/config/mistake.ts';
import type { App } from '../../machines/applications/app.ts';
import type { Config } from '../../machines/config/parse.ts';
import { shownTarget } from '../../machines/secrets/shown.ts';
import { editConfig, type ConfigChange } from '../../machines/applications/server-edits.ts';

/** Options of an import of servers: its source and its target. */
export interface ImportOptions {
  /** Path of a file, id of an application (`cursor`), or a link that installs a server (`deepchat://…`). */
  readonly from: string;
  /** Path of the file to write. Default: the config of this user (docs/config.md). */
  readonly file?: string | undefined;
  /**
   * Folder for relative paths, and for the files that an application keeps in a project. Default: `process.cwd()`.
   */
  readonly folder?: string | undefined;
}
/** Plan for one server to import. Its texts contain no value of `env` or `headers`; only `runs` has arguments. */
export interface ServerToImport {
  /** Name of the server in the other application. */
  readonly from: string;
  /** Name of the server here; a number is added to a taken name. */
  readonly name: string;
  /** Result for the server. `changed`: parts of its entry are written in another way here, or are not taken over. */
  readonly outcome: 'taken' | 'changed' | 'left out';
  /**
   * Command with all its arguments, as it would run, or the URL, with secrets as `***`, as `a2c list` shows it; empty
   * when the server is left out.
   */
  readonly runs: string;
  /** Parts of the entry that are written in another way here, a sentence each. */
  readonly changed: readonly string[];
  /** Parts of the entry that are not taken over, a sentence each. */
  readonly left: readonly string[];
  /** Reason why the server is left out; null when it is taken. */
  readonly why: string | null;
}
/** File or link from which servers are taken. */
export interface ImportSource {
  /** Path of the file, or `link` for a link, which may hold secrets. */
  readonly from: string;
  /**
   * Application whose format the file has; null for a file with `mcpServers` or `servers` of no known application.
   */
  readonly app: { readonly id: string; readonly title: string } | null;
  /** Plans for the servers, in the order of the file. */
  readonly servers: readonly ServerToImport[];
  /** Ids of the inputs that come with the servers. */
  readonly inputs: readonly string[];
  /** Parts of the other application's file, beside its servers, that are not taken over. */
  readonly left: readonly string[];
}
/** Import of servers that were read and judged, to be shown to a person first. Nothing was written or started yet. */
export interface ServerImport {
  /** Path of the file that `write` changes. */
  readonly file: string;
  /** Sources of the import: one for each file of the application. */
  readonly sources: readonly ImportSource[];
  /** Number of servers that `write` adds. */
  readonly count: number;
  /**
   * Adds the servers to the file, whose comments and other content stay. Rejects with an `A2cError` when nothing was
   * written.
   */
  write(): Promise<void>;
}

interface FoundSource {
  readonly from: string;
  readonly app: App | undefined;
  readonly value: unknown;
  readonly duplicates: readonly Mistake[];
}
const failed = (code: 404 | 'ConfigInvalid', message: string, remedy: string): A2cError =>
  new A2cError({ code, message, remedy });
const notRead = (from: string, mistakes: readonly Mistake[]): A2cError =>
  failed('ConfigInvalid', mistakes.map((m) => mistakeLine(m, from)).join('\n'), 'Nothing was imported.');

async function found(from: string, folder: string): Promise<readonly FoundSource[]> {
  if (isLink(from)) {
    const read = readLink(from);
    if (!read.ok) throw notRead('link', [read.mistake]);
    return [{ from: 'link', app: appNamed(read.app ?? ''), value: read.value, duplicates: [] }];
  }
  const app = appNamed(from);
  if (!app) return [await inNamed(from, folder)];
  const files = (await foundAppFiles(folder)).filter((each) => each.app === app.id);
  if (files.length === 0)
    throw failed(404, `${app.title} has no file with servers here`, 'Name the file: a2c import FILE');
  return Promise.all(files.map(({ file }) => inFile(file, app)));
}
async function inNamed(from: string, folder: string): Promise<FoundSource> {
  const { file, isThere } = await configToWrite(from, folder);
  const ids = apps.map(({ id }) => id);
  const close = [...ids.filter((id) => id.startsWith(`${from}-`)), ...nearest(from, ids)];
  // A word of a program is no path: the application was meant, and misspelt.
  if (/^[\w-]+$/.test(from) && !isThere)
    throw failed(
      404,
      `There is no application and no file '${from}'`,
      close.length > 0 ? `Did you mean ${[...new Set(close)].join(', ')}?` : `Known are ${ids.join(', ')}.`,
    );
  return inFile(file);
}
async function inFile(file: string, known?: App): Promise<FoundSource> {
  const read = await readConfigValue(file);
  if (!read.ok) throw notRead(file, [read.mistake]);
  const { value, duplicates } = read;
  const isMap = isObject(value);
  const app = known ?? appOf(value, file);
  if (isMap && (app || 'mcpServers' in value || 'servers' in value))
    return { from: file, app, value, duplicates };
  const none = { path: '', message: 'has no servers of an application that is known here' };
  throw notRead(file, [...duplicates, none]);
}

type Judged = Imported['servers'][number];
const shown = (each: Judged): ServerToImport => ({
  name: each.name,
  from: each.from,
  outcome:
    each.entry === null ? 'left out' : each.changed.length + each.left.length > 0 ? 'changed' : 'taken',
  runs: each.server ? shownTarget(each.server.raw) : '',
  changed: each.changed,
  left: each.left,
  why: each.why ?? null,
});
const sourceOf = ({ from, app }: FoundSource, { servers, inputs, left }: Imported): ImportSource => ({
  from,
  app: app ? { id: app.id, title: app.title } : null,
  servers: servers.map(shown),
  inputs: inputs.map(({ id }) => String(id)),
  left,
});

const importOptions = needing(
  ['from'],
  only<ImportOptions>({ from: filled, file: filled, folder: filled }, "Such as { from: 'cursor' }."),
);

export async function planImport(options: ImportOptions): Promise<ServerImport> {
  mustBeOptions('planImport', options, importOptions);
  const { from, file: asked, folder = process.cwd() } = options;
  const { file, isThere } = await configToWrite(asked, folder);
  const all = await found(from, folder);
  const config = isThere ? acceptedConfig(await readConfig(file), file) : { servers: [], inputs: [] };
  let present: Pick<Config, 'servers' | 'inputs' | 'leftOut'> = config;
  // Makes the plans in order, so that a name taken by one source is not free for the next.
  const plans = all.map((source) => {
    const { value, app, duplicates } = source;
    const project = source.from === 'link' ? undefined : projectOf(source.from, file);
    const imported = importFrom(value, app, present, { duplicates, project });
    const more = imported.servers.flatMap(({ server, name }) => (server ? [{ ...server, name }] : []));
    present = { ...present, servers: [...present.servers, ...more] };
    return { source, imported };
  });
  const servers = plans.flatMap(({ imported }) =>
    imported.servers.flatMap(({ name, entry }) => (entry ? [{ name, entry }] : [])),
  );
  const inputs = plans.flatMap(({ imported }) => imported.inputs);
  return {
    file,
    sources: plans.map(({ source, imported }) => sourceOf(source, imported)),
    count: servers.length,
    write: async () => {
      await changeConfig(file, { what: 'import', servers, inputs });
    },
  };
}

/** True when the file already had the change. */
export async function changeConfig(file: string, what: ConfigChange): Promise<boolean> {
  const format = /\.(ya?ml|toml)$/i.exec(file)?.[1];
  if (format !== undefined)
    throw new A2cError({
      code: 'ConfigInvalid',
      message: `${file} is ${/toml/i.test(format) ? 'TOML' : 'YAML'}: it is read, and only JSON is written`,
      details: { file },
      remedy: `Take its servers over: a2c import ${file}. Or change it by hand; nothing was changed.`,
    });
  let isSame = false;
  const edited = (before: string | null): string | null => {
    const made = editConfig(before ?? '', what);
    if (!made.ok) throw new A2cError({ ...made.failure, details: { file, ...made.failure.details } });
    isSame = made.isSame;
    return isSame ? before : made.text;
  };
  await changeFile(file, edited, { backup: '.bak' }).catch((error: unknown) => {
    if (!(error instanceof NotText)) throw error;
    const message = mistakeLine(error.mistake, file);
    throw new A2cError({
      code: 'ConfigInvalid',
      message,
      details: { file },
      remedy: 'Fix the file first; nothing was changed.',
    });
  });
  return isSame;
}
