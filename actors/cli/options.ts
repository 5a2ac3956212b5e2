import { fileURLToPath } from 'node:url';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Profile } from '../../machines/trace/format.ts';
import type { LogLevel } from '../logging/log-entry.ts';

const profiles = ['boundary', 'steps', 'full'] satisfies Profile[];

export const portOf = (text: string): number => {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('a port is a number from 0 to 65535; 0 takes any free one');
};
/** A negative number is allowed and means the same as 0. */
export const wholeOf = (text: string): number => {
  const number = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('a whole number');
};
export const secondsOf = (text: string): number => {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= 2_000_000) return seconds;
  throw new InvalidArgumentError('a number of seconds, 0 = without limit');
};

export const collected = (text: string, all: readonly string[] | undefined): string[] => [
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
const folders = (text: string, all: readonly string[] | undefined): string[] =>
  collected(folderIn(text), all);

/** Of many commands: the help of each leaves them out, and `a2c help options` has them. */
export function share(command: Command, heading: string, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option.hideHelp().helpGroup(heading));
  return command;
}
export const option = (flags: string, about: string, read?: (text: string, all: never) => unknown): Option =>
  read ? new Option(flags, about).argParser(read as (text: string) => never) : new Option(flags, about);
export const configOption = (): Option =>
  option(
    '-c, --config <file>',
    'the MCP servers: a file, JSON, or - for stdin; of several the later wins (default: a2c.json, .mcp.json or mcp.json here or above, then yours, then documents over this folder)',
    collected,
  );
export const withSource = (command: Command): Command =>
  share(withRecording(command.addOption(configOption())), 'Servers:', [
    option(
      '-H, --header <Name: value>',
      'a header for a URL in the command line; may be repeated',
      collected,
    ),
    option('-e, --env <KEY=value>', 'a variable for a command behind --; may be repeated', collected),
    option('--verbose', 'show what servers write to stderr and log'),
    option('--keyring', 'keep passwords that you type in the keyring of this system'),
    option('--trust', 'trust the config of this folder from now on'),
    option(
      '--boot <seconds>',
      'wait so long for servers that start (default: 15 for up and computer, 60 for what lists; a call has --timeout)',
      secondsOf,
    ),
    option(
      '--root <folder>',
      'a folder that servers may look at, or its file:// URL; may be repeated (default: for single calls this one and those that the config names)',
      folders,
    ),
    option('--sampling <command>', 'answers servers that ask for a model: the request as JSON on its stdin'),
  ]);
export const withRecording = (command: Command): Command =>
  share(command, 'Recordings and logs:', [
    option('--record <dir>', 'write there what the machines are told, for a2c trace replay'),
    option('--profile <what>', 'how much of it: boundary is enough to replay').choices([...profiles]),
    option(
      '--tracing',
      'spans of calls by OpenTelemetry; NODE_OPTIONS="--import FILE" brings its SDK (docs/operate.md)',
    ),
    option('--log', 'each failure as a line of JSON on stderr, with its req_id'),
    option(
      '--log-level <level>',
      'the same for failures (warn), also what goes well (info), or all (debug)',
    ).choices(['debug', 'info', 'warn', 'error'] satisfies LogLevel[]),
  ]);
export const withWatchOptions = (command: Command): Command =>
  share(withSource(command), 'Servers:', [
    option('--no-reaper', 'start no process that ends the servers should this one be killed'),
  ]);
export const withInspector = (command: Command): Command =>
  share(
    command.option('--inspect [port]', 'show it in a browser of this machine (docs/inspector.md)', portOf),
    'The inspector (up, office, computer, serve):',
    [
      option('--no-inspect', 'show it not, also where that is the default'),
      option('--allow-control', 'its page may also start and stop servers, and make and cancel calls'),
    ],
  );
export const withServerOptions = (command: Command): Command =>
  withInspector(withWatchOptions(command))
    .option('--name <name>', 'name of the computer (default: the host name)')
    .option('--alone', 'lend these servers to no a2c call of yours')
    .option('--no-auto-connect', 'add the servers, but start them by hand only')
    .option('--no-auto-reconnect', 'do not start a server again that has failed')
    .option('--facts', 'lines for programs on stdout, also at a terminal');
/** Other users of the machine may read a command line, but not an environment. */
export const inEnvironment = ' (safer: the variable A2C_TOKEN)';
export const tokenOption = (): Option =>
  new Option('--token <token>', `what that office asks for${inEnvironment}`);
export const officeOption = (): Option => new Option('--office <id>', 'id of the office').default('local');
export const withOffice = (command: Command): Command =>
  share(command, 'A running office (--url):', [officeOption(), tokenOption()]);
export const withPeer = (command: Command): Command =>
  withOffice(command)
    .option('--url <url>', 'ask a running office, as its agent, instead of starting the servers here')
    .option('--computer <name>', 'which computer of that office (default: the only one)')
    .option('--json', 'one JSON document on stdout', false);
export const saveOption = (): Option =>
  new Option('--save <folder>', 'write images, sounds and blobs to files in this folder');
export const withJson = (command: Command): Command =>
  command.option('--json', 'one JSON document on stdout', false);
export const withCallOptions = (command: Command): Command =>
  command
    .option('-t, --timeout <seconds>', 'limit of the call, 0 = none (default: 60)', secondsOf)
    .option('--req-id <id>', 'name of the call, by which agents and logs know it (default: a new one)')
    .option('--facts', 'lines for programs about its progress on stderr, also at a terminal');
export const freshOption = (): Option =>
  new Option('--fresh', 'ask the servers again instead of using known contents');
export const documentTypeOption = (): Option =>
  new Option('--type <ext>', 'of exactly this type, such as pdf');
export const documentOffsetOption = (): Option =>
  new Option('--offset <n>', 'so many are passed over (default: 0)').argParser(wholeOf);
export const documentLimitOption = (preset: number): Option =>
  new Option('--limit <n>', `so many are given, at most 100 (default: ${preset})`).argParser(wholeOf);
export const readServerOption = (): Option =>
  new Option('--server <server>', 'the one server that is asked, where several have it');
/** Options of `a2c add` for a command or a URL. */
export const withEntryWords = <C extends Command>(command: C): C =>
  command
    .option('-e, --env <KEY=value>', 'a variable of the command; may be repeated', collected)
    .option('-H, --header <Name: value>', 'a header for the URL; may be repeated', collected)
    .option('--cwd <folder>', 'the folder that the command runs in')
    .option('--sse', 'the URL speaks SSE, the older transport')
    .addOption(
      option('-t, --transport <kind>', 'as other clients name it').choices([
        ...['stdio', 'http', 'streamable-http', 'sse'],
      ]),
    );
