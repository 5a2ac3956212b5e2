import { recordBy, type LoginOptions, type RecordingOptions, type SourceOptions } from './options.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import type { Computer } from '../api/computer-handle.ts';
import { createComputer } from '../api/computer.ts';
import { answersBy, inputsAt } from './answering.ts';
import type { CommandContext } from './context.ts';
import { exitCodeOf, orClosed, unlessInterrupted } from './exit-codes.ts';
import { onlyServer, serverNamed } from './named-server.ts';
import { stateWords } from '../../machines/server-states.ts';
import { toolsText } from './printing/contents.ts';
import { configOf } from './source.ts';
import { A2cError } from '../kernel/errors.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { openInBrowser } from '../../adapters/process/run-text.ts';
import type { Authorize, AuthorizeRequest } from '../../adapters/mcp/http/login.ts';
import type { Terminal } from '../../adapters/terminal/terminal.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { SseServer, StreamableServer } from '../../machines/config/schemas.ts';

export type LogoutCommandOptions = SourceOptions & RecordingOptions & { readonly json: boolean };
type LoginCommandOptions = LogoutCommandOptions & LoginOptions;

async function withServer<T>(
  context: CommandContext,
  name: string,
  options: LogoutCommandOptions,
  { authorize, byCode = false }: { readonly authorize?: Authorize; readonly byCode?: boolean },
  use: (computer: Computer) => Promise<T>,
): Promise<T> {
  const { signal, terminal } = context;
  const config = onlyRemote(await configOf(context, options), name, byCode);
  const input = await inputsAt(terminal, options, true);
  return unlessInterrupted(signal, async () => {
    const computer = await createComputer(
      {
        autoConnect: false,
        autoReconnect: false,
        signal,
        record: recordBy(options),
        answers: answersBy(terminal, options),
        onNotice: (text) => terminal.err(text),
        ...(authorize && { authorize }),
        ...(input && { input }),
      },
      { config },
    );
    try {
      return await orClosed(signal, computer, () => use(computer));
    } finally {
      await computer.close();
    }
  });
}
/** Without a browser here a code is the better way, where the config names none. */
function onlyRemote(config: Config, name: string, byCode: boolean): Config {
  const server = serverNamed(config, name);
  if (server.kind === 'sse' || server.kind === 'streamable') {
    const only = onlyServer(config, name);
    return byCode ? { ...only, servers: [withCode(server)] } : only;
  }
  throw new A2cError({
    code: wireCodes.badRequest,
    message: `Server '${name}' is reached by no URL: there is nothing to log in to`,
    details: { server_name: name },
    remedy:
      'Secrets of a program belong into its "env", as ${input:id} where they should not stand in the file.',
  });
}

const withCode = <Kind extends SseServer | StreamableServer>(server: Kind): Kind => {
  const { remote } = server;
  return { ...server, remote: { ...remote, oauth: { grant: 'device_code', ...remote.oauth } } };
};

/** A person has ten minutes. */
export async function login(
  context: CommandContext,
  name: string,
  options: LoginCommandOptions,
): Promise<number> {
  const { signal, terminal } = context;
  let wasAsked = false;
  const show = async ({ url, code, signal: given }: AuthorizeRequest): Promise<string | undefined> => {
    wasAsked = true;
    terminal.err(`log in to ${name} in a browser; waiting until you have; Ctrl-C gives up`);
    terminal.err(`  ${url}`);
    if (code !== undefined) terminal.err(`  on any device, with the code ${code}`);
    if (code !== undefined || !terminal.isInteractive) return undefined;
    const isOpen = options.browser && (await openInBrowser(url));
    if (!isOpen) terminal.err('open the address by hand, on this machine or another one');
    // A browser of another machine ends at an address that leads nowhere there, and that has the code.
    return pasted(terminal, given);
  };
  const byCode = !options.browser || !terminal.isInteractive;
  const tools = await withServer(context, name, options, { authorize: show, byCode }, async (computer) => {
    if (options.again) await computer.servers.logout(name);
    await ready(computer, name, signal);
    return (await computer.tools()).tools.length;
  });
  if (options.json)
    terminal.out(JSON.stringify({ server: name, logged_in: true, was_asked: wasAsked, tools }));
  else if (wasAsked) terminal.out(`logged in to ${name}: ${toolsText(tools)}`);
  else terminal.out(`${name} needs no login, or is logged in to already: ${toolsText(tools)}`);
  const { startedWithLogin } = await import('./serve-control.ts');
  for (const serving of await startedWithLogin(name)) terminal.err(`${name} of ${serving} is up with it`);
  return exitCodeOf(signal);
}
/** Undefined when the browser of this machine came back first. */
async function pasted(terminal: Terminal, signal: AbortSignal): Promise<string | undefined> {
  for (;;) {
    const text = await terminal.question('or paste the address where it ended: ', signal);
    if (text === null) return undefined;
    if (URL.canParse(text.trim())) return text.trim();
  }
}
/** As long as a person is being asked to log in; any other obstacle is an error. */
async function ready(computer: Computer, name: string, signal: AbortSignal): Promise<void> {
  const ways: ReadonlySet<ServerStatus['state']> = new Set([
    'connecting',
    'authorizing',
    'recovering',
    'closing',
  ]);
  const isOver = ({ state, failure }: Pick<ServerStatus, 'state' | 'failure'>): boolean =>
    !ways.has(state) && !(state === 'unauthorized' && failure?.details?.['waits_for'] !== undefined);
  const over = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    computer.on('server.changed', (changed) => {
      if (changed.name === name && isOver(changed)) resolve();
    });
  });
  await computer.servers.start(name).catch(() => {});
  const now = computer.status().servers.find((server) => server.name === name);
  if (now && !isOver(now)) await over;
  const status = computer.status().servers.find((server) => server.name === name);
  if (status?.state === 'ready') return;
  if (status?.failure) throw new A2cError(status.failure);
  throw new A2cError({
    code: 'ServerNotActive',
    message: `Server '${name}' ${status ? stateWords[status.state] : 'is gone'}`,
  });
}
export async function logout(
  context: CommandContext,
  name: string,
  options: LogoutCommandOptions,
): Promise<number> {
  const { signal, terminal } = context;
  const { wasLoggedIn, isRevoked } = await withServer(context, name, options, {}, (computer) =>
    computer.servers.logout(name),
  );
  if (options.json)
    terminal.out(JSON.stringify({ server: name, was_logged_in: wasLoggedIn, is_revoked: isRevoked }));
  else if (!wasLoggedIn) terminal.out(`${name} was not logged in to`);
  else
    terminal.out(
      `logged out of ${name}${isRevoked ? '' : '; its authorization server revokes no tokens, so the old one ends by itself'}`,
    );
  return exitCodeOf(signal);
}
