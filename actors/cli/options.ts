/** Options of commands, with the types of what Commander gives of them. */
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Profile } from '../../machines/trace/format.ts';
import type { LogLevel, LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { CommandContext } from './context.ts';

const profiles = ['boundary', 'steps', 'full'] as const satisfies Profile[];

declare const values: unique symbol;
/** Option that has in its type what Commander gives of it. */
export type Typed<Values extends object> = Option & { readonly [values]?: Values };
type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;
type Name<Flags extends string> = Flags extends `${string}--${infer Long}`
  ? Long extends `${infer Word} ${string}`
    ? Word
    : Long
  : never;
type Value<Flags extends string> = Flags extends `${string}...>`
  ? readonly string[]
  : Flags extends `${string}<${string}` | `${string}[${string}`
    ? string
    : boolean;
type Given<Flags extends string, Read> =
  Name<Flags> extends `no-${infer Positive}`
    ? { readonly [Key in Camel<Positive>]: boolean }
    : { readonly [Key in Camel<Name<Flags>>]?: Flags extends `${string}[${string}` ? Read | true : Read };
type Together<Each> = (Each extends Typed<infer Values> ? (given: Values) => void : never) extends (
  given: infer All,
) => void
  ? All
  : never;
/** What Commander gives of the options that these functions make. */
export type OptionsOf<Make extends (...given: never[]) => Option | readonly Option[]> = Together<
  EachOf<ReturnType<Make>>
>;
type EachOf<Made> = Made extends readonly (infer Each)[] ? Each : Made;

export function option<Flags extends string, Read = Value<Flags>>(
  flags: Flags,
  about: string,
  read?: (text: string, before: Read | undefined) => Read,
): Typed<Given<Flags, Read>> {
  const made = new Option(flags, about);
  return read ? made.argParser(read) : made;
}
export const choice = <Flags extends string, Word extends string>(
  flags: Flags,
  about: string,
  words: readonly Word[],
): Typed<Given<Flags, Word>> => new Option(flags, about).choices(words);
export const preset = <Values extends object>(
  given: Typed<Values>,
  value: NonNullable<Values[keyof Values]>,
  shown?: string,
): Typed<Required<Values>> => given.default(value, shown) as Option;
/** A text that may be given several times. */
export const list = <Flags extends string>(
  flags: Flags,
  about: string,
): Typed<Required<Given<Flags, readonly string[]>>> => preset(option(flags, about, collected), [] as never);
export function withOptions<C extends Command>(command: C, options: readonly Option[]): C {
  for (const each of options) command.addOption(each);
  return command;
}

export const portOf = (text: string): number => {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('a port is a number from 0 to 65535; 0 takes any free one');
};
export const wholeOf = (text: string): number => {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number from 0');
};
export const secondsOf = (text: string): number => {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= 2_000_000) return seconds;
  throw new InvalidArgumentError('a number of seconds, 0 = without limit');
};

export const collected = (text: string, all: readonly string[] | undefined): readonly string[] => [
  ...(all ?? []),
  text,
];

/** A path or a file URL, as MCP writes roots. */
function folderIn(text: string): string {
  if (!/^[a-z][\w+.-]*:\/\//i.test(text)) return text;
  try {
    return fileURLToPath(text);
  } catch {
    throw new InvalidArgumentError('a folder of this machine, or its file:// URL');
  }
}
const folders = (text: string, all: readonly string[] | undefined): readonly string[] =>
  collected(folderIn(text), all);

/** Of many commands: the help of each leaves them out, and `a2c help options` has them. */
export function share<C extends Command>(command: C, heading: string, options: readonly Option[]): C {
  for (const each of options) command.addOption(each.hideHelp().helpGroup(heading));
  return command;
}
export const configOption = () =>
  option(
    '-c, --config <file>',
    'the MCP servers: a file, JSON, or - for stdin; of several the later wins (default: a2c.json, .mcp.json or mcp.json here or above, then yours, then documents over this folder)',
    collected,
  );
export const jsonOption = () => preset(option('--json', 'one JSON document on stdout'), false);
const ofRecording = () => [
  option('--record <dir>', 'write there what the machines are told, for a2c trace replay'),
  choice('--profile <what>', 'how much of it: boundary is enough to replay', [...profiles]),
  option(
    '--tracing',
    'spans of calls by OpenTelemetry; NODE_OPTIONS="--import FILE" brings its SDK (docs/operate.md)',
  ),
  option('--log', 'each failure as a line of JSON on stderr, with its req_id'),
  choice('--log-level <level>', 'the same for failures (warn), also what goes well (info), or all (debug)', [
    'debug',
    'info',
    'warn',
    'error',
  ] as const satisfies LogLevel[]),
];
export type RecordingOptions = OptionsOf<typeof ofRecording>;
export const withRecording = (command: Command): Command =>
  share(command, 'Recordings and logs:', ofRecording());
export const logBy = (
  { terminal }: CommandContext,
  { log = false, logLevel = log ? 'warn' : undefined }: RecordingOptions,
): LogOptions =>
  logLevel === undefined ? {} : { log: (entry) => terminal.line(JSON.stringify(entry), 'err'), logLevel };
export const recordBy = ({ record: dir, profile }: RecordingOptions): RecordOptions => ({
  ...(dir !== undefined && { dir }),
  ...(profile !== undefined && { profile }),
});
/** No trace for a server that was given up or a failed call: the command prints the failure. */
export const briefRecordBy = (options: RecordingOptions): RecordOptions => ({
  on: ['callUnknown', 'outputMismatch', 'fault'],
  ...recordBy(options),
});
const ofSource = () => [
  option('-H, --header <Name: value>', 'a header for a URL in the command line; may be repeated', collected),
  option('-e, --env <KEY=value>', 'a variable for a command behind --; may be repeated', collected),
  option('--verbose', 'show what servers write to stderr and log'),
  option('--keyring', 'keep passwords that you type in the keyring of this system'),
  option('--trust', 'trust the config of this folder from now on'),
  option(
    '--boot <seconds>',
    'wait so long for servers that start (default: 15 for up and computer; 30 for what lists, 60 where npx or uvx may download; a call has --timeout)',
    secondsOf,
  ),
  option(
    '--root <folder>',
    'a folder that servers may look at, or its file:// URL; may be repeated (default: for single calls this one and those that the config names)',
    folders,
  ),
  option('--sampling <command>', 'answers servers that ask for a model: the request as JSON on its stdin'),
];
/** Of all commands that start servers; `typed` is a URL, or a command with its arguments. */
export interface SourceOptions
  extends OptionsOf<typeof ofSource>, OptionsOf<typeof configOption | typeof folderOption>, EntryWords {
  readonly typed?: readonly string[];
}
export const withSource = (command: Command): Command =>
  share(withRecording(command.addOption(configOption())), 'Servers:', ofSource());
const ofWatching = () => [
  option('--no-reaper', 'start no process that ends the servers should this one be killed'),
];
export type WatchOptions = SourceOptions & RecordingOptions & OptionsOf<typeof ofWatching>;
export const withWatchOptions = (command: Command): Command =>
  share(withSource(command), 'Servers:', ofWatching());
export interface InspectingOptions {
  readonly inspect?: number | boolean;
  readonly allowControl?: boolean;
}
export const withInspector = (command: Command): Command =>
  share(
    command.option('--inspect [port]', 'show it in a browser of this machine (docs/inspector.md)', portOf),
    'The inspector (up, office, computer, serve):',
    [
      option('--no-inspect', 'show it not, also where that is the default'),
      option('--allow-control', 'its page may also start and stop servers, and make and cancel calls'),
    ],
  );
const ofServers = () => [
  option('--name <name>', 'name of the computer (default: the host name)'),
  option('--alone', 'lend these servers to no a2c call of yours'),
  option('--no-auto-connect', 'add the servers, but start them by hand only'),
  option('--no-auto-reconnect', 'do not start a server again that has failed'),
  option('--facts', 'lines for programs on stdout, also at a terminal'),
];
export const confirmOption = () =>
  preset(
    choice('--confirm <how>', 'calls of tools that do not apply by themselves', ['ask', 'allow', 'deny']),
    'ask',
  );
export type ServerOptions = WatchOptions &
  InspectingOptions &
  OptionsOf<typeof ofServers> &
  OptionsOf<typeof confirmOption>;
export const withServerOptions = (command: Command): Command =>
  withOptions(withInspector(withWatchOptions(command)), ofServers());
/** Other users of the machine may read a command line, but not an environment. */
export const inEnvironment = ' (safer: the variable A2C_TOKEN)';
export const tokenOption = () => option('--token <token>', `what that office asks for${inEnvironment}`);
export const officeOption = () => preset(option('--office <id>', 'id of the office'), 'local');
export const withOffice = (command: Command): Command =>
  share(command, 'A running office (--url):', [officeOption(), tokenOption()]);
const ofPeer = () => [
  option('--url <url>', 'ask a running office, as its agent, instead of starting the servers here'),
  option('--computer <name>', 'which computer of that office (default: the only one)'),
  jsonOption(),
];
export type PeerOptions = OptionsOf<typeof ofPeer> & OptionsOf<typeof officeOption | typeof tokenOption>;
export const withPeer = (command: Command): Command => withOptions(withOffice(command), ofPeer());
export const folderOption = () =>
  option('--folder <dir>', 'the documents of this folder, in place of the servers of a config').conflicts([
    'config',
    'url',
  ]);
export const saveOption = () =>
  option('--save <folder>', 'write images, sounds and blobs to files in this folder');
export type SaveOptions = OptionsOf<typeof saveOption>;
export const withJson = (command: Command): Command => command.addOption(jsonOption());
export const ofCall = () => [
  option('-t, --timeout <seconds>', 'limit of the call, 0 = none (default: 60)', secondsOf),
  option('--req-id <id>', 'name of the call, by which agents and logs know it (default: a new one)'),
  option('--facts', 'lines for programs about its progress on stderr, also at a terminal'),
  option('--alone', 'start the server for this call, also where a host of yours has it'),
  saveOption(),
];
export type CallWords = OptionsOf<typeof ofCall>;
export const freshOption = () => option('--fresh', 'ask the servers again instead of using known contents');
export const ofDocuments = (preset: number) => [
  option('--type <ext>', 'of exactly this type, such as pdf'),
  option('--offset <n>', 'so many are passed over (default: 0)', wholeOf),
  option('--limit <n>', `so many are given, at most 100 (default: ${preset})`, wholeOf),
  freshOption(),
];
export const readServerOption = () =>
  option('--server <server>', 'the one server that is asked, where several have it');
const ofEntry = () => [
  option('-e, --env <KEY=value>', 'a variable of the command; may be repeated', collected),
  option('-H, --header <Name: value>', 'a header for the URL; may be repeated', collected),
  option('--cwd <folder>', 'the folder that the command runs in'),
  option('--sse', 'the URL speaks SSE, the older transport'),
  choice('-t, --transport <kind>', 'as other clients name it', ['stdio', 'http', 'streamable-http', 'sse']),
];
/** Options of `a2c add` for a command or a URL. */
export type EntryWords = OptionsOf<typeof ofEntry>;
export const withEntryWords = <C extends Command>(command: C): C => withOptions(command, ofEntry());
export const ofWriting = () => [
  option('--dry-run', 'show what would be written, and write nothing'),
  option('-y, --yes', 'write it without a question'),
];
export type WriteOptions = OptionsOf<typeof ofWriting>;
export const ofCollections = {
  desktop: () => [
    option('--size <n>', 'at most so many; 0 = none (default: all)', wholeOf),
    option('--window <uri>', 'the one window of this URI'),
    freshOption(),
  ],
  finder: () => [
    option('--keyword <word...>', 'one of them is in the title, the keywords or the summary'),
    ...ofDocuments(20),
  ],
  read: () => [readServerOption(), saveOption()],
  skill: () => [option('--file <path>', 'another file of the skill (default: SKILL.md)')],
};
type OfCollections = typeof ofCollections;
export type DesktopQueryOptions = OptionsOf<OfCollections['desktop']>;
export type FinderQueryOptions = OptionsOf<OfCollections['finder']>;
export type ReadWords = OptionsOf<OfCollections['read']>;
export type SkillWords = OptionsOf<OfCollections['skill']>;
const ofFile = () => [
  option('-c, --config <file>', 'the file to change (default: the config of this user)'),
  jsonOption(),
];
export type EditOptions = OptionsOf<typeof ofFile>;
export const withFile = (command: Command): Command => withOptions(command, ofFile());
export const ofAdd = () => [
  choice('-s, --scope <whose>', 'project: .mcp.json of this folder; user and local: yours', [
    ...(['user', 'project', 'local'] as const),
  ]),
  option('--disabled', 'add it, but do not start it'),
  option('--force', 'replace a server of this name'),
];
export type AddOptions = EditOptions & EntryWords & OptionsOf<typeof ofAdd>;
const ofList = () => [configOption(), jsonOption()];
export type ListOptions = OptionsOf<typeof ofList>;
export const withList = (command: Command): Command => withOptions(command, ofList());
export const ofExport = () => [
  configOption(),
  option(
    '--for <app>',
    'one of the applications that a2c import names (default: mcpServers as most have it)',
  ),
  preset(option('--secrets', 'with the values of env and headers, in the place of variables'), false),
];
export type ExportOptions = OptionsOf<typeof ofExport>;
export const ofLogin = () => [
  preset(option('--again', 'log out first'), false),
  option('--no-browser', 'open none: show a code for another device, or the address'),
];
export type LoginOptions = OptionsOf<typeof ofLogin>;
export const ofStatus = () => [
  preset(option('--offline', 'start nothing: what the config says, as a2c list'), false),
  preset(option('-f, --follow', 'go on with what they write, until Ctrl-C'), false),
];
export type StatusWords = OptionsOf<typeof ofStatus | typeof jsonOption>;
export const ofLogs = () => [
  preset(option('-f, --follow', 'go on until Ctrl-C'), false),
  preset(option('--json', 'one JSON document for each line'), false),
];
export type LogsWords = OptionsOf<typeof ofLogs>;
export const ofKeep = () => [
  option('--list', 'the hosts of yours whose servers a2c call uses'),
  option('--stop', 'end what is kept: this server, or all'),
  jsonOption(),
];
export type KeepOptions = SourceOptions & OptionsOf<typeof ofKeep>;
