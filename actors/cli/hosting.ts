/** Declares the commands that serve: `up`, `office`, `computer`, `serve`, `documents`, and their options. */
import { Argument, Command, InvalidArgumentError } from 'commander';
import type { ActionMaker } from './context.ts';
import {
  choice,
  collected,
  confirmOption,
  inEnvironment,
  jsonOption,
  officeOption,
  ofWriting,
  option,
  portOf,
  preset,
  secondsOf,
  share,
  tokenOption,
  wholeOf,
  withInspector,
  withJson,
  withOffice,
  withOptions,
  withPeer,
  withRecording,
  withServerOptions,
  withSource,
  withWatchOptions,
  type InspectingOptions,
  type OptionsOf,
  type RecordingOptions,
  type ServerOptions,
  type WatchOptions,
} from './options.ts';
import { words as about } from './words.ts';
import { isRate, limitNames, officeLimits, type GivenLimits } from '../../machines/office/rooms/limits.ts';

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

const ofEntry = () => [
  option(
    '--token <token>',
    `let in who shows it, several times for several${inEnvironment}; default: one that commands of this user find`,
    collected,
  ),
  option('--tokens <file>', 'let in who shows a token of this file, which is read again when it changes'),
  option('--jwks <file-or-url>', 'let in who shows a token (JWT) that one of these keys has signed'),
  option('--audience <name>', 'what such a token has as aud; may be repeated', collected),
  option('--issuer <name>', 'what it has as iss (default: any); may be repeated', collected),
  option('--open', 'let every program of this machine in, without a token'),
];
export type EntryOptions = OptionsOf<typeof ofEntry>;
const withEntry = (command: Command): Command =>
  share(command, 'Who may come into an office (up, office):', ofEntry());
const ofTls = () => [
  option('--tls-cert <file>', 'listen with this certificate (PEM, with those that lead to its authority)'),
  option('--tls-key <file>', 'its key (PEM)'),
  option('--tls-ca <file>', 'let in only who shows a certificate of these authorities (PEM)'),
];
export type TlsFiles = OptionsOf<typeof ofTls>;
const ofLimits = () => [
  option(
    '--limit <name=value>',
    'how much it takes, such as eventsPerSocket=100/500 or connections=200; may be repeated (docs/office.md)',
    limitOf,
  ),
  preset(
    option(
      '--drain <seconds>',
      'after SIGTERM wait so long for calls that run; meanwhile nobody comes in or asks',
      secondsOf,
    ),
    10,
  ),
  option(
    '--metrics <port>',
    'serve /metrics, /healthz and /readyz there; HOST:PORT for others than this machine (needs prom-client)',
    addressOf,
  ),
  option(
    '--metrics-token <token>',
    'who shows it there may see and disconnect peers, and reload (default: $A2C_METRICS_TOKEN; docs/operate.md)',
  ),
  option(
    '--redis <url>',
    'one of several nodes that agree in this Redis on who sits where (default: $A2C_REDIS; needs ioredis; docs/scale.md)',
  ),
  option(
    '--redis-prefix <name>',
    'what all that it has there begins with: offices of different ones are apart (default: a2c)',
  ),
  option(
    '--redis-replicas <count>',
    'so many replicas of it must have a seat before it is given (default: 0; docs/scale.md)',
    wholeOf,
  ),
  ...ofTls(),
  option('--trust-proxy <count>', 'so many proxies before it say where a peer comes from', wholeOf),
];
const withLimits = (command: Command): Command => share(command, 'Offices (office):', ofLimits());

const portOption = (text: string) => option('-p, --port <port>', text, portOf);
const hostOption = () => preset(option('--host <address>', 'address to listen on'), '127.0.0.1');
const ofUp = () => [
  portOption('port of the office (default: 3000, or the next free one)'),
  hostOption(),
  officeOption(),
  confirmOption(),
];
export type UpOptions = ServerOptions & EntryOptions & OptionsOf<typeof ofUp>;
const ofOffice = () => [
  portOption('port (default: 3000)'),
  hostOption(),
  preset(
    option(
      '--require-version',
      'let nobody in who does not say which version of the protocol it speaks; agents of ours do not',
    ),
    false,
  ),
];
export type OfficeCommandOptions = EntryOptions &
  InspectingOptions &
  RecordingOptions &
  OptionsOf<typeof ofLimits | typeof ofOffice>;
const landingHelp = `
Agents may put files here once the config opens a folder for them (docs/files.md):
  {"mcpServers": {…}, "a2c": {"landing": {"folder": "~/incoming"}}}
Each file is asked about, unless "autoApprove": true stands beside "folder".`;
function addHosts(program: Command, does: ActionMaker): void {
  withOptions(withEntry(withServerOptions(program.command('up'))), ofUp())
    .description(about.up)
    .addHelpText('after', landingHelp)
    .action(does(() => import('./long-running.ts'), 'up'));
  withOptions(withLimits(withEntry(withInspector(withRecording(program.command('office'))))), ofOffice())
    .description('the Socket.IO server where one agent and many computers meet')
    .action(does(() => import('./office.ts'), 'officeOnly'));
  withServerOptions(program.command('computer'))
    .description('hosts MCP servers and takes a seat in an office')
    .requiredOption('--url <url>', 'the office, such as http://127.0.0.1:3000')
    .addOption(officeOption())
    .addOption(tokenOption())
    .addOption(confirmOption())
    .addHelpText('after', landingHelp)
    .action(does(() => import('./long-running.ts'), 'computerOnly'));
}

const ofInspecting = () => [
  preset(option('--all', 'one page of all of them, joined by their calls, until Ctrl-C'), false),
  option('--no-browser', 'show the address, and open no browser'),
  jsonOption(),
];
export type InspectCommandOptions = OptionsOf<typeof ofInspecting>;
const addInspecting = (program: Command, does: ActionMaker): Command =>
  withOptions(program.command('inspect'), ofInspecting())
    .description('the hosts of yours that can be looked at in a browser now; opens the page of the only one')
    .argument('[host]', 'the name or the pid of one of them')
    .action(does(() => import('./inspect.ts'), 'inspect'));

const serveHelp = `
In the config of an MCP client, all servers of yours, or the one behind --:
  "command": "npx",
  "args": ["-y", "-p", "a2c-actors", "a2c", "serve"]
  "args": ["-y", "-p", "a2c-actors", "a2c", "serve", "--", "uvx", "some-server"]`;
const ofServing = () => [
  preset(option('--json', 'one JSON document of status'), false),
  ...ofWriting(),
  option(
    '--http [port]',
    'streamable HTTP for many clients, in place of stdio (default: any free port)',
    portOf,
  ),
  hostOption(),
  option('--url <url>', 'the tools of the computers in this office, as its agent'),
  option('--computer <name>', 'of one computer of that office alone'),
  choice('--confirm <how>', 'ask the user of the client before calls that the config does not allow', [
    'elicit',
  ]),
  option('--tools', 'add the tools a2c_status and a2c_restart, for the model'),
];
export type ServeOptions = WatchOptions &
  InspectingOptions &
  OptionsOf<typeof ofServing | typeof officeOption | typeof tokenOption>;
const addServing = (program: Command, does: ActionMaker): Command =>
  withOptions(withOffice(withInspector(withWatchOptions(program.command('serve')))), ofServing())
    .description(`${about.serve} (docs/serve.md)`)
    .usage('[options] [URL | -- COMMAND…], or serve status|restart|install|uninstall [NAME]')
    .argument(
      '[what]',
      'a URL; status: what runs; restart: of a server; install, uninstall: in the config of an application',
    )
    .argument('[name]', 'the server, or the application or its file')
    .addHelpText('after', serveHelp)
    .action(does(() => import('./serve.ts'), 'serve'));

const ofServedFiles = () => [
  preset(option('--host <name>', 'host of the dpe:// and window:// URIs'), 'documents'),
  option('--no-watch', 'do not look for changes'),
];
export type DocumentsOptions = OptionsOf<typeof ofServedFiles>;
const addDocuments = (program: Command, does: ActionMaker): Command =>
  withOptions(program.command('documents'), ofServedFiles())
    .description('an MCP server over the files of folders: documents, windows, search (docs/documents.md)')
    .argument('[folder...]', 'folders to serve (default: this one)')
    .action(does(() => import('./documents.ts'), 'documents'));

const generateHelp = `
  a2c generate types files > files.ts
  a2c generate types -- npx -y some-server > some-server.ts`;
function addGenerate(program: Command, does: ActionMaker): void {
  withJson(withSource(program.command('generate')))
    .description('writes the TypeScript types of the tools of one server to stdout')
    .addArgument(new Argument('<what>', 'what is written').choices(['types']))
    .argument('[server]', 'a server of the config, or a URL (default: the only one)')
    .addHelpText('after', generateHelp)
    .action(does(() => import('./generate.ts'), 'generate'));
}

const completionHelp = `
  bash   eval "$(a2c completion bash)" in ~/.bashrc
  zsh    eval "$(a2c completion zsh)" in ~/.zshrc, behind compinit
  fish   a2c completion fish > ~/.config/fish/completions/a2c.fish`;
function addCompletion(program: Command, does: ActionMaker): void {
  program
    .command('completion')
    .description('prints what lets a shell complete commands, servers, tools and arguments by Tab')
    .usage('bash|zsh|fish')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    // The scripts give the line up to the cursor, and the characters at which bash begins another word.
    .argument('[line]')
    .argument('[breaks]')
    .addHelpText('after', completionHelp)
    .action(does(async () => (await import('./completion.ts')).completionFor(program), 'completion'));
}
function addSchema(program: Command, does: ActionMaker): void {
  program
    .command('schema')
    .description('the JSON Schema of config files')
    .action(does(() => import('./source.ts'), 'schema'));
}

export function addTo(program: Command, does: ActionMaker): void {
  for (const add of [
    addHosts,
    addServing,
    addDocuments,
    addInspecting,
    addGenerate,
    addSchema,
    addCompletion,
  ])
    add(program, does);
}
/** The page of what many commands share. */
export function sharedOptions(page: Command): Command {
  const all = [withWatchOptions, withPeer, withInspector, withEntry, withLimits]
    .flatMap((adding) => adding(new Command()).options)
    .filter(({ hidden }) => hidden);
  for (const each of all) each.hidden = false;
  return page
    .description('Options of many commands; each command says its own: a2c help COMMAND')
    .configureHelp({ ...page.configureHelp(), visibleOptions: () => all });
}
