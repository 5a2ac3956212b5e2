/** Command `a2c serve`: opens what is served, and the wires to clients. */
import { recordBy } from './options.ts';
import type { ServeOptions } from './hosting.ts';
import { inputsAt } from './answering.ts';
import { untilAborted, type CommandContext } from './context.ts';
import { credentialBy } from './entry.ts';
import { exitCodeAtEnd } from './exit-codes.ts';
import { typedHere } from './printing/hints.ts';
import { NewsLines } from './printing/servers.ts';
import { mayStart, readSource, type Source as ConfigSource } from './source.ts';
import { isUrl } from './typed-server.ts';
import type { Agent } from '../api/agent-handle.ts';
import type { Computer } from '../api/computer-handle.ts';
import type { Runtime } from '../api/runtime.ts';
import { failureOf, badRequest } from '../kernel/errors.ts';
import { deferred } from '../kernel/listeners.ts';
import { fingerprintOf } from '../plans/plan.ts';
import { agentSource } from '../serve/agent-source.ts';
import { ClientSession } from '../serve/client-session.ts';
import { Hub, type KeptGreeting } from '../serve/hub.ts';
import { answersOf, confirmAtClient } from '../serve/questions.ts';
import { computerSource, type Source } from '../serve/source.ts';
import { wireOn } from '../serve/transports.ts';
import { anyRevision } from '../../adapters/mcp/serve/eras.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { isPageBuilt } from '../../adapters/inspector/page-files.ts';
import { keepGreeting, readGreeting } from '../../adapters/storage/catalogs.ts';
import { keepOfficeToken } from '../../adapters/storage/office-token.ts';
import { openLog } from '../../adapters/storage/user-files.ts';
import { newId, systemClock } from '../../adapters/clock.ts';
import { stdioWire } from '../../adapters/mcp/serve/stdio.ts';
import { watchFile } from '../../adapters/storage/settings.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { Fields } from '../../machines/protocol/json.ts';
import { asLine } from '../../machines/text.ts';

/** At which servers get SIGTERM and SIGKILL after the end of the input: clients wait 2 s. */
const hurryMs = [1_300, 1_700];
/** Wait in ms for a client to say what it can, before servers are started without knowing. */
const introductionMs = 1_000;
const pageMs = 3_000;
/** Wait in ms for the trace of a call of unknown effect. */
const traceMs = 300;
const traceLookMs = 20;
/** Capabilities that servers are told of where clients come and go. */
const ofMany: Fields = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};

interface Opened {
  /** The client is gone: nothing is opened any more. */
  isOver?: boolean;
  runtime?: Runtime;
  computer?: Computer;
  agent?: Agent;
  watcher?: ReturnType<typeof watchFile>;
}
interface Serving {
  readonly context: CommandContext;
  readonly options: ServeOptions;
  /** Undefined until it is read, and where the computers of an office are served. */
  config?: Config;
  readonly wrapped: string | undefined;
  readonly opened: Opened;
  readonly introduced: Promise<Fields>;
  readonly hub: () => Hub;
  readonly say: (text: string) => void;
}

/** Serves the tools of a config, of one wrapped server, or of an office. */
export async function serve(
  context: CommandContext,
  what: string | undefined,
  server: string | undefined,
  given: ServeOptions,
): Promise<number> {
  if (what === 'status' || what === 'restart') {
    const { serveStatus, serveRestart } = await import('./serve-control.ts');
    return what === 'status' ? serveStatus(context, given.json) : serveRestart(context, server);
  }
  if (what === 'install' || what === 'uninstall') {
    const { serveInstall, serveUninstall } = await import('./serve-install.ts');
    return (what === 'install' ? serveInstall : serveUninstall)(context, server, given);
  }
  if (what !== undefined && !isUrl(what))
    throw badRequest(
      `serve does not know '${String(what)}'`,
      'It takes a URL, status, restart, install or uninstall; a command stands behind --.',
    );
  return serveClients(context, what === undefined ? given : { ...given, typed: [what] });
}
async function serveClients(context: CommandContext, options: ServeOptions): Promise<number> {
  const { signal } = context;
  const log = openLog(defaultStateDir(), 'serve');
  const say = (text: string): void => {
    context.terminal.err(text);
    log(text);
  };
  const introduced = deferred<Fields>();
  const read = options.url === undefined ? servedConfig(context, options) : undefined;
  const typed = options.typed ? (await read)?.config : undefined;
  const wrapped = typed?.servers[0]?.name;
  const serving: Serving = {
    context,
    options,
    ...(typed && { config: typed }),
    wrapped,
    opened: {},
    introduced: introduced.promise,
    hub: () => hub,
    say,
  };
  const source = sourceOf(serving, read);
  source.catch((error: unknown) => {
    const { message, remedy = '' } = failureOf(error);
    if (serving.opened.isOver !== true) say(`error: ${message}. ${remedy}`);
  });
  const hub: Hub = new Hub(source, {
    wrapped,
    greetings: greetingsOf(serving),
    tools: options.tools,
    entered: ({ identity }) => {
      const { name = 'a client', version = '' } = identity?.info ?? {};
      log(`${String(name)} ${String(version)} has come`);
      introduced.resolve(identity?.capabilities ?? {});
    },
    trace: () => traceOf(serving.opened),
  });
  try {
    if (options.http === undefined) await overStdio(serving, () => introduced.resolve({}));
    else {
      introduced.resolve(ofMany);
      await overHttp(serving, options.http);
    }
  } finally {
    serving.opened.isOver = true;
    introduced.resolve({});
    hub.close();
    await ended(serving, source);
  }
  return exitCodeAtEnd(signal);
}
async function overStdio({ context, hub, say }: Serving, late: () => void): Promise<void> {
  const over = deferred();
  if (context.terminal.isInteractive)
    say(
      'an MCP client starts this command, and speaks to it on stdin; docs/serve.md has what to paste. Ctrl-C ends it',
    );
  const wire = stdioWire((text) => say(`dropped from the client: ${text}`));
  void new ClientSession(hub(), anyRevision(wire), () => over.resolve());
  const timer = systemClock.setTimeout(late, introductionMs);
  await Promise.race([over.promise, untilAborted(context.signal)]);
  systemClock.clearTimeout(timer);
}
async function overHttp({ context, options, hub, say }: Serving, given: number | true): Promise<void> {
  const token = options.token ?? process.env['A2C_TOKEN'] ?? newId();
  const { host } = options;
  // With the MCP SDK, which nothing else of a serving loads.
  const { serveOverHttp } = await import('../../adapters/mcp/serve/http.ts');
  const serving = await serveOverHttp(
    {
      port: given === true ? 0 : given,
      host,
      token,
      stateless: (wire) => void new ClientSession(hub(), wire),
    },
    async (transport) => {
      const session = new ClientSession(hub(), wireOn(transport));
      return () => Promise.resolve(session.close());
    },
  );
  const forget = keepOfficeToken(defaultStateDir(), Number(new URL(serving.url).port), token);
  const entry = { type: 'http', url: serving.url, headers: { Authorization: `Bearer ${token}` } };
  context.terminal.err(JSON.stringify({ mcpServers: { a2c: entry } }));
  say(`served over streamable HTTP at ${serving.url}; Ctrl-C ends it`);
  await untilAborted(context.signal);
  forget();
  await serving.close();
}

/** A wrapped server also gets what its client has put into the environment. */
async function servedConfig(context: CommandContext, options: ServeOptions): Promise<ConfigSource> {
  const read = await readSource(context, options);
  await mayStart(context, read, options);
  const { config } = read;
  const settings = { ...config.settings, onConflict: config.settings.onConflict ?? 'prefix' } as const;
  return {
    ...read,
    config: { ...config, settings: options.typed ? { ...settings, baseEnv: 'full' } : settings },
  };
}
async function sourceOf(serving: Serving, read: Promise<ConfigSource> | undefined): Promise<Source> {
  const { options, wrapped } = serving;
  if (!read) return agentSource(await openAgent(serving), options.computer);
  const { config, file } = await read;
  serving.config = config;
  const capabilities = await serving.introduced;
  if (serving.opened.isOver === true) throw new Error('the client is gone');
  const computer = await openComputer(serving, config, capabilities);
  if (file !== undefined) follow(serving, computer, file);
  return computerSource(computer, { wrapped, mustConfirm: options.confirm === 'elicit' });
}
/** The last good config stays while there is a mistake in the file. */
function follow(serving: Serving, computer: Computer, file: string): void {
  const { context, options, opened, say } = serving;
  const take = async (): Promise<void> => {
    const { config } = await servedConfig(context, options);
    if (JSON.stringify(config) === JSON.stringify(serving.config)) return;
    const { takeConfig } = await import('../api/computer.ts');
    await takeConfig(computer, config);
    serving.config = config;
  };
  const failed = (what: string, error: unknown): void => say(`${file} ${what}: ${failureOf(error).message}`);
  const changed = (): void =>
    void take().catch((error: unknown) => failed('is not taken over, the config before it stays', error));
  opened.watcher = watchFile(file, changed, (error) => failed('is not watched', error));
  // Reads it again, since it may have been changed before the watch began.
  void opened.watcher.ready.then(changed);
}
async function openComputer(
  { context, options, opened, hub, say }: Serving,
  config: Config,
  capabilities: Fields,
): Promise<Computer> {
  const [{ createComputer }, { Runtime: Hosting }] = await Promise.all([
    import('../api/computer.ts'),
    import('../api/runtime.ts'),
  ]);
  const onNotice = (text: string): void => say(text);
  const record = recordBy(options);
  const { reaper } = options;
  const runtime = new Hosting({ reaper, record, notice: onNotice });
  opened.runtime = runtime;
  const news = new NewsLines();
  const input = await inputsAt(context.terminal, options);
  opened.computer = await createComputer(
    {
      name: nameOf(options, hub().clients),
      shared: process.platform !== 'win32',
      answers: answersOf(capabilities, () => hub().clients),
      confirm: confirmAtClient,
      ...(input && { input }),
      signal: context.signal,
      onNotice,
    },
    { config, runtime, door: { kind: 'serve' } },
  );
  if (options.inspect !== false) showLater(opened.computer, options);
  // Not by `onEvent`, which would watch every call.
  opened.computer.on('server.changed', (value) => {
    const line = news.of('server.changed', value);
    if (line !== undefined) say(line);
    if (value.state === 'unauthorized') say(`log in: ${typedHere(options, 'login', value.name)}`);
  });
  return opened.computer;
}
function nameOf({ http }: ServeOptions, clients: Hub['clients']): string {
  if (http !== undefined) return 'serve over HTTP';
  const { name } = clients[0]?.identity?.info ?? {};
  return `serve for ${typeof name === 'string' ? asLine(name).slice(0, 60) : 'a client'} (pid ${process.ppid})`;
}
function showLater(computer: Computer, { inspect, allowControl = false }: ServeOptions): void {
  const show = async (): Promise<void> => {
    const port = typeof inspect === 'number' ? { port: inspect } : {};
    if (isPageBuilt()) await computer.debug.inspect({ allowControl, ...port }).catch(() => {});
  };
  const timer = systemClock.setTimeout(() => void show(), pageMs);
  computer.on('computer.changed', ({ state }) => {
    if (state === 'closing' || state === 'closed') systemClock.clearTimeout(timer);
  });
}
async function openAgent({ context, options, opened }: Serving): Promise<Agent> {
  const { createAgent } = await import('../api/agent.ts');
  const { url = '', office, token } = options;
  const credential = credentialBy({ ...(token !== undefined && { token }) });
  const record = recordBy(options);
  opened.agent = await createAgent({ url, office, ...credential, record, signal: context.signal });
  return opened.agent;
}
/** Quickly, since the client is gone or waits. */
async function ended({ opened }: Serving, source: Promise<Source>): Promise<void> {
  await source.catch(() => {});
  const { runtime, computer, agent, watcher } = opened;
  await watcher?.close();
  await agent?.close();
  if (!runtime) return;
  const { directory } = runtime;
  const hurry = (): void => {
    for (const { kind, name } of [...directory.roots])
      if (kind === 'process') directory.send(name, { type: 'process.hurry' });
  };
  const timers = hurryMs.map((ms) => systemClock.setTimeout(hurry, ms));
  await computer?.close();
  for (const timer of timers) systemClock.clearTimeout(timer);
  await runtime.close();
}
function greetingsOf(serving: Serving): KeptGreeting {
  const fingerprint = (name: string): string => {
    const server = serving.config?.servers.find((one) => one.name === name);
    return server ? fingerprintOf(server) : '';
  };
  return {
    read: (name) => readGreeting(defaultStateDir(), fingerprint(name)),
    keep: (name, greeting) => void keepGreeting(defaultStateDir(), fingerprint(name), greeting),
  };
}
/** A trace that is written by itself; undefined when none comes soon. */
async function traceOf({ runtime }: Opened): Promise<string | undefined> {
  const last = (): string | undefined => runtime?.flight?.kept.at(-1)?.file;
  const before = last();
  for (let waited = 0; waited < traceMs && last() === before; waited += traceLookMs)
    await new Promise<void>((resolve) => void systemClock.setTimeout(resolve, traceLookMs));
  return last() === before ? undefined : last();
}
