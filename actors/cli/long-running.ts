/** Commands `a2c up` and `a2c computer`: hosts that run until they are told to end. */
import type { UpOptions } from './hosting.ts';
import { logBy, recordBy, type ServerOptions, type WatchOptions } from './options.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import { hostName } from '../../adapters/clock.ts';
import { lineHistory } from '../../adapters/storage/user-files.ts';
import { unreadDocuments } from '../../adapters/documents/command.ts';
import type { Fact } from '../../machines/facts.ts';
import { timing } from '../../machines/kernel/timing.ts';
import type { OfficePeer } from '../../machines/office/rooms/limits.ts';
import { createComputer, type RuntimeShare, ordersOf } from '../api/computer.ts';
import { computerPart } from '../api/computer-part.ts';
import type { Computer, ComputerEvents } from '../api/computer-handle.ts';
import type { ComputerOptions } from '../api/computer-options.ts';
import { stateWords } from '../../machines/server-states.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { deferred } from '../kernel/listeners.ts';
import { openRuntime, type Runtime } from '../api/runtime.ts';
import { logLine, NewsLines } from './printing/servers.ts';
import { toolsText } from './printing/contents.ts';
import { remedyAt } from './printing/hints.ts';
import { incidentFact, statusFact, tellFact } from './printing/failures.ts';
import { Prompt } from './prompt/prompt.ts';
import { confirmBy, answersBy, inputsAt } from './answering.ts';
import { exitCodeAtEnd } from './exit-codes.ts';
import { credentialBy, entryBy, firstPort, openOffice, openShared } from './entry.ts';
import { showInspector } from './inspect.ts';
import { untilAborted, type CommandContext } from './context.ts';
import { configOf } from './source.ts';
import { bootMsOf, hasStarted, untilStarted } from './starting.ts';

async function runtimeOf(context: CommandContext, options: WatchOptions): Promise<Runtime> {
  const { terminal } = context;
  const runtime = await openRuntime({
    reaper: options.reaper,
    record: recordBy(options),
    tracing: options.tracing,
    ...logBy(context, options),
    notice: (text) => terminal.err(text),
  });
  const { laboratory } = context;
  if (laboratory) runtime.retell = async (trace) => (await laboratory()).storyOf(trace);
  if (runtime.flight?.path !== undefined) terminal.err(`recording to ${runtime.flight.path}`);
  return runtime;
}

/** Time in ms after which the prompt is shown at a terminal, although servers still start. */
const promptMs = 2_000;
/** At most `ms`, unless an option or the config says otherwise. */
async function openComputer(
  context: CommandContext,
  options: ServerOptions,
  office: ComputerOptions['office'],
  { config, runtime, door }: Required<RuntimeShare>,
  ms: number = timing.bootMs,
): Promise<Computer> {
  const { terminal, signal } = context;
  tellFact(context, options, { type: 'inputs_loaded', count: config.inputs.length });
  const news = new NewsLines();
  // A config file that is read in parts gives the notices of the whole file for each part.
  const noticed = new Set<string>();
  const onNotice = (told: string): void => {
    const text = remedyAt('prompt', told);
    if (noticed.size === 0) setImmediate(() => noticed.clear());
    if (!noticed.has(text)) {
      terminal.err(text);
      tellFact(context, options, { type: 'notice', message: text });
    }
    noticed.add(text);
  };
  const input = await inputsAt(terminal, options);
  const computer = await createComputer(
    {
      answers: answersBy(terminal, options),
      ...(input && { input }),
      ...(options.name !== undefined && { name: options.name }),
      shared: options.alone !== true && process.platform !== 'win32',
      ...(office && { office: { ...office, keepTrying: true } }),
      confirm: confirmBy(options.confirm, terminal),
      autoConnect: options.autoConnect,
      autoReconnect: options.autoReconnect,
      ...(options.boot !== undefined && { timing: { bootMs: options.boot * 1_000 } }),
      signal,
      onNotice,
      onEvent: (name, value) => {
        const fact = factOf(name, value);
        if (fact) tellFact(context, options, fact);
        if (name === 'server.wrote' && options.verbose === true) {
          const line = value as ComputerEvents['server.wrote'];
          terminal.err(`[${line.name}] ${logLine(line)}`);
        }
        const line = news.of(name, value);
        if (line !== undefined) terminal.err(line);
      },
    },
    { config, runtime, door },
  );
  await untilStarted(context, computer, {
    ms: bootMsOf(options, config) ?? ms,
    isQuiet: options.facts === true,
  });
  return computer;
}
type Heard = Parameters<NonNullable<ComputerOptions['onEvent']>>;
function factOf(...[name, value]: Heard): Fact | undefined {
  if (name === 'server.changed') return statusFact(value as ServerStatus);
  if (name === 'incident') return incidentFact(value as ComputerEvents['incident']);
  if (name === 'server.removed')
    return {
      type: 'server_status',
      name: (value as ComputerEvents['server.removed']).name,
      state: 'removed',
    };
  if (name !== 'tools.changed') return undefined;
  const { added, removed, changed } = value as ComputerEvents['tools.changed'];
  return { type: 'tool_list_changed', added: [...added], removed: [...removed], changed: [...changed] };
}
export async function up(context: CommandContext, options: UpOptions): Promise<number> {
  const { terminal } = context;
  // Reads the config first, so that a wrong file or an untrusted folder starts nothing.
  const config = await configOf(context, options);
  const programs = config.servers.flatMap((server) => (server.kind === 'stdio' ? [server.launch] : []));
  for (const line of await unreadDocuments(programs)) terminal.err(line);
  const { port = 0 } = options;
  const entry = entryBy(options, port);
  const runtime = await runtimeOf(context, options);
  let forget = (): void => {};
  try {
    const shared = await openShared(context, entry, port, () => openOffice(options, entry, runtime));
    const { office } = shared;
    ({ forget } = shared);
    const hasMoved = options.port === undefined && office.port !== firstPort;
    const officeLine = `office ${office.url} (id ${options.office}), ${entry.line}${hasMoved ? `; port ${firstPort} is taken` : ''}`;
    terminal.err(officeLine);
    const opened = deferred<Computer>();
    const seat = { url: office.url, id: options.office, ...entry.shown };
    const host = {
      kind: 'up',
      name: options.name ?? hostName(),
      orders: ordersOf(() => opened.promise),
    } as const;
    // Has the charts of a computer for the page, which is opened before the servers start: it shows why a start takes long.
    runtime.use(computerPart);
    await showInspector(
      context,
      options,
      async (wanted) => (await runtime.inspections()).open(host, wanted),
      true,
    );
    const peers = (): readonly OfficePeer[] => office.peers();
    const share = { config, runtime, door: { kind: 'up', peers } } as const;
    // Shows the prompt to a person soon, with what still starts; a script gets it when the servers are up.
    const ms = terminal.isInteractive ? promptMs : undefined;
    const computer = await openComputer(context, options, seat, share, ms);
    opened.resolve(computer);
    tellFact(context, options, {
      type: 'office',
      url: office.url,
      office: options.office,
      name: computer.name,
    });
    const { tools } = await computer.tools();
    terminal.err(`computer ${computer.name}: ${toolsText(tools.length)}. Type help; quit ends everything.`);
    for (const server of computer.status().servers.filter((one) => !hasStarted(one)))
      terminal.err(
        `still starting: ${server.name}: ${server.reason ?? stateWords[server.state]}; see why ${server.name}`,
      );
    await new Prompt(context, computer, {
      ...options,
      folder: options.record ?? '.',
      officeLine,
      peers,
      seat,
      ...(terminal.isInteractive && { history: lineHistory(defaultStateDir()) }),
    }).run();
    terminal.err('closing …');
    await computer.close();
    await office.close();
  } catch (error) {
    // Ends as after any Ctrl-C when Ctrl-C came during the start.
    if (!context.signal.aborted) throw error;
  } finally {
    forget();
    await runtime.close();
  }
  return exitCodeAtEnd(context.signal);
}

export async function computerOnly(
  context: CommandContext,
  options: ServerOptions & { readonly url: string; readonly office: string; readonly token?: string },
): Promise<number> {
  const config = await configOf(context, options);
  const runtime = await runtimeOf(context, options);
  try {
    const seat = { url: options.url, id: options.office, ...credentialBy(options) };
    const computer = await openComputer(context, options, seat, {
      config,
      runtime,
      door: { kind: 'computer' },
    });
    await showInspector(context, options, (wanted) => computer.debug.inspect(wanted));
    context.terminal.err(`computer ${computer.name} serves; Ctrl-C closes it`);
    await untilAborted(context.signal);
    await computer.close();
  } catch (error) {
    if (!context.signal.aborted) throw error;
  } finally {
    await runtime.close();
  }
  return exitCodeAtEnd(context.signal);
}
