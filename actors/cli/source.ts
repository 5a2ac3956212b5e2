import type { SourceOptions, EntryWords } from './options.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  findConfig,
  readConfig,
  readConfigJson,
  type FoundConfig,
} from '../../adapters/applications/config-files.ts';
import { readText } from '../../adapters/terminal/terminal.ts';
import { mistakeLine } from '../../machines/config/mistake.ts';
import { parseConfig, type Config } from '../../machines/config/parse.ts';
import { isTemplate } from '../../machines/config/placeholders.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import { shownTarget } from '../../machines/secrets/shown.ts';
import { acceptedConfig } from '../plans/accepted-config.ts';
import { A2cError } from '../kernel/errors.ts';
import { yesOrNo } from './answering.ts';
import type { CommandContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { countOf } from './printing/contents.ts';
import { typedHere } from './printing/hints.ts';
import { typedConfig } from './typed-server.ts';

/** Needs no network and no other program. Its tools only read, so they need no confirmation. */
async function embedded(folder: string): Promise<object> {
  const { documentsCommand } = await import('../../adapters/documents/command.ts');
  return {
    type: 'stdio',
    name: 'documents',
    default_tool_meta: { auto_apply: true },
    server_parameters: documentsCommand(folder),
  };
}

/** The file asked for, else the first config found, else the built-in default. */
export async function configOf(context: CommandContext, options: SourceOptions): Promise<Config> {
  const source = await readSource(context, options);
  const { config, file } = source;
  for (const warning of config.warnings) context.terminal.err(`warning: ${file ?? 'config'}: ${warning}`);
  await mayStart(context, source, options);
  return config;
}
export async function mayStart(
  context: CommandContext,
  { config, file, from }: Source,
  options: SourceOptions,
): Promise<void> {
  if (config.servers.some(({ vrl }) => vrl !== null)) {
    const { Programs } = await import('../servers/programs.ts');
    // Checks VRL programs in a thread that ends at once; the computer starts a thread of its own to run them.
    await new Programs(undefined).mustBeRight(config.servers, file);
  }
  if (file !== undefined && from === 'folder') await beTrusted(context, config, file, options.trust === true);
}
export interface Source {
  readonly config: Config;
  /** Undefined when `config` is the built-in default. */
  readonly file?: string;
  readonly from?: FoundConfig['from'];
}
type ReadOptions = Pick<SourceOptions, 'config' | 'folder' | 'typed' | keyof EntryWords>;
export async function readSource(
  { folder = process.cwd(), terminal }: CommandContext,
  { config: asked = [], folder: own, typed, ...words }: ReadOptions,
): Promise<Source> {
  const given = (value: object): Source => ({ config: acceptedConfig(parseConfig(value), undefined) });
  if (own !== undefined) return given(await embedded(resolve(folder, own)));
  if (typed) return given(typedConfig(typed, words));
  const [first, ...more] = asked;
  const source = await readOne(first, folder);
  if (more.length > 0)
    return merged([source ?? given({}), ...(await Promise.all(more.map((file) => readOne(file, folder))))]);
  if (source) return source;
  for (const line of await unusedLines(folder)) terminal.err(line);
  return given(await embedded(folder));
}
async function readOne(asked: string | undefined, folder: string): Promise<Source | undefined> {
  if (asked === '-' || asked?.trimStart().startsWith('{') === true)
    return {
      config: acceptedConfig(await readConfigJson(asked === '-' ? await readText('-') : asked), undefined),
    };
  const found = await findConfig(asked, folder);
  if (!found) return undefined;
  const config = acceptedConfig(await readConfig(found.file), found.file);
  return {
    ...found,
    config: found.from === 'user' ? config : followingFolder(config, dirname(found.file), folder),
  };
}
/** Of a server or an input with a name that two files have, the later one counts. */
function merged(sources: readonly (Source | undefined)[]): Source {
  const all = sources.filter((source) => source !== undefined);
  const warnings: string[] = [];
  const servers = new Map<string, { readonly server: ServerConfig; readonly file: string }>();
  for (const { config, file = 'JSON' } of all) {
    warnings.push(...config.warnings.map((text) => `${file}: ${text}`));
    for (const server of config.servers) {
      const before = servers.get(server.name);
      if (before) warnings.push(`server ${server.name} is taken from ${file}, and not from ${before.file}`);
      servers.set(server.name, { server, file });
    }
  }
  const configs = all.map(({ config }) => config);
  const inputs = new Map(
    configs.flatMap((config) => config.inputs.map((input) => [input.id, input] as const)),
  );
  const file = all.map((source) => source.file ?? 'JSON').join(', ');
  return {
    file,
    from: 'option',
    config: {
      servers: [...servers.values()].map(({ server }) => server),
      inputs: [...inputs.values()],
      settings: Object.assign({}, ...configs.map(({ settings }) => settings)) as Config['settings'],
      needsInputs: configs.flatMap(({ needsInputs }) => needsInputs),
      leftOut: configs.flatMap(({ leftOut = [] }) => leftOut),
      warnings,
    },
  };
}
/** Relative paths of a file are meant from its folder, as its author wrote them. */
function followingFolder(config: Config, from: string, here: string): Config {
  if (from === here) return config;
  const followed = (word: string): string =>
    /^\.\.?(?:[\\/]|$)/.test(word) || (/^[\w.][^:]*[\\/.]/.test(word) && existsSync(join(from, word)))
      ? join(from, word)
      : word;
  const servers = config.servers.map((server): ServerConfig => {
    if (server.kind !== 'stdio' || server.raw.type !== 'stdio') return server;
    const { command, args, cwd } = server.launch;
    const place = {
      command: followed(command),
      args: args.map(followed),
      cwd: cwd === null ? null : isTemplate(cwd) || cwd.startsWith('~') ? cwd : resolve(from, cwd),
    };
    const parameters = { ...server.raw.server_parameters, ...place };
    return {
      ...server,
      launch: { ...server.launch, ...place },
      raw: { ...server.raw, server_parameters: parameters },
    };
  });
  return { ...config, servers };
}
/** Files of other applications in this folder, which count only when they are named. */
async function unusedLines(folder: string): Promise<readonly string[]> {
  const { places } = await import('../../machines/applications/apps.ts');
  return places
    .filter(({ base, path }) => base === '.' && existsSync(join(folder, path)))
    .map(
      ({ app, path }) =>
        `no config here; ${path} has servers: ${typedHere({}, 'import', app)} takes them over, -c ${path} uses them once`,
    )
    .slice(0, 1);
}

export const leftOutLines = ({ leftOut = [] }: Config): readonly string[] =>
  leftOut.map(
    ({ name, mistakes }) =>
      `left out: ${name}: ${mistakes.map((mistake) => mistakeLine(mistake)).join('; ')}`,
  );

export async function schema({ terminal }: CommandContext): Promise<number> {
  // Loads the schema module here, because only this command needs it.
  const { configSchema } = await import('../../machines/config/json-schema.ts');
  terminal.outText(JSON.stringify(configSchema(), null, 2));
  return exitCodes.done;
}

/** A checked-out project cannot run commands when a person types `a2c tools` in it. */
async function beTrusted(
  { terminal, signal }: CommandContext,
  config: Config,
  file: string,
  isWanted: boolean,
): Promise<void> {
  const folder = dirname(file);
  const commands = config.servers.flatMap((s) =>
    s.kind === 'stdio' && !s.disabled ? [`${s.name}: ${shownTarget(s.raw)}`] : [],
  );
  if (commands.length === 0) return;
  const { isTrusted, trust } = await import('../../adapters/storage/user-files.ts');
  if (await isTrusted(folder)) return;
  if (isWanted) return trust(folder);
  if (terminal.isInteractive) {
    terminal.err(`${file} starts:`);
    for (const command of commands) terminal.err(`  ${command}`);
    if (await yesOrNo(terminal, 'Trust this folder from now on?', signal, false)) return trust(folder);
  }
  throw new A2cError({
    code: wireCodes.notAllowed,
    message: `${file} would start ${countOf(commands.length, 'program')}, and its folder is not trusted; nothing was started`,
    details: { file, commands },
    remedy: 'Read the file, then trust its folder once with --trust, or name the file with --config.',
  });
}
