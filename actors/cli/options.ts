import { fileURLToPath } from 'node:url';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { isRate, limitNames, officeLimits, type GivenLimits } from '../../machines/office/rooms/limits.ts';
import { profiles } from '../../machines/trace/format.ts';
import type { LogLevel } from '../logging/log-entry.ts';

/** A number, or a rate as `EACH_SECOND/AT_ONCE`. */
const limitOf = (text: string, before: GivenLimits | undefined): GivenLimits => {
  const [, name, value, burst] = /^(\w+)=(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  const known = limitNames.find((one) => one === name);
  if (known === undefined || value === undefined)
    throw new InvalidArgumentError(`NAME=NUMBER or NAME=EACH_SECOND/AT_ONCE, of ${limitNames.join(', ')}`);
  const rate = { perSecond: Number(value), burst: Number(burst ?? value) };
  const limit = isRate(officeLimits[known]) && rate.perSecond > 0 ? rate : Number(value);
  if (burst !== undefined && typeof limit === 'number')
    throw new InvalidArgumentError(`${known} is one number, not a rate`);
  return { ...before, [known]: limit };
};
/** `PORT` on loopback, or `HOST:PORT`. */
const addressOf = (text: string): { readonly host?: string; readonly port: number } => {
  const [, host, port = ''] = /^(?:(.+):)?(\d+)$/.exec(text) ?? [];
  return { ...(host !== undefined && { host: host.replace(/^\[(.*)\]$/, '$1') }), port: portOf(port) };
};
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

export const withSource = (command: Command): Command =>
  withRecording(command)
    .optionsGroup('Servers:')
    .option(
      '-c, --config <file>',
      'the MCP servers: a file, JSON, or - for stdin (default: a2c.json, .mcp.json or mcp.json here, then yours, then documents over this folder)',
    )
    .option(
      '-H, --header <Name: value>',
      'a header for a URL in the command line; may be repeated',
      collected,
    )
    .option('-e, --env <KEY=value>', 'a variable for a command behind --; may be repeated', collected)
    .option('--verbose', 'show what servers write to stderr and log')
    .option('--keyring', 'keep passwords that you type in the keyring of this system')
    .option('--trust', 'trust the config of this folder from now on')
    .option(
      '--boot <seconds>',
      'wait so long for servers that start (default: 15 for up and computer, 30 for what lists, else until each is up or has failed)',
      secondsOf,
    )
    .option(
      '--root <folder>',
      'a folder that servers may look at, or its file:// URL; may be repeated (default: for single calls this one and those that the config names)',
      folders,
    )
    .option('--sampling <command>', 'answers servers that ask for a model: the request as JSON on its stdin')
    .optionsGroup('');
export const withRecording = (command: Command): Command =>
  command
    .optionsGroup('Recordings and logs:')
    .option('--record <dir>', 'write there what the machines are told, for a2c replay')
    .addOption(
      new Option('--profile <what>', 'how much of it: boundary is enough to replay').choices([...profiles]),
    )
    .option(
      '--tracing',
      'spans of calls by OpenTelemetry; NODE_OPTIONS="--import FILE" brings its SDK (docs/operate.md)',
    )
    .option('--log', 'each failure as a line of JSON on stderr, with its req_id')
    .addOption(
      new Option(
        '--log-level <level>',
        'the same for failures (warn), also what goes well (info), or all (debug)',
      ).choices(['debug', 'info', 'warn', 'error'] satisfies LogLevel[]),
    )
    .optionsGroup('');
export const withWatchOptions = (command: Command): Command =>
  withSource(command).option(
    '--no-reaper',
    'start no process that ends the servers should this one be killed',
  );
export const withInspector = (command: Command): Command =>
  command
    .option('--inspect [port]', 'show it in a browser of this machine (docs/inspector.md)', portOf)
    .option('--no-inspect', 'do not, also where that is the default')
    .option('--allow-control', 'that page may also start and stop servers, and make and cancel calls');
export const withServerOptions = (command: Command): Command =>
  withInspector(withWatchOptions(command))
    .option('--name <name>', 'name of the computer (default: the host name)')
    .option('--alone', 'lend these servers to no a2c call of yours')
    .option('--no-auto-connect', 'add the servers, but start them by hand only')
    .option('--no-auto-reconnect', 'do not start a server again that has failed')
    .option('--facts', 'lines for programs on stdout, also at a terminal');
/** Other users of the machine may read a command line, but not an environment. */
const inEnvironment = ' (safer: the variable A2C_TOKEN)';
export const tokenOption = (): Option =>
  new Option('--token <token>', `what that office asks for${inEnvironment}`);
export const withEntry = (command: Command): Command =>
  command
    .option(
      '--token <token>',
      `let in who shows it, several times for several${inEnvironment}; default: one that commands of this user find`,
      collected,
    )
    .option('--tokens <file>', 'let in who shows a token of this file, which is read again when it changes')
    .option('--jwks <file-or-url>', 'let in who shows a token (JWT) that one of these keys has signed')
    .option('--audience <name>', 'what such a token has as aud; may be repeated', collected)
    .option('--issuer <name>', 'what it has as iss (default: any); may be repeated', collected)
    .option('--open', 'let every program of this machine in, without a token');
export const officeOption = (): Option => new Option('--office <id>', 'id of the office').default('local');
export const withPeer = (command: Command): Command =>
  command
    .option('--url <url>', 'ask a running office, as its agent, instead of starting the servers here')
    .addOption(officeOption())
    .addOption(tokenOption())
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
export const withLimits = (command: Command): Command =>
  command
    .option(
      '--limit <name=value>',
      'how much it takes, such as eventsPerSocket=100/500 or connections=200; may be repeated (docs/office.md)',
      limitOf,
    )
    .option(
      '--drain <seconds>',
      'after SIGTERM wait so long for calls that run; meanwhile nobody comes in or asks',
      secondsOf,
      10,
    )
    .option(
      '--metrics <port>',
      'serve /metrics, /healthz and /readyz there; HOST:PORT for others than this machine (needs prom-client)',
      addressOf,
    )
    .option(
      '--metrics-token <token>',
      'who shows it there may see and disconnect peers, and reload (default: $A2C_METRICS_TOKEN; docs/operate.md)',
    )
    .option(
      '--redis <url>',
      'one of several nodes that agree in this Redis on who sits where (default: $A2C_REDIS; needs ioredis; docs/scale.md)',
    )
    .option(
      '--redis-prefix <name>',
      'what all that it has there begins with: offices of different ones are apart (default: a2c)',
    )
    .option(
      '--redis-replicas <count>',
      'so many replicas of it must have a seat before it is given (default: 0; docs/scale.md)',
      wholeOf,
    )
    .option('--tls-cert <file>', 'listen with this certificate (PEM, with those that lead to its authority)')
    .option('--tls-key <file>', 'its key (PEM)')
    .option('--tls-ca <file>', 'let in only who shows a certificate of these authorities (PEM)')
    .option('--trust-proxy <count>', 'so many proxies before it say where a peer comes from', wholeOf);

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
